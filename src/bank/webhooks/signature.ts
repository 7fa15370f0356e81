import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether one of the signatures is by one of the secrets (HMAC-SHA-256). All pairs are compared in constant time: the timing does
 * not tell which secret comes close, or how close.
 */
export function isSigned(secrets: readonly Buffer[], signed: Buffer, signatures: readonly Buffer[]): boolean {
  let found = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(signed).digest();
    for (const signature of signatures) {
      if (signature.length === expected.length && timingSafeEqual(signature, expected)) found = true;
    }
  }
  return found;
}

/**
 * 32 bytes in their only valid spelling: Node's decoder skips characters that are not base64, and ignores the last two bits of
 * the last character, which encoders always leave 0 (RFC 4648, 3.5).
 */
const BASE64_OF_32 = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;
const HEX_OF_32 = /^[0-9a-fA-F]{64}$/;

/** Undefined if it is not 32 bytes in base64. */
export const base64Signature = (text: string): Buffer | undefined =>
  BASE64_OF_32.test(text) ? Buffer.from(text, 'base64') : undefined;

export const hexSignature = (text: string): Buffer | undefined =>
  HEX_OF_32.test(text) ? Buffer.from(text, 'hex') : undefined;
