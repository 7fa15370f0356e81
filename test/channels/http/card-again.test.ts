import { describe, expect, it } from 'vitest';
import { because, type ReasonCode } from '../../../src/domain/reasons.ts';
import { type Answered, openGateway, type RunningGateway } from './running-gateway.ts';

/** The page of a card payment that took nothing makes a new one. */

const JSON_BODY = { 'content-type': 'application/json' };
const create = ({ send }: RunningGateway, id: string): Promise<Answered> =>
  send('/v1/card-payments', {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify({
      merchant_request_id: id,
      amount: '49.90',
      currency: 'EUR',
      payment_type: 'AUTH',
      return_url: 'http://127.0.0.1:9/back',
      billing: { country: 'AU' },
    }),
  });

async function withPayment(id = 'order-1') {
  const gateway = await openGateway();
  const { document } = await create(gateway, id);
  const headers = { authorization: `Bearer ${document.client_secret}` };
  const again = (of: string): Promise<Answered> =>
    gateway.send(`/v1/card-payments/${of}/again`, { method: 'POST', headers });
  const shown = (of: string): Promise<Answered> => gateway.send(`/v1/card-payments/${of}`, { headers });
  const fail = (of: string, code: ReasonCode) =>
    gateway.proxy.store.cards.change(of, { state: 'failed', reason: because(code), at: Date.now() });
  return { gateway, again, shown, fail };
}

describe('a payment that took nothing', () => {
  it('is followed by a new one of the same sum, open to the same secret, once', async () => {
    const { gateway, again, shown, fail } = await withPayment();
    await fail('order-1', 'card-declined');
    expect(await shown('order-1')).toMatchObject({ document: { card_payment: { can_pay_again: true } } });
    const made = { status: 200, document: { card_payment: { merchant_request_id: 'order-1~2', amount: '49.90' } } };
    expect(await again('order-1')).toMatchObject(made);
    expect(await again('order-1')).toMatchObject(made);
    expect(gateway.cards.started.map(({ merchant_request_id: id }) => id)).toEqual(['order-1', 'order-1~2']);
    expect(gateway.cards.started[1]).toMatchObject({ amount: '49.90', currency: 'EUR', payment_type: 'AUTH' });
    expect(await shown('order-1~2')).toMatchObject({
      status: 200,
      document: { card_payment: { state: 'awaiting-card', can_pay_again: false } },
    });
    expect(gateway.cards.vault.formOf('order-1~2')).toMatchObject({ billing: { country: 'AU' } });
  });

  it('is followed by as many as are allowed', async () => {
    const { again, shown, fail } = await withPayment();
    for (const id of ['order-1', 'order-1~2']) {
      await fail(id, 'card-declined');
      expect(await again(id)).toMatchObject({ status: 200 });
    }
    await fail('order-1~3', 'card-declined');
    expect(await shown('order-1~3')).toMatchObject({ document: { card_payment: { can_pay_again: false } } });
    expect(await again('order-1~3')).toMatchObject({ status: 409, document: { error: { code: 'not-now' } } });
  });
});

describe('no new payment is made', () => {
  it('while the first one is open', async () => {
    const { gateway, again } = await withPayment();
    expect(await again('order-1')).toMatchObject({ status: 409, document: { error: { code: 'not-now' } } });
    expect(gateway.cards.started).toHaveLength(1);
  });

  it.each(['challenge-abandoned', 'closed-by-operator'] as const)('after %s', async (code) => {
    const { gateway, again, fail } = await withPayment();
    await fail('order-1', code);
    expect(await again('order-1')).toMatchObject({ status: 409 });
    expect(gateway.cards.started).toHaveLength(1);
  });

  it('once the acquirer has contradicted the end', async () => {
    const { gateway, again, fail } = await withPayment();
    await fail('order-1', 'card-declined');
    const event = {
      kind: 'status',
      paymentId: 'pay-1',
      status: 'SUCCEEDED',
      trust: 'verified',
      receivedAt: 1,
    } as const;
    await gateway.proxy.store.cards.receive({ ...event, receiptId: 'receipt-1', merchantRequestId: 'order-1' });
    await gateway.proxy.store.cards.recordEventEffect(event, {
      merchantRequestId: 'order-1',
      effect: 'contradicts',
      at: 1,
    });
    expect(await again('order-1')).toMatchObject({ status: 409 });
    expect(gateway.cards.started).toHaveLength(1);
  });

  it('if its id would be too long', async () => {
    const id = 'o'.repeat(63);
    const { again, fail } = await withPayment(id);
    await fail(id, 'card-declined');
    expect(await again(id)).toMatchObject({ status: 409 });
  });
});

it('an id of a new payment is chosen by no caller: a page would be let into it', async () => {
  const { gateway, again, fail } = await withPayment();
  expect(await create(gateway, 'order-1~2')).toMatchObject({ status: 400 });
  await fail('order-1', 'card-declined');
  await again('order-1');
  const headers = { authorization: `Bearer ${'s'.repeat(43)}` };
  for (const path of ['/order-1~2', '/order-1~2/again']) {
    const method = path.endsWith('again') ? 'POST' : 'GET';
    expect((await gateway.send(`/v1/card-payments${path}`, { method, headers })).status).toBe(401);
  }
});
