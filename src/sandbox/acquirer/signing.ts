import { createHmac, hash, randomBytes } from 'node:crypto';
import type { Endpoint } from './endpoint.ts';

interface OutgoingWebhook {
  eventId: string;
  body: Buffer;
  /** Epoch milliseconds of the signature. */
  at: number;
  /** Sign with a key other than the endpoint's. */
  forged: boolean;
}

/** Headers that authenticate a webhook; the schemes are our choice, since the interface shows none (section 6). */
export function signatureHeaders(
  { url, secret, scheme }: Pick<Endpoint, 'url' | 'secret' | 'scheme'>,
  { eventId, body, at, forged }: OutgoingWebhook,
): Record<string, string> {
  const key = forged ? randomBytes(32) : keyOf(secret);
  const seconds = Math.floor(at / 1_000);
  switch (scheme) {
    case 'none':
      return {};
    case 'hmac-sha256':
      return { 'x-signature': hmac(key, body).toString('hex') };
    case 'standard-webhooks': {
      const signed = Buffer.concat([Buffer.from(`${eventId}.${seconds}.`), body]);
      return {
        'webhook-id': eventId,
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,${hmac(key, signed).toString('base64')}`,
      };
    }
    case 'rfc9421':
      return httpMessageSignature(key, { path: new URL(url).pathname, body, seconds });
  }
}

/** RFC 9421, section 3.1, over method, path and the digest of the body (RFC 9530). */
function httpMessageSignature(
  key: Buffer,
  { path, body, seconds }: { path: string; body: Buffer; seconds: number },
): Record<string, string> {
  const digest = `sha-256=:${hash('sha256', body, 'base64')}:`;
  const parameters = `("@method" "@path" "content-digest");created=${seconds};keyid="sandbox";alg="hmac-sha256"`;
  const base = [
    '"@method": POST',
    `"@path": ${path}`,
    `"content-digest": ${digest}`,
    `"@signature-params": ${parameters}`,
  ].join('\n');
  return {
    'content-digest': digest,
    'signature-input': `sig1=${parameters}`,
    signature: `sig1=:${hmac(key, Buffer.from(base)).toString('base64')}:`,
  };
}

const PREFIX = 'whsec_';

const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'utf8');

const hmac = (key: Buffer, data: Buffer): Buffer => createHmac('sha256', key).update(data).digest();
