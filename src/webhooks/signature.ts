import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether one of the secrets gives one of the signatures (HMAC-SHA-256). Every pair is compared in constant time: how long it
 * takes says nothing about which secret comes close, or how close.
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
 * 32 bytes and no other spelling of them: Node's own decoder passes over what is no base64, and over the last two bits of the
 * last character, which are 0 in the only spelling that an encoder writes (RFC 4648, 3.5).
 */
const BASE64_OF_32 = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;
const HEX_OF_32 = /^[0-9a-fA-F]{64}$/;

/** Undefined for what are not 32 bytes in base64. */
export const base64Signature = (text: string): Buffer | undefined =>
  BASE64_OF_32.test(text) ? Buffer.from(text, 'base64') : undefined;

export const hexSignature = (text: string): Buffer | undefined =>
  HEX_OF_32.test(text) ? Buffer.from(text, 'hex') : undefined;
