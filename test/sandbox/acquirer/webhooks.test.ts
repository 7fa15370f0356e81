import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../../support/new-folder.ts';
import { type CardCalls, cardCalls } from './card-calls.ts';
import { webhookReceiver } from './webhook-receiver.ts';

const secret = 'whsec_c2FuZGJveC13ZWJob29rLXNlY3JldA==';

/** A sandbox on the machine's clock whose webhooks go to `url`. */
async function sending(url: string, endpoint: Record<string, unknown> = {}, file = ':memory:'): Promise<CardCalls> {
  const it = await cardCalls({ now: Date.now, file, profile: { cardSettleMs: 20 } });
  await it.proxy('PUT', '/webhooks', { url, secret, firstRetryMs: 20, ...endpoint });
  return it;
}

const statuses = (webhooks: { body: { type: string } }[]) => webhooks.map(({ body }) => body.type);
const deliveriesOf = async (it: CardCalls) => (await it.proxy('GET', '/webhooks')).deliveries;

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('a webhook', () => {
  test('says how a payment ended, and nobody has to ask for it', async () => {
    const { url, count, received } = await webhookReceiver();
    const it = await sending(url);
    const { payment_id, merchant_request_id } = await it.create('success');
    const [webhook] = await count(1);
    expect(webhook).toMatchObject({
      path: '/hooks',
      body: {
        type: 'payment.succeeded',
        timestamp: expect.any(Number),
        data: { payment_id, payment_status: 'SUCCEEDED', merchant_request_id, amount: '25.00', currency: 'EUR' },
      },
    });
    await until(async () => (await deliveriesOf(it))[0].status === 'delivered');
    expect(await deliveriesOf(it)).toMatchObject([{ payment_id, attempts: 1, last_http_status: 200, due_at: null }]);
    expect(received).toHaveLength(1);
  });

  test('says of a declined payment and of a cancelled challenge that they failed', async () => {
    const { url, count } = await webhookReceiver();
    const it = await sending(url);
    await it.create('decline');
    await count(1);
    const { payment, referenceId } = await it.challenged();
    await it.answerChallenge(payment, 'cancel');
    await it.answerChallenge(payment, 'cancel');
    await count(2);
    await it.resume(payment, referenceId);
    const webhooks = await count(3);
    expect(statuses(webhooks)).toEqual(['payment.failed', 'three_ds.completed', 'payment.failed']);
    expect(webhooks[1]?.body.data).toEqual({
      payment_id: payment.payment_id,
      merchant_request_id: payment.merchant_request_id,
      reference_id: referenceId,
    });
  });

  test('comes before the answer to the create where the card asks for it', async () => {
    const { url, count } = await webhookReceiver();
    const it = await sending(url);
    let answered = false;
    const creating = it.create('webhook-first').then((payment) => {
      answered = true;
      return payment;
    });
    const [webhook] = await count(1);
    expect(answered).toBe(false);
    expect(await creating).toMatchObject({ payment_id: webhook?.body.data.payment_id, payment_status: 'PROCESSING' });
  });

  test('may contradict an earlier one, may never come, and needs an endpoint', async () => {
    const { url, count } = await webhookReceiver();
    const it = await cardCalls({ now: Date.now, profile: { cardSettleMs: 1 } });
    await it.create('decline');
    await it.proxy('PUT', '/webhooks', { url, secret });
    const { payment_id } = await it.create('no-webhook');
    await until(async () => (await it.retrieve(payment_id)).payment_status === 'SUCCEEDED');
    const { payment } = await it.challenged('challenge-unannounced');
    await it.answerChallenge(payment, 'confirm');
    const { payment_id: contradicted } = await it.create('contradicted');
    const webhooks = await count(2);
    expect(statuses(webhooks)).toEqual(['payment.succeeded', 'payment.failed']);
    expect(webhooks.map(({ body }) => body.data.payment_id)).toEqual([contradicted, contradicted]);
    expect((await it.retrieve(contradicted)).payment_status).toBe('SUCCEEDED');
    expect(await deliveriesOf(it)).toHaveLength(2);
  });
});

describe('delivery', () => {
  test('is tried again, later each time, until the answer is 200', async () => {
    const { url, received } = await webhookReceiver((nth) => [500, 204, 302][nth - 1] ?? 200);
    // The clock is stopped: each attempt is made when it is moved.
    const it = await cardCalls();
    await it.proxy('PUT', '/webhooks', { url, secret, firstRetryMs: 1_000 });
    await it.create('decline');
    const waits: number[] = [];
    for (const attempts of [1, 2, 3]) {
      await until(async () => (await deliveriesOf(it))[0].attempts === attempts);
      const [delivery] = await deliveriesOf(it);
      expect(delivery.status).toBe('pending');
      const wait = delivery.due_at - it.sandbox.clock.now();
      waits.push(wait);
      it.sandbox.clock.advance(wait - 1);
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(received).toHaveLength(attempts);
      it.sandbox.clock.advance(1);
    }
    await until(async () => (await deliveriesOf(it))[0].status === 'delivered');
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeLessThanOrEqual(1_000 * 2 ** index);
      expect(wait).toBeGreaterThan(500 * 2 ** index);
    }
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('is given up after the retries', async () => {
    const { url, received } = await webhookReceiver(() => 503);
    const it = await sending(url, { retries: 2, firstRetryMs: 1 });
    await it.create('decline');
    await until(async () => (await deliveriesOf(it))[0].status === 'given-up');
    expect(await deliveriesOf(it)).toMatchObject([{ attempts: 3, last_http_status: 503, due_at: null }]);
    expect(received).toHaveLength(3);
  });

  test('is made again when an attempt has come to nothing for longer than it may take', async () => {
    const { url, count, received } = await webhookReceiver((nth) => (nth === 1 ? 0 : 200));
    const it = await cardCalls();
    await it.proxy('PUT', '/webhooks', { url, secret });
    await it.create('decline');
    await count(1);
    it.sandbox.clock.advance(5_999);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(received).toHaveLength(1);
    it.sandbox.clock.advance(1);
    await count(2);
    await until(async () => (await deliveriesOf(it))[0].status === 'delivered');
  });

  test('outlives a restart, with endpoint and event id', async () => {
    const folder = newFolder();
    const file = join(folder, 'bank.sqlite');
    let isUp = false;
    const { url, received, count } = await webhookReceiver(() => (isUp ? 200 : 500));
    const before = await sending(url, { firstRetryMs: 100 }, file);
    const { payment_id: settling } = await before.create('success');
    await before.create('decline');
    await count(1);
    await before.sandbox.close();
    isUp = true;
    const seen = received.length;

    const after = await cardCalls({ now: Date.now, file });
    await until(async () => (await after.proxy('GET', '/webhooks')).counts.delivered === 2);
    const later = received.slice(seen);
    expect(later.map(({ body }) => body.data.payment_id)).toContain(settling);
    expect(later.map(({ headers }) => headers['webhook-id'])).toContain(received[0]?.headers['webhook-id']);
  });

  test('is duplicated, reordered and dropped on request, the same for the same seed', async () => {
    const treatment = async (seed: string) => {
      const { url } = await webhookReceiver();
      const it = await cardCalls();
      await it.proxy('PUT', '/webhooks', { url, secret, seed, duplicate: 0.3, reorder: 0.3, drop: 0.1 });
      for (let n = 0; n < 60; n += 1) await it.create('decline', { merchant_request_id: `order-${n}` });
      const rows = await deliveriesOf(it);
      const events = new Set(rows.map(({ event_id }: { event_id: string }) => event_id)).size;
      // The clock is stopped, so what is held back is not sent, and keeps its time.
      const waits = rows.map((row: { due_at: number; created_at: number }) => row.due_at - row.created_at);
      const held = waits.filter((wait: number) => wait > 0 && wait <= 1_500).length;
      const dropped = rows.filter(({ status }: { status: string }) => status === 'dropped').length;
      return { events, again: rows.length - events, held, dropped };
    };
    const one = await treatment('one');
    expect(one.events).toBe(60);
    for (const share of [one.again, one.held]) expect(share).toBeGreaterThan(5);
    expect(one.dropped).toBeGreaterThan(0);
    expect(await treatment('one')).toEqual(one);
    expect(await treatment('two')).not.toEqual(one);
  });

  test('of a duplicate has the same id and body', async () => {
    const { url, count } = await webhookReceiver();
    const it = await sending(url, { duplicate: 1 });
    await it.create('decline');
    const [first, second] = await count(2);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.text).toBe(first?.text);
  });
});

describe('the dashboard', () => {
  test('shows the endpoint without its secret', async () => {
    const it = await sending('http://127.0.0.1:9/hooks');
    const shown = await it.proxy('GET', '/webhooks');
    expect(shown.endpoint).toMatchObject({ url: 'http://127.0.0.1:9/hooks', scheme: 'standard-webhooks', retries: 12 });
    expect(JSON.stringify(shown)).not.toContain(secret.slice(6));
  });

  test.each(['http://192.0.2.1/hooks', 'http://127.0.0.1.example.com/', 'ftp://127.0.0.1/', 'file:///tmp', 'hooks'])(
    'refuses the target %s',
    async (url) => {
      const it = await cardCalls();
      await expect(it.proxy('PUT', '/webhooks', { url, secret })).rejects.toThrow('HTTP 400');
      expect((await it.proxy('GET', '/webhooks')).endpoint).toBeNull();
    },
  );

  test("sends an event of the tester's own, also one that was sent before", async () => {
    const { url, count } = await webhookReceiver();
    const it = await sending(url);
    const { event_id } = await it.proxy('POST', '/webhooks/send', { payment_id: 'pay-1', payment_status: 'FAILED' });
    await it.proxy('POST', '/webhooks/send', {
      event_id,
      payment_id: 'pay-2',
      payment_status: 'PARTLY',
      type: 'other',
    });
    const webhooks = await count(2);
    expect(statuses(webhooks).sort()).toEqual(['other', 'payment.failed']);
    expect(webhooks.map(({ headers }) => headers['webhook-id'])).toEqual([event_id, event_id]);
  });

  test('has nowhere to send without an endpoint', async () => {
    const it = await cardCalls();
    await expect(it.proxy('POST', '/webhooks/send', { payment_id: 'pay-1' })).rejects.toThrow('HTTP 400');
  });
});

test('a late commit of a create happens, and its webhook goes out, without another request', async () => {
  const { url, count } = await webhookReceiver();
  const it = await sending(url);
  await it.proxy('POST', '/faults', { operation: 'cards.create', kind: 'late-commit', ms: 50 });
  await expect(it.create('success', { merchant_request_id: 'late' })).rejects.toThrow();
  const [webhook] = await count(1);
  expect(webhook?.body.data).toMatchObject({ merchant_request_id: 'late', payment_status: 'SUCCEEDED' });
});

test('an advance of the clock sends what falls due by it', async () => {
  const { url, count } = await webhookReceiver();
  const it = await cardCalls();
  await it.proxy('PUT', '/webhooks', { url, secret });
  await it.create('slow');
  it.sandbox.clock.advance(3_600_000);
  expect(statuses(await count(1))).toEqual(['payment.succeeded']);
});
