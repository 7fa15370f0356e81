import { createHmac } from 'node:crypto';
import type { Delivery, WebhookSettings } from '../../../src/bank/webhooks/verifier.ts';

/** Epoch ms, on a whole second. */
export const NOW = 1_700_000_000_000;
export const SECRET = Buffer.from('one secret of thirty-two bytes!!');
export const BODY = Buffer.from('{"type":"payment.succeeded","data":{"payment_id":"p-1","note":"Grüße, 日本"}}');

export function settings(change: Partial<WebhookSettings> = {}): WebhookSettings {
  return {
    scheme: 'standard-webhooks',
    secrets: [SECRET],
    header: 'x-signature',
    timestampHeader: undefined,
    ips: [],
    toleranceMs: 300_000,
    ...change,
  };
}

/** Header -> value, or values where it comes more than once. */
export type Given = Record<string, string | string[]>;

export function delivery(headers: Given, change: Partial<Delivery> = {}): Delivery {
  const distinct = Object.entries(headers).map(([name, value]) => [name, [value].flat()] as const);
  return {
    headers: Object.fromEntries(distinct),
    body: BODY,
    remoteAddress: '192.0.2.7',
    now: NOW,
    ...change,
  };
}

const hmac = (secret: Buffer, text: Buffer): Buffer => createHmac('sha256', secret).update(text).digest();
const before = (head: string, body: Buffer): Buffer => Buffer.concat([Buffer.from(head), body]);

export interface Signed {
  secret?: Buffer;
  body?: Buffer;
  /** Epoch seconds. */
  at?: number;
}

/** Standard Webhooks, as a sender signs. */
export function standardHeaders({
  secret = SECRET,
  body = BODY,
  at = NOW / 1_000,
  id = 'msg_1',
}: Signed & { id?: string } = {}) {
  const signature = hmac(secret, before(`${id}.${at}.`, body)).toString('base64');
  return { 'webhook-id': id, 'webhook-timestamp': `${at}`, 'webhook-signature': `v1,${signature}` };
}

export const bodySignature = (
  { secret = SECRET, body = BODY }: Signed = {},
  encoding: 'hex' | 'base64' = 'hex',
): string => hmac(secret, body).toString(encoding);

export const timedSignature = ({ secret = SECRET, body = BODY }: Signed, timestamp: string): string =>
  hmac(secret, before(`${timestamp}.`, body)).toString('hex');
