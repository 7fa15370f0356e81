import { describe, expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { readOrder } from '../../../src/activities/read.ts';
import { BankError, envelopeError, UnknownOutcomeError } from '../../../src/bank/errors.ts';
import { type Order, order as orderSchema } from '../../../src/bank/schemas/orders.ts';
import type { SentOrder } from '../../../src/domain/sent-order.ts';
import { orderReference } from '../../../src/store/claimed-row.ts';
import { payoutClaim, SENT_PAYMENT } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const SENT: SentOrder = {
  ...{ sellAccountId: 'acc-eur', buyAccountId: 'acc-usd', amount: '101.50', currency: 'USD', expiredAt: 9 },
  ...{ sellCurrency: 'EUR', quotedSellAmount: '110.00' },
};

/** A payout whose exchange was sent, and how the bank shows that order. */
async function exchanging(shown: Partial<Order> & { status: string }, get?: (orderId: string) => Promise<Order>) {
  const store = await newStore();
  const { record } = await store.claimPayout(payoutClaim('doc', { runId: CALLER.runId }));
  const { reference, term } = record;
  const sentUnder = orderReference(record, 'exchange');
  const attempt = { reference: sentUnder, attempt: 1, runId: 'run-1', activityId: '1', sentAt: 1, request: SENT };
  await store.recordAttempt(attempt);
  await store.finishAttempt(sentUnder, 1, { outcome: 'accepted', orderId: 'fx-1' });
  const order = orderSchema.parse({ order_id: 'fx-1', client_order_id: sentUnder, ...shown });
  const deps = {
    store,
    bank: { orders: { get: get ?? (async () => order) } },
    executions: { wakeWatch: async () => {} },
    settings: quickSettings,
    now: () => 5,
  } as unknown as ActivityDeps;
  const read = (despite: string[] = []) =>
    readOrder(deps, CALLER, {
      claim: { storeId: store.id, reference, term },
      despite,
      ...{ as: 'followed', orderKind: 'exchange', orderId: 'fx-1', closedMeans: 'unclear', maxSlippage: '0.01' },
    } as Parameters<typeof readOrder>[2]);
  const booked = () => store.bookedExchangesOf([reference]);
  const accepted = () => store.acceptedDifferencesOf([reference]);
  return { read, booked, accepted, reference };
}

const BOOKED = {
  ...{ type: 'FX', sell_currency: 'EUR', sell_amount: '-110.20', buy_currency: 'USD', buy_amount: '101.50' },
  ...{ rate: '0.921', fee: '2.00', fee_currency: 'EUR' },
};

it('what an exchange was booked at is kept under its payout, as the bank shows it, once', async () => {
  const { read, booked, reference } = await exchanging({ status: 'COMPLETED', ...BOOKED });
  expect(await read()).toMatchObject({ meaning: 'paid', aboveCap: false });
  await read();
  expect(await booked()).toEqual([
    {
      ...{ reference, orderId: 'fx-1', soldAmount: '110.20', soldCurrency: 'EUR' },
      ...{ boughtAmount: '101.50', boughtCurrency: 'USD', rate: '0.921', fee: '2.00', feeCurrency: 'EUR', seenAt: 5 },
    },
  ]);
});

it.each(['150.00', '-150.00'])('also one above the cap, shown as %s, before people have accepted it', async (sold) => {
  const { read, booked } = await exchanging({ status: 'COMPLETED', ...BOOKED, sell_amount: sold });
  expect(await read()).toMatchObject({
    aboveCap: true,
    bookedRate: expect.stringMatching(/^150\.00 EUR sold, [\d.]+ EUR quoted, cap /),
  });
  expect(await booked()).toMatchObject([{ soldAmount: '150.00' }]);
});

it('an answer that names another order is believed if the bank shows that one', async () => {
  const other = orderSchema.parse({ order_id: 'new', status: 'COMPLETED', ...BOOKED });
  const renumbered = await exchanging({ status: 'COMPLETED' }, async () => other);
  expect(await renumbered.read()).toMatchObject({ meaning: 'paid', orderId: 'new', differences: [] });
  const wrong = await exchanging({ status: 'COMPLETED' }, async (orderId) => {
    if (orderId === 'new') throw envelopeError(2005, { operation: 'GET' });
    return other;
  });
  expect(await wrong.read()).toMatchObject({ differences: ['order_id'] });
  expect(await wrong.booked()).toEqual([]);
});

it.each([
  ['is still open', { status: 'ACCEPTED' }],
  ['is another one than was sent', { status: 'COMPLETED', buy_amount: '999.00' }],
  ['bought into another account', { status: 'COMPLETED', buy_account: 'acc-usd-2' }],
  ['sold from another account', { status: 'COMPLETED', sell_account: 'acc-gbp' }],
  ['sold another currency', { status: 'COMPLETED', sell_currency: 'GBP' }],
])('nothing of an order that %s', async (_which, shown) => {
  const { read, booked } = await exchanging({ ...BOOKED, ...shown });
  await read();
  expect(await booked()).toEqual([]);
});

it('the fee that an order without money shows was not taken: nothing of it is stored', async () => {
  const store = await newStore();
  const { record } = await store.claimPayout(payoutClaim('doc', { runId: CALLER.runId }));
  const { reference, term } = record;
  const attempt = { reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt: 1, request: SENT_PAYMENT };
  await store.recordAttempt(attempt);
  await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: 'o-1' });
  const shown = { order_id: 'o-1', client_order_id: reference, status: 'FAILED', type: 'PAYMENT' };
  const order = orderSchema.parse({ ...shown, transaction_amount: '10.50', fee: '1.50', fee_currency: 'USD' });
  const deps = { store, bank: { orders: { get: async () => order } }, now: () => 5 } as unknown as ActivityDeps;
  await readOrder(deps, CALLER, {
    ...{ claim: { storeId: store.id, reference, term }, orderKind: 'payment', orderId: 'o-1', closedMeans: 'unclear' },
    as: 'followed',
    confirms: { meaning: 'failed', resolved: { payment: { upTo: 1, as: 'unpaid' } } },
  });
  expect(await store.payout(reference)).toMatchObject({ state: 'failed', fee: null, feeCurrency: null });
});

it('an order that shows no reference is that of the payout for which its id was returned first', async () => {
  const store = await newStore();
  const order = orderSchema.parse({ order_id: 'order-1', status: 'COMPLETED' });
  const deps = { store, bank: { orders: { get: async () => order } }, now: () => 5 } as unknown as ActivityDeps;
  const claimed = [];
  for (const [index, id] of ['first', 'second'].entries()) {
    const { record } = await store.claimPayout(payoutClaim(id, { runId: CALLER.runId }));
    const { reference } = record;
    await store.recordAttempt({ reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt: index });
    await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: 'order-1' });
    await store.changePayout(reference, { state: 'processing', orderId: 'order-1', at: index });
    claimed.push(record);
  }
  const differences = claimed.map(async ({ reference, term }) => {
    const claim = { storeId: store.id, reference, term };
    const input = { as: 'other', claim, orderKind: 'payment', orderId: 'order-1', closedMeans: 'unclear' } as const;
    return (await readOrder(deps, CALLER, input)).differences;
  });
  expect(await Promise.all(differences)).toEqual([[], ['payout with this order_id']]);
});

it('one with a member that cannot be read is no end, and people are shown which, unless nothing depends on it', async () => {
  const paid = { status: 'COMPLETED', ...BOOKED };
  const { read } = await exchanging({ ...paid, buy_amount: {} as never });
  expect((await read()).differences).toEqual(['buy_amount (not readable)']);
  const { read: readOther } = await exchanging({ ...paid, rate: 'n/a', transaction_amount: '10,50' });
  expect(await readOther()).toMatchObject({ meaning: 'paid', differences: [], aboveCap: false });
});

it('an answer that is too large to be read is for people, who are shown that it is', async () => {
  const details = { outcome: 'ambiguous', retryable: false, operation: 'GET', tooLarge: true } as const;
  const { read } = await exchanging({ status: 'COMPLETED' }, () =>
    Promise.reject(new UnknownOutcomeError('GET', details)),
  );
  expect(await read()).toMatchObject({ meaning: 'unclear', status: expect.stringContaining('too large') });
});

it('an order whose id no call can name is for people, at once', async () => {
  const store = await newStore();
  const { record } = await store.claimPayout(payoutClaim('doc', { runId: CALLER.runId }));
  const { reference, term } = record;
  const get = async () => Promise.reject(envelopeError(2005, { operation: 'GET' }));
  const deps = { store, bank: { orders: { get } }, now: () => 5 } as unknown as ActivityDeps;
  const claim = { storeId: store.id, reference, term };
  const read = (orderId: string): Promise<{ meaning: string; status: string }> =>
    readOrder(deps, CALLER, { as: 'other', claim, orderKind: 'payment', orderId, placedIds, closedMeans: 'unclear' });
  const meaningOf = async (orderId: string): Promise<string> => (await read(orderId)).meaning;
  const placedIds = ['order-1', 'order/1', 'order 1', '..', 'approve'];
  expect(await Promise.all(placedIds.map(meaningOf))).toEqual(['open', ...Array(4).fill('unclear')]);
  expect((await read('order/1')).status).toMatch(/^not readable, because the bank is not asked/);
  // Named by a signal alone.
  expect(await meaningOf('../transactions')).toBe('open');
});

it('what people accepted of an adopted order is kept, with the value that they saw', async () => {
  const { read, accepted, reference } = await exchanging({ status: 'COMPLETED', ...BOOKED, buy_amount: '999.00' });
  await read();
  expect(await accepted()).toEqual([]);
  await read(['buy_amount']);
  expect(await accepted()).toEqual([{ reference, orderId: 'fx-1', field: 'buy_amount', shown: '999.00' }]);
});

describe('of two orders with one id, of which a read shows the other one', () => {
  const { reference } = payoutClaim('doc');
  const other = payoutClaim('other').reference;
  const payment = (shown: Partial<Order>): Order =>
    orderSchema.parse({
      ...{ order_id: 'shared', type: 'PAYMENT', direct: 'OUT', transaction_amount: '10.50', ...shown },
    });
  const others = payment({ client_order_id: other, status: 'COMPLETED' });

  async function readWith(listed: readonly Order[] | BankError) {
    const store = await newStore();
    const { record } = await store.claimPayout(payoutClaim('doc', { runId: CALLER.runId }));
    const attempt = { reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt: 1, request: SENT_PAYMENT };
    await store.recordAttempt(attempt);
    await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: 'shared' });
    const listAll = async () => {
      if (listed instanceof BankError) throw listed;
      return { orders: listed, stable: true, pagesRead: 1 };
    };
    const bank = { clock: UNMEASURED_CLOCK, orders: { get: async () => others, listAll } };
    const deps = { store, bank, settings: quickSettings, now: () => 5 } as unknown as ActivityDeps;
    const claim = { storeId: store.id, reference, term: record.term };
    return readOrder(deps, CALLER, {
      as: 'other',
      claim,
      orderKind: 'payment',
      orderId: 'shared',
      closedMeans: 'unclear',
    });
  }

  it.each([reference, reference.toUpperCase()])('the one listed under %s counts', async (shown) => {
    const own = payment({ client_order_id: shown, status: 'SUBMITTED' });
    expect(await readWith([others, own])).toMatchObject({ meaning: 'open', status: 'SUBMITTED', differences: [] });
  });

  it.each<[string, readonly Order[] | BankError]>([
    ['is not listed', [others]],
    ['is listed under another id', [payment({ order_id: 'x', client_order_id: reference, status: 'COMPLETED' })]],
    [
      'is listed without its amount',
      [payment({ client_order_id: reference, status: 'COMPLETED', transaction_amount: undefined })],
    ],
    ['came back', [payment({ client_order_id: reference, status: 'COMPLETED', type: 'REFUND' })]],
    [
      'is in a list that cannot be read',
      new BankError('', { outcome: 'ambiguous', retryable: true, operation: 'list' }),
    ],
  ])('and if ours %s, nothing is believed of the other one', async (_, listed) => {
    expect(await readWith(listed)).toMatchObject({ differences: ['client_order_id'] });
  });
});
