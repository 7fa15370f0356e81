import { createHmac, randomBytes } from 'node:crypto';
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
  { secret, scheme }: Pick<Endpoint, 'secret' | 'scheme'>,
  { eventId, body, at, forged }: OutgoingWebhook,
): Record<string, string> {
  const key = forged ? randomBytes(32) : keyOf(secret);
  switch (scheme) {
    case 'none':
      return {};
    case 'hmac-sha256':
      return { 'x-signature': hmac(key, body).toString('hex') };
    case 'standard-webhooks': {
      const seconds = Math.floor(at / 1_000);
      const signed = Buffer.concat([Buffer.from(`${eventId}.${seconds}.`), body]);
      return {
        'webhook-id': eventId,
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,${hmac(key, signed).toString('base64')}`,
      };
    }
  }
}

const PREFIX = 'whsec_';

const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'utf8');

const hmac = (key: Buffer, data: Buffer): Buffer => createHmac('sha256', key).update(data).digest();
