import { beforeEach, describe, expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { noteOrders } from '../../../src/activities/note-orders.ts';
import { envelopeError } from '../../../src/bank/errors.ts';
import { orderStage } from '../../../src/bank/schemas/order-status.ts';
import type { Order } from '../../../src/bank/schemas/orders.ts';
import { referenceOf } from '../../../src/domain/identity.ts';
import { because, type ReasonCode } from '../../../src/domain/reasons.ts';
import { spellingsOf } from '../../../src/domain/reference-form.ts';
import { provenUnpaid } from '../../../src/store/proven-unpaid.ts';
import type { Store } from '../../../src/store/store.ts';
import { payoutClaim, SENT_PAYMENT } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';

const LIST = { uid: 'user-1', currency: 'USD', since: 0 };
const { reference } = payoutClaim('doc');
let store: Store;
let shownById: Order[];
let readById: string[];

beforeEach(async () => {
  store = await newStore();
  shownById = [];
  readById = [];
  await store.claimPayout(payoutClaim('doc'));
  await store.changePayout(reference, { state: 'completed', orderId: 'own', at: 3_000 });
});

const order = (order_id: string, status: string, more: Partial<Order> = {}): Order =>
  ({
    order_id,
    client_order_id: reference,
    transaction_uid: 'user-1',
    type: 'PAYMENT',
    direct: 'OUT',
    status,
    stage: orderStage(status),
    transaction_amount: '10.50',
    ...more,
  }) as Order;

/** Only what is asked of it: a GET by id. */
const bank = {
  orders: {
    async get(orderId: string): Promise<Order> {
      readById.push(orderId);
      const shown = shownById.find(({ order_id }) => order_id === orderId);
      if (shown === undefined) throw envelopeError(2005, { operation: 'GET order' });
      return shown;
    },
  },
};

/** Each incident as `kind order field shown`, in order. */
const reported = async (of = reference): Promise<string[]> =>
  (await store.incidentsOf([of]))
    .map(({ kind, orderId, differs }) => `${kind} ${orderId} ${differs?.field ?? ''} ${differs?.shown ?? ''}`)
    .sort();

const note = (orders: Order[]) => {
  const deps = { bank, store, settings: quickSettings, now: () => 9_000 } as unknown as ActivityDeps;
  return noteOrders(deps, LIST, orders);
};

describe('an order that contradicts an end', () => {
  it('is no incident while only the list says so: it may lag behind', async () => {
    shownById = [order('own', 'COMPLETED')];
    expect(await note([order('own', 'SUBMITTED')])).toMatchObject({ incidents: 0 });
    expect(readById).toEqual(['own']);
    expect(await store.incidentsOf([reference])).toEqual([]);
  });

  it('is an incident when a read by id says the same', async () => {
    shownById = [order('own', 'FAILED')];
    expect(await note([order('own', 'SUBMITTED')])).toMatchObject({ incidents: 1, recorded: 1 });
    const [incident] = await store.incidentsOf([reference]);
    expect(incident).toMatchObject({ kind: 'end-contradicted', orderId: 'own', seenAt: 9_000, acknowledged: null });
    expect(await note([order('own', 'SUBMITTED')])).toMatchObject({ incidents: 1, recorded: 0 });
    await store.acknowledgeIncident(incident?.id ?? '', { by: 'alice', reason: 'booked by hand', at: 9_500 });
    expect(await note([order('own', 'SUBMITTED')])).toMatchObject({ incidents: 0, recorded: 0 });
  });

  it('is an incident when a read by id does not find it: that proves nothing', async () => {
    expect(await note([order('own', 'COMPLETED'), order('more', 'COMPLETED')])).toMatchObject({ incidents: 1 });
    expect(readById).toEqual(['more']);
  });

  it('costs no read when there is none', async () => {
    expect(await note([order('own', 'COMPLETED'), order('dead', 'FAILED')])).toMatchObject({ incidents: 0 });
    expect(readById).toEqual([]);
  });
});

describe('an order whose values change after its end', () => {
  it('is recorded once for each value, read by id', async () => {
    for (const amount of ['120.00', '120.00', '130.00', '10.50']) {
      shownById = [order('own', 'COMPLETED', { transaction_amount: amount })];
      await note(shownById);
    }
    expect(await reported()).toEqual([
      'order-changed own transaction_amount 120.00',
      'order-changed own transaction_amount 130.00',
    ]);
    expect(readById).toEqual(['own', 'own', 'own']);
  });

  it('is not recorded from a list alone', async () => {
    shownById = [order('own', 'COMPLETED')];
    expect(await note([order('own', 'COMPLETED', { transaction_amount: '120.00' })])).toMatchObject({ incidents: 0 });
  });

  it('is recorded as it changes its status, and its values, in turn', async () => {
    for (const [status, amount] of [
      ['FAILED', '10.50'],
      ['COMPLETED', '9.00'],
      ['SUBMITTED', '9.00'],
    ] as const) {
      shownById = [order('own', status, { transaction_amount: amount })];
      await note(shownById);
    }
    expect(await reported()).toEqual([
      'end-contradicted own status FAILED',
      'end-contradicted own status SUBMITTED',
      'order-changed own transaction_amount 9.00',
    ]);
  });

  it('is not recorded for what people accepted when they adopted it', async () => {
    await store.acceptDifferences([{ reference, orderId: 'own', field: 'transaction_amount', shown: '120.00' }]);
    shownById = [order('own', 'COMPLETED', { transaction_amount: '120.00' })];
    expect(await note(shownById)).toMatchObject({ incidents: 0 });
    shownById = [order('own', 'COMPLETED', { transaction_amount: '121.00' })];
    expect(await note(shownById)).toMatchObject({ incidents: 1 });
  });

  it('is not taken for another order that has its id', async () => {
    const theirs = order('own', 'FAILED', { client_order_id: payoutClaim('another').reference });
    shownById = [theirs];
    expect(await note([order('own', 'SUBMITTED')])).toMatchObject({ incidents: 1 });
    expect(await reported()).toEqual(['end-contradicted own status SUBMITTED']);
  });

  it('is compared with the payment that was sent', async () => {
    const request = { ...SENT_PAYMENT, accountId: 'acc-9', beneficiaryId: 'b' };
    await store.recordAttempt({ reference, attempt: 1, runId: 'r', activityId: 'a', sentAt: 1, request });
    shownById = [order('own', 'COMPLETED', { transaction_account: 'acc-1' })];
    await note(shownById);
    expect(await reported()).toEqual(['order-changed own transaction_account ***cc-1']);
  });
});

describe('the exchange of a payout', () => {
  const derived = referenceOf('user-1', 'unpaid', 'exchange', 0);
  const { reference: unpaid } = payoutClaim('unpaid');
  const request = {
    ...{ sellAccountId: 'acc-1', buyAccountId: 'acc-usd', amount: '10.50', currency: 'USD', expiredAt: 9 },
    ...{ sellCurrency: 'EUR', quotedSellAmount: '9.80' },
  };
  const fx = (id: string, status: string, more: Partial<Order> = {}): Order =>
    order(id, status, {
      ...{ type: 'FX', client_order_id: derived, transaction_amount: undefined, buy_amount: '10.50' },
      ...{ sell_amount: '9.80', sell_currency: 'EUR', sell_account: 'acc-1', ...more },
    });

  beforeEach(async () => {
    await store.claimPayout(payoutClaim('unpaid'));
    await store.recordAttempt({ reference: derived, attempt: 1, runId: 'r', activityId: 'a', sentAt: 1, request });
    await store.finishAttempt(derived, 1, { outcome: 'accepted', orderId: 'fx' });
  });

  const failed = async (resolved: 'unpaid' | 'paid', reason: ReasonCode) => {
    await store.resolveAttempts(derived, { upTo: 1, as: resolved });
    await store.changePayout(unpaid, { state: 'failed', reason: because(reason), at: 3_000 });
  };
  const isProvenUnpaid = async (): Promise<boolean> =>
    (await provenUnpaid(store, await store.payoutsOf([unpaid]))).has(unpaid);

  it.each(['exchange-failed', 'refused-by-bank'] as const)(
    'that failed and is now booked is an incident of its payout, which failed with %s and is not paid again',
    async (reason) => {
      await failed('unpaid', reason);
      expect(await isProvenUnpaid()).toBe(true);
      shownById = [fx('fx', 'COMPLETED')];
      await note(shownById);
      expect(await reported(unpaid)).toEqual(['end-contradicted fx status COMPLETED']);
      expect(await isProvenUnpaid()).toBe(false);
    },
  );

  it('that is shown twice is an incident of its payout', async () => {
    await failed('unpaid', 'exchange-failed');
    shownById = [fx('more', 'COMPLETED')];
    await note([fx('fx', 'FAILED'), ...shownById]);
    expect(await reported(unpaid)).toEqual(['order-after-end more  ']);
    expect(await isProvenUnpaid()).toBe(false);
  });

  it('that was booked is compared while its payout is open, and after its end', async () => {
    await store.resolveAttempts(derived, { upTo: 1, as: 'paid' });
    const booked = {
      soldAmount: '9.80',
      soldCurrency: 'EUR',
      boughtAmount: '10.50',
      boughtCurrency: 'USD',
      rate: null,
    };
    await store.recordBookedExchange({
      reference: unpaid,
      orderId: 'fx',
      ...booked,
      fee: null,
      feeCurrency: null,
      seenAt: 2,
    });
    shownById = [fx('fx', 'COMPLETED', { sell_amount: '98.00' })];
    await note(shownById);
    await store.changePayout(unpaid, { state: 'failed', reason: because('refused-by-bank'), at: 3_000 });
    shownById = [fx('fx', 'COMPLETED', { buy_amount: '1.00' })];
    await note(shownById);
    expect(await reported(unpaid)).toEqual(['order-changed fx buy_amount 1.00', 'order-changed fx sell_amount 98.00']);
  });

  it('that is not booked is left to its payout while that is open', async () => {
    shownById = [fx('fx', 'SUBMITTED', { sell_amount: '98.00', buy_amount: '1.00' })];
    expect(await note(shownById)).toMatchObject({ incidents: 0 });
    expect(readById).toEqual([]);
  });
});

describe('an exchange whose attempts an older copy of the store has forgotten', () => {
  const fx = (status: string, more: Partial<Order> = {}): Order =>
    order('fx', status, {
      type: 'FX',
      client_order_id: referenceOf('user-1', 'doc', 'exchange', 0),
      sell_amount: '9.80',
      sell_currency: 'EUR',
      ...more,
    });

  const restore = () => store.recordRestore({ at: 1, from: 0, by: 'olga', detail: {} });

  it('is kept for the report of its payout, and is no order of nobody', async () => {
    await restore();
    shownById = [fx('COMPLETED')];
    expect(await note([fx('COMPLETED')])).toMatchObject({ unaskedOrders: 0, incidents: 0 });
    expect(await store.bookedExchangesOf([reference])).toMatchObject([{ orderId: 'fx', soldAmount: '9.80' }]);
    expect(await note([fx('COMPLETED')])).toMatchObject({ unaskedOrders: 0, incidents: 0 });
    expect(readById).toEqual(['fx']);
  });

  it('is an incident if it took no money', async () => {
    await restore();
    shownById = [fx('FAILED')];
    expect(await note([fx('COMPLETED')])).toMatchObject({ unaskedOrders: 0, incidents: 0 });
    expect(await store.bookedExchangesOf([reference])).toEqual([]);
    expect(await note([fx('FAILED')])).toMatchObject({ incidents: 1 });
  });

  it('is an order that nobody here has sent where no copy was put in the place of the store', async () => {
    shownById = [fx('COMPLETED')];
    expect(await note([fx('COMPLETED')])).toMatchObject({ unaskedOrders: 1 });
    expect(await store.bookedExchangesOf([reference])).toEqual([]);
  });
});

describe('money that came back', () => {
  it('is recorded in the currency of the list where the order names none', async () => {
    expect(await note([order('back', 'COMPLETED', { type: 'REFUND', direct: 'IN' })])).toMatchObject({ returns: 1 });
    expect(await store.returnsOf([reference])).toMatchObject([{ orderId: 'back', amount: '10.50', currency: 'USD' }]);
  });

  it('without an amount is left to people', async () => {
    const refund = order('back', 'COMPLETED', { type: 'REFUND', transaction_amount: undefined });
    expect(await note([refund])).toMatchObject({ returns: 0, unaskedOrders: 1, recorded: 1 });
    expect(await store.returnsOf([reference])).toEqual([]);
  });

  it('of somebody else is no business of ours', async () => {
    const deposit = order('in', 'COMPLETED', { direct: 'IN', client_order_id: 'theirs' });
    const transferred = { ...deposit, order_id: 'in-3', type: 'TRANSFER' };
    expect(
      await note([deposit, { ...deposit, order_id: 'in-2', client_order_id: undefined }, transferred]),
    ).toMatchObject({
      returns: 0,
      unaskedOrders: 0,
    });
  });
});

describe('an order under no reference of ours', () => {
  it('is noted once', async () => {
    const orders = [
      order('a', 'COMPLETED', { client_order_id: 'theirs' }),
      order('b', 'ACCEPTED', { client_order_id: undefined }),
    ];
    expect(await note(orders)).toMatchObject({ unaskedOrders: 2, recorded: 2 });
    expect(await note(orders)).toMatchObject({ unaskedOrders: 2, recorded: 0 });
  });

  it('is not one whose attempt is recorded', async () => {
    await store.recordAttempt({ reference: 'derived', attempt: 1, runId: 'r', activityId: 'a', sentAt: 1 });
    expect(await note([order('x', 'COMPLETED', { type: 'FX', client_order_id: 'derived' })])).toMatchObject({
      unaskedOrders: 0,
      incidents: 0,
    });
  });
});

describe('a bank that shows references in another form', () => {
  const upper = reference.toUpperCase();
  const cut = reference.slice(0, 20);

  it.each([upper, cut, undefined])('(%s) shows the order of a payout, which is no order of nobody', async (shown) => {
    const own = order('own', 'COMPLETED', { client_order_id: shown });
    expect(await note([own])).toMatchObject({ unaskedOrders: 0, incidents: 0 });
    shownById = [order('own', 'FAILED', { client_order_id: shown })];
    expect(await note(shownById)).toMatchObject({ incidents: 1 });
  });

  it.each([upper, cut])('(%s) shows what came back, and a second order', async (shown) => {
    const back = order('back', 'COMPLETED', { client_order_id: shown, type: 'REFUND', direct: 'IN' });
    const second = order('more', 'COMPLETED', { client_order_id: shown });
    expect(await note([back, second])).toMatchObject({ returns: 1, incidents: 1, unaskedOrders: 0 });
    expect(await reported()).toEqual(['returned back  ', 'second-order more  ']);
  });

  it('shows a second order in a form like no other, once that is known as its spelling', async () => {
    const short = reference.replaceAll('-', '').slice(0, 18);
    const second = order('more', 'COMPLETED', { client_order_id: short });
    expect(await note([second])).toMatchObject({ incidents: 0, unaskedOrders: 1 });
    await store.narrowReferenceSpellings(spellingsOf(reference, short));
    expect(await note([second])).toMatchObject({ incidents: 1, unaskedOrders: 0 });
    expect(await reported()).toEqual(['second-order more  ']);
  });

  it('shows the exchange of a payout', async () => {
    const exchange = referenceOf('user-1', 'doc', 'exchange', 0);
    await store.recordAttempt({ reference: exchange, attempt: 1, runId: 'r', activityId: 'a', sentAt: 1 });
    const booked = order('fx', 'COMPLETED', { type: 'FX', client_order_id: exchange.toUpperCase() });
    expect(await note([booked])).toMatchObject({ unaskedOrders: 0, incidents: 0 });
  });

  it('shows the order of somebody else, in upper case too', async () => {
    const theirs = order('theirs', 'COMPLETED', { client_order_id: '0F8B6C1E-3D52-5C0B-9A77-2F6E0C1D5B94' });
    expect(await note([theirs])).toMatchObject({ unaskedOrders: 1, incidents: 0 });
  });

  it('shows an order of ours under a reference that is not ours', async () => {
    shownById = [order('own', 'COMPLETED', { client_order_id: '0F8B6C1E-3D52-5C0B-9A77-2F6E0C1D5B94' })];
    expect(await note(shownById)).toMatchObject({ unaskedOrders: 0, incidents: 1 });
    expect(await reported()).toEqual(['order-changed own client_order_id 0F8B6C1E-3D52-5C0B-9A77-2F6E0C1D5B94']);
  });
});
