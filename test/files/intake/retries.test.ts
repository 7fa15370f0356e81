import { expect, it } from 'vitest';
import { referenceOf } from '../../../src/domain/identity.ts';
import type { PayoutState } from '../../../src/domain/payout-state.ts';
import { dropKnown } from '../../../src/files/intake/known-rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { newStore } from '../../support/empty-store.ts';
import { claimRowsOf } from './rows.ts';
import { checkedOf } from './staged.ts';

const UID = 'u-1001';
const FIRST = referenceOf(UID, 'a');

async function storeWith(state: PayoutState): Promise<Store> {
  const store = await newStore();
  const rows = claimRowsOf({ id: 'a' });
  await store.claimBatch({ batchId: 'batch-1', file: 'first.csv', sha256: 'sha', by: null, rows, at: 1_000 });
  await store.changePayout(FIRST, { state, at: 2_000 });
  return store;
}

const again = (retryOf = FIRST) =>
  checkedOf('failed.csv', claimRowsOf({ id: 'a', amount: '11.00', retry_of: retryOf }));

it.each(['failed', 'rejected', 'cancelled'] as const)(
  'a payout that ended as %s is paid again as its next generation',
  async (state) => {
    const store = await storeWith(state);
    const checked = again();
    expect((await dropKnown(store, checked)).misused.list()).toEqual([]);
    const [claim] = [...checked.staged.claims()];
    expect(claim).toMatchObject({ generation: 1, reference: referenceOf(UID, 'a', 'payment', 1) });
    expect(claim?.instruction.retry_of).toBeUndefined();
  },
);

it.each(['completed', 'needs-operator', 'processing', 'resolving', 'held'] as const)(
  'a payout in %s is never paid again',
  async (state) => {
    const store = await storeWith(state);
    const checked = again();
    const { misused } = await dropKnown(store, checked);
    expect(misused.list()).toMatchObject([{ rule: 'retry-not-proven', message: expect.stringContaining(state) }]);
    expect(checked.staged.claimCount).toBe(0);
  },
);

it('nor is one against whose end the bank shows an order', async () => {
  const store = await storeWith('failed');
  await store.recordIncident({ reference: FIRST, orderId: 'o-1', kind: 'order-after-end', seenAt: 3_000 });
  expect((await dropKnown(store, again())).misused.list()).toMatchObject([{ rule: 'retry-not-proven' }]);
});

it('a reference of another document, or of none, is refused', async () => {
  const store = await storeWith('failed');
  for (const reference of [referenceOf(UID, 'b'), referenceOf('u-1002', 'a')]) {
    expect((await dropKnown(store, again(reference))).misused.list()).toMatchObject([{ rule: 'retry-unknown' }]);
  }
});

it('the same retry handed in twice is taken once', async () => {
  const store = await storeWith('failed');
  const first = again();
  await dropKnown(store, first);
  const rows = [...first.staged.claims()];
  expect(
    await store.claimBatch({ batchId: 'batch-2', file: 'failed.csv', sha256: 'sha-2', by: null, rows, at: 3_000 }),
  ).toEqual({ claimed: true });
  const second = again();
  const { taken, batchIds } = await dropKnown(store, second);
  expect([taken.total, [...batchIds], second.staged.claimCount]).toEqual([1, ['batch-2'], 0]);
});

const EXCHANGE = referenceOf(UID, 'a', 'exchange');

/** One exchange for the payout is recorded as sent, and nothing more. */
async function sentExchange(store: Store): Promise<void> {
  const request = {
    sellAccountId: 'acc-u1001-usd',
    buyAccountId: 'acc-u1001-eur',
    amount: '11.00',
    currency: 'EUR',
    sellCurrency: 'USD',
    quotedSellAmount: '12.00',
    expiredAt: 9_000,
  };
  const sent = { runId: 'run-1', activityId: '1', sentAt: 1_500, request };
  await store.recordAttempt({ reference: EXCHANGE, attempt: 1, ...sent });
}

/** The bank has shown the exchange as booked. */
async function booked(store: Store): Promise<void> {
  const nothing = { soldAmount: null, soldCurrency: null, boughtAmount: null, boughtCurrency: null, rate: null };
  await store.recordBookedExchange({
    ...{ reference: FIRST, orderId: 'fx-1', fee: null, feeCurrency: null, seenAt: 1_900 },
    ...nothing,
  });
}

const from = (account_id: string) => checkedOf('failed.csv', claimRowsOf({ id: 'a', account_id, retry_of: FIRST }));

it('one whose money was exchanged is paid again only from another account', async () => {
  const store = await storeWith('failed');
  await sentExchange(store);
  // A word of state is no proof: what was sent has no outcome yet.
  expect((await dropKnown(store, again())).misused.list()).toMatchObject([{ rule: 'retry-not-proven' }]);
  await store.finishAttempt(EXCHANGE, 1, { outcome: 'accepted', orderId: 'fx-1' });
  expect((await dropKnown(store, again())).misused.list()).toMatchObject([{ rule: 'retry-not-proven' }]);
  await booked(store);
  await store.resolveAttempts(EXCHANGE, { upTo: 1, as: 'paid' });
  expect((await dropKnown(store, again())).misused.list()).toMatchObject([{ rule: 'retry-exchanged' }]);
  expect((await dropKnown(store, from('acc-u1001-eur'))).misused.total).toBe(0);
});

it('so is one whose exchange was found at the bank after its answer was lost', async () => {
  const store = await storeWith('failed');
  await sentExchange(store);
  await store.finishAttempt(EXCHANGE, 1, { outcome: 'ambiguous' });
  await booked(store);
  await store.resolveAttempts(EXCHANGE, { upTo: 1, as: 'paid' });
  expect((await dropKnown(store, again())).misused.list()).toMatchObject([{ rule: 'retry-exchanged' }]);
});

it('so is one whose exchange was sent from another store, or is forgotten by this one', async () => {
  const store = await storeWith('preparing');
  const [row] = await store.payoutsOf([FIRST]);
  if (row === undefined) throw new Error('nothing was claimed');
  await booked(store);
  await store.recordAssessment(row, { payingAccountId: 'acc-u1001-eur', digest: 'd', approvalsNeeded: 0 }, 1_950);
  await store.changePayout(FIRST, { state: 'cancelled', at: 2_000 });
  expect((await dropKnown(store, again())).misused.list()).toMatchObject([{ rule: 'retry-exchanged' }]);
  expect((await dropKnown(store, from('acc-u1001-eur'))).misused.total).toBe(0);
});

it('one whose exchange was taken by the bank and moved nothing is paid again from any account', async () => {
  const store = await storeWith('failed');
  await sentExchange(store);
  await store.finishAttempt(EXCHANGE, 1, { outcome: 'accepted', orderId: 'fx-1' });
  await store.resolveAttempts(EXCHANGE, { upTo: 1, as: 'unpaid' });
  expect((await dropKnown(store, again())).misused.list()).toEqual([]);
});
