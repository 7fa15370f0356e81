import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signatureHeaders } from '../../../src/sandbox/acquirer/webhook-sender.ts';
import { START } from '../running-sandbox.ts';
import { cardCalls } from './card-calls.ts';
import { type ReceivedWebhook, webhookReceiver } from './webhook-receiver.ts';

const KEY = Buffer.from('sandbox-webhook-secret');
const secret = `whsec_${KEY.toString('base64')}`;
const mac = (text: string, key: Buffer = KEY) => createHmac('sha256', key).update(text);

/** A webhook as a merchant receives it. */
async function receivedUnder(scheme: string, forged = false): Promise<ReceivedWebhook> {
  const { url, count } = await webhookReceiver();
  const it = await cardCalls();
  await it.proxy('PUT', '/webhooks', { url, secret, scheme });
  await it.proxy('POST', '/webhooks/send', { payment_id: 'pay-1', payment_status: 'SUCCEEDED', forged });
  const [webhook] = await count(1);
  if (webhook === undefined) throw new Error('nothing came');
  return webhook;
}

const standard = ({ headers, text }: ReceivedWebhook): string =>
  `v1,${mac(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`).digest('base64')}`;

describe('a webhook is signed', () => {
  test('by Standard Webhooks, at the time of the attempt', async () => {
    const webhook = await receivedUnder('standard-webhooks');
    expect(webhook.headers['webhook-signature']).toBe(standard(webhook));
    expect(webhook.headers['webhook-id']).toMatch(/^evt-/);
    expect(Number(webhook.headers['webhook-timestamp']) * 1_000).toBe(START);
  });

  test('by HMAC over the raw body', async () => {
    const { headers, text } = await receivedUnder('hmac-sha256');
    expect(headers['x-signature']).toBe(mac(text).digest('hex'));
  });

  test('not at all under none', async () => {
    const names = Object.keys((await receivedUnder('none')).headers);
    expect(names.filter((name) => /signature|webhook/.test(name))).toEqual([]);
  });

  test('with another key when it is forged', async () => {
    const webhook = await receivedUnder('standard-webhooks', true);
    expect(webhook.headers['webhook-signature']).toMatch(/^v1,.{44}$/);
    expect(webhook.headers['webhook-signature']).not.toBe(standard(webhook));
  });
});

test('a secret without whsec_ is its own text', () => {
  const body = Buffer.from('{}');
  const endpoint = { secret: 'plain', scheme: 'hmac-sha256' } as const;
  const headers = signatureHeaders(endpoint, { eventId: 'evt-1', body, at: 0, forged: false });
  expect(headers['x-signature']).toBe(mac('{}', Buffer.from('plain')).digest('hex'));
});

test('the signature of a fixed webhook is known', () => {
  // The example of the Standard Webhooks libraries: key, id, time and body are theirs.
  const endpoint = {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    scheme: 'standard-webhooks',
  } as const;
  const body = Buffer.from('{"test": 2432232314}');
  const eventId = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const headers = signatureHeaders(endpoint, { eventId, body, at: 1_614_265_330_000, forged: false });
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
