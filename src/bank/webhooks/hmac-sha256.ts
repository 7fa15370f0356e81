import { assertRecent, headerOf, Refusal, type Scheme, type WebhookSettings } from './scheme.ts';
import { base64Signature, hexSignature, isSigned } from './signature.ts';

/** Seconds, or milliseconds as elsewhere in the interface (section 1). */
const TIMESTAMP = /^(?:\d{10}|\d{13})$/;

/**
 * HMAC-SHA-256 of the raw body, or of `<timestamp>.<body>` if a timestamp header is configured; in hex or base64, with or without
 * the prefix `sha256=`.
 */
export const signedByHeader =
  ({ secrets, header, timestampHeader, toleranceMs }: WebhookSettings): Scheme =>
  ({ headers, body, now }) => {
    const text = headerOf(headers, header).replace(/^sha256=/, '');
    const signature = hexSignature(text) ?? base64Signature(text);
    if (signature === undefined) throw new Refusal('signature-malformed');
    let signed = body;
    if (timestampHeader !== undefined) {
      const timestamp = headerOf(headers, timestampHeader);
      if (!TIMESTAMP.test(timestamp)) throw new Refusal('timestamp-malformed');
      assertRecent(Number(timestamp) * (timestamp.length === 10 ? 1_000 : 1), now, toleranceMs);
      signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
    }
    if (!isSigned(secrets, signed, [signature])) throw new Refusal('signature-wrong');
    return undefined;
  };
