import { createHmac } from 'node:crypto';
import { assertRecent, headerOf, Refusal, type Scheme, type WebhookSettings } from './scheme.ts';
import { base64Signature, isSigned } from './signature.ts';

type Settings = Pick<WebhookSettings, 'secrets' | 'toleranceMs'>;

const MESSAGE_ID = /^[\x21-\x7e]{1,128}$/;
const SECONDS = /^\d{10}$/;
const SYMMETRIC = 'v1,';
/** A sender that changes its secret signs with both the old and the new one. */
const SIGNATURES_MAX = 16;

/**
 * Standard Webhooks, symmetric: `v1,<base64>` of `<id>.<timestamp>.<body>`, several signatures separated by a space. Written here
 * because standardwebhooks signs the body as text, has its own clock and tolerance, and gives its reasons only as text.
 */
export const standardWebhook =
  ({ secrets, toleranceMs }: Settings): Scheme =>
  ({ headers, body, now }) => {
    const id = headerOf(headers, 'webhook-id');
    const timestamp = headerOf(headers, 'webhook-timestamp');
    const given = headerOf(headers, 'webhook-signature').split(' ');
    if (!MESSAGE_ID.test(id)) throw new Refusal('message-id-malformed');
    if (!SECONDS.test(timestamp)) throw new Refusal('timestamp-malformed');
    if (given.length > SIGNATURES_MAX) throw new Refusal('signatures-too-many');
    assertRecent(Number(timestamp) * 1_000, now, toleranceMs);
    const signatures = given
      .filter((text) => text.startsWith(SYMMETRIC))
      .flatMap((text) => base64Signature(text.slice(SYMMETRIC.length)) ?? []);
    if (signatures.length === 0) throw new Refusal('signature-malformed');
    if (!isSigned(secrets, signedContent(id, timestamp, body), signatures)) throw new Refusal('signature-wrong');
    return id;
  };

/** Headers of our own webhooks, signed with every secret: a receiver that knows one of them accepts it. `at`: epoch ms. */
export function signedHeaders(
  secrets: readonly Buffer[],
  { id, at, body }: { id: string; at: number; body: Buffer },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = `${Math.floor(at / 1_000)}`;
  const content = signedContent(id, timestamp, body);
  const signatures = secrets.map((secret) => SYMMETRIC + createHmac('sha256', secret).update(content).digest('base64'));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

const signedContent = (id: string, timestamp: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
