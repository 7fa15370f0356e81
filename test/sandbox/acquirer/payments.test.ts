import { describe, expect, test } from 'vitest';
import { START } from '../running-sandbox.ts';
import { cardCalls, cardOf, SETTLE_MS } from './card-calls.ts';

describe('a payment', () => {
  test('settles by the clock and never leaves its end', async () => {
    const it = await cardCalls();
    const payment = await it.create('success', { merchant_request_id: 'order-1' });
    expect(payment).toEqual({
      payment_id: expect.stringMatching(/^pay-/),
      payment_status: 'PROCESSING',
      amount: '25.00',
      currency: 'EUR',
      merchant_request_id: 'order-1',
      payment_type: 'DEBIT',
      created_at: START,
    });
    it.sandbox.clock.advance(SETTLE_MS - 1);
    expect(await it.retrieve(payment.payment_id)).toEqual(payment);
    it.sandbox.clock.advance(1);
    const settled = { ...payment, payment_status: 'SUCCEEDED' };
    expect(await it.retrieve(payment.payment_id)).toEqual(settled);
    it.sandbox.clock.advance(3_600_000);
    expect(await it.retrieve(payment.payment_id)).toEqual(settled);
  });

  test.each([
    ['decline', 'FAILED', 'FAILED'],
    ['fail-later', 'PROCESSING', 'FAILED'],
    ['no-webhook', 'PROCESSING', 'SUCCEEDED'],
    ['contradicted', 'PROCESSING', 'SUCCEEDED'],
    ['needs-set-up', 'REQUIRES_ACTION', 'REQUIRES_ACTION'],
    ['challenge', 'REQUIRES_ACTION', 'REQUIRES_ACTION'],
  ] as const)('with the card %s and no set-up is %s, then %s', async (scenario, first, last) => {
    const it = await cardCalls();
    const payment = await it.create(scenario);
    expect(payment.payment_status).toBe(first);
    expect(payment).not.toHaveProperty('next_action');
    it.sandbox.clock.advance(SETTLE_MS);
    expect((await it.retrieve(payment.payment_id)).payment_status).toBe(last);
  });

  test('of a card that needs a set-up succeeds with one', async () => {
    const it = await cardCalls();
    const { reference_id } = await it.setUp('needs-set-up');
    expect((await it.create('needs-set-up', {}, reference_id)).payment_status).toBe('PROCESSING');
  });

  test('of the slow card takes an hour of sandbox time', async () => {
    const it = await cardCalls();
    const { payment_id } = await it.create('slow');
    it.sandbox.clock.advance(3_599_999);
    expect((await it.retrieve(payment_id)).payment_status).toBe('PROCESSING');
    it.sandbox.clock.advance(1);
    expect((await it.retrieve(payment_id)).payment_status).toBe('SUCCEEDED');
  });

  test('may be captured with another amount', async () => {
    const it = await cardCalls();
    const { payment_id, amount } = await it.create('other-amount');
    expect(amount).toBe('25.00');
    it.sandbox.clock.advance(SETTLE_MS);
    expect((await it.retrieve(payment_id)).amount).toBe('25.01');
  });

  test('is answered in the envelope when the profile says so, and settles when it says', async () => {
    const it = await cardCalls({ profile: { cardEnvelope: 'envelope', cardSettleMs: 5 } });
    const { code, msg, data } = await it.create('success');
    expect({ code, msg }).toEqual({ code: 0, msg: 'Ok' });
    it.sandbox.clock.advance(5);
    expect((await it.retrieve(data.payment_id)).data.payment_status).toBe('SUCCEEDED');
  });

  test('of any other valid number succeeds', async () => {
    const it = await cardCalls();
    const payment = await it.create('success', { card: cardOf('success', { number: '5555550000000002' }) });
    expect(payment.payment_status).toBe('PROCESSING');
    const { payments } = await it.proxy('GET', '/card-payments');
    expect(payments).toMatchObject([{ scenario: 'success', bin: '555555', last_four: '0002' }]);
  });
});

describe('refused with 2002, and nothing is made:', () => {
  test.each([
    ['a wrong Luhn sum', { card: cardOf('success', { number: '4000000010000001' }) }],
    ['an expired card', { card: cardOf('success', { expiry_month: '12', expiry_year: '2025' }) }],
    ['a number with blanks', { card: cardOf('success', { number: '4000 0000 1000 0000' }) }],
    ['no card', { card: undefined }],
    ['an amount with too many decimals', { amount: '25.001' }],
    ['no amount', { amount: '0.00' }],
    ['another payment type', { payment_type: 'REFUND' }],
    ['an id of 65 characters', { merchant_request_id: 'x'.repeat(65) }],
    ['no id', { merchant_request_id: undefined }],
    ['a return_url that is no web address', { return_url: 'javascript:alert(1)' }],
  ])('%s', async (_what, changes) => {
    const it = await cardCalls();
    expect(await it.create('success', changes)).toMatchObject({ code: 2002 });
    expect(await it.proxy('GET', '/card-payments')).toEqual({ payments: [], sessions: [] });
  });
});

test('a card is good until the end of its month', async () => {
  const it = await cardCalls();
  const card = cardOf('success', { expiry_month: '01', expiry_year: '2026' });
  expect(await it.create('success', { card })).toMatchObject({ payment_status: 'PROCESSING' });
  it.sandbox.clock.advance(Date.UTC(2026, 1, 1) - START);
  expect(await it.create('success', { card })).toMatchObject({ code: 2002 });
});

test('an unknown payment is 2005, and the token is asked for', async () => {
  const it = await cardCalls();
  expect(await it.retrieve('pay-0')).toMatchObject({ code: 2005 });
  expect((await it.bank.raw('GET', '/api/v1/acq/payment/pay-0', { headers: { authorization: '' } })).status).toBe(401);
});
