import { expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { listReader } from '../../../src/activities/lists.ts';
import { closePayout, recordState } from '../../../src/activities/payout.ts';
import type { Bank } from '../../../src/bank/bank.ts';
import { envelopeError } from '../../../src/bank/errors.ts';
import { type Order, order as orderSchema } from '../../../src/bank/schemas/orders.ts';
import { referenceOf } from '../../../src/domain/identity.ts';
import { because, type ReasonCode } from '../../../src/domain/reasons.ts';
import { ownStem } from '../../../src/domain/reference-form.ts';
import { payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };

it('a shortage whose sum is not known does not keep the sum of an earlier one, which was of another account', async () => {
  const store = await newStore();
  const { record } = await store.claimPayout(payoutClaim('first', { runId: CALLER.runId, at: 1_000 }));
  const later = await store.claimPayout(payoutClaim('later', { at: 2_000 }));
  const { reference, term } = record;
  const deps = { store, now: () => 5 } as unknown as ActivityDeps;
  const short = (fundsNeeded?: string) =>
    recordState(deps, CALLER, {
      claim: { storeId: store.id, reference, term },
      state: 'awaiting-funds',
      reason: because('insufficient-funds'),
      fundsNeeded,
    });
  const ahead = () => store.fundsNeededAhead(later.record.reference);
  await short('110.00');
  expect(await ahead()).toEqual(['110.00']);
  // The exchange is booked since: what is short is the account that pays.
  await short();
  expect(await ahead()).toEqual([]);
});

/** Ends a payout while a list or a watch has shown an order under its reference that no attempt explains; returns the state stored. */
async function endedAgainst(
  status: string | undefined,
  code: ReasonCode,
  seenBy: 'list' | 'watch' = 'list',
): Promise<string | undefined> {
  const store = await newStore();
  const { uid, documentId } = (await store.claimPayout(payoutClaim('sample'))).record;
  const reference = referenceOf(uid, documentId);
  const { record } = await store.claimPayout(
    payoutClaim(documentId, { reference, workflowId: `payout/${reference}`, runId: CALLER.runId }),
  );
  const shown = { uid, currency: 'USD', clientOrderId: reference, stem: ownStem(reference) ?? null, shown: null };
  if (seenBy === 'list') await store.recordUnaskedOrders([{ ...shown, orderId: 'x', seenAt: 1 }]);
  else {
    const since = { since: 1, at: 1, listedSince: 1, watchAliveSince: 1 };
    await store.openOrder({ reference, workflowId: `payout/${reference}`, uid, currencies: ['USD'], ...since });
    await store.noteOrder(reference, { orderId: 'x' });
  }
  let reads = 0;
  const get = async (): Promise<Order> => {
    reads += 1;
    if (status === undefined) throw envelopeError(2005, { operation: 'GET' });
    return orderSchema.parse({ order_id: 'x', status, type: 'PAYMENT', direct: 'OUT', client_order_id: reference });
  };
  const deps = { store, now: () => 5, settings: quickSettings, bank: { orders: { get } } } as unknown as ActivityDeps;
  const claim = { storeId: store.id, reference: record.reference, term: record.term };
  const end = { claim, state: 'rejected' as const, reason: because(code), resolved: {} };
  await closePayout(deps, CALLER, end).catch((error: unknown) => expect(error).toMatchObject({ name: 'Superseded' }));
  expect(reads).toBe(code === 'closed-by-operator' ? 0 : 1);
  return (await store.payout(record.reference))?.state;
}

it.each([
  ['WAIT_FOR_AUDIT', 'preparing'],
  ['COMPLETED', 'preparing'],
  ['FAILED', 'rejected'],
])('an order that only a watch has seen, as %s, counts the same', async (status, end) => {
  expect(await endedAgainst(status, 'approval-rejected', 'watch')).toBe(end);
});

it.each([['SUBMITTED'], ['COMPLETED'], [undefined]])(
  'a payout has no end without money while the bank has an order of it as %s',
  async (status) => {
    expect(await endedAgainst(status, 'approval-rejected')).toBe('preparing');
  },
);

it('it has one if that order took no money, or if people say so', async () => {
  expect(await endedAgainst('FAILED', 'approval-rejected')).toBe('rejected');
  expect(await endedAgainst('COMPLETED', 'closed-by-operator')).toBe('rejected');
});

it.each([
  ['a restore', 'lists show nothing', { orders: [], stable: true }, 'rejected'],
  ['a restore', 'lists prove nothing', { orders: [], stable: false }, 'preparing'],
  ['a restart', 'lists show nothing', { orders: [], stable: true }, 'rejected'],
  ['a restart', 'lists prove nothing', { orders: [], stable: false }, 'preparing'],
  ['a restart before it was taken', 'lists show nothing', { orders: [], stable: true }, 'rejected'],
  ['a restart before it was taken', 'lists prove nothing', { orders: [], stable: false }, 'preparing'],
] as const)('after %s a payout ends without money only once lists were read: %s', async (since, _, list, end) => {
  const store = await newStore();
  const at = since === 'a restart before it was taken' ? 15_000 : 1_000;
  const { record } = await store.claimPayout(payoutClaim('old', { runId: CALLER.runId, at }));
  if (since === 'a restore') await store.recordRestore({ at: 10_000, from: 0, by: 'olga', detail: {} });
  else await store.recordResumption({ at: 10_000, from: 0, why: 'restart', detail: {} });
  let reads = 0;
  const listStable = async () => {
    reads += 1;
    return { ...list, pagesRead: 1 };
  };
  const bank = { clock: UNMEASURED_CLOCK, orders: { listStable } } as unknown as Bank;
  const calls = { bank, store, settings: quickSettings, now: () => 20_000 };
  const deps = { ...calls, readList: listReader(calls) } as unknown as ActivityDeps;
  const claim = { storeId: store.id, reference: record.reference, term: record.term };
  const closed = closePayout(deps, CALLER, {
    claim,
    state: 'rejected',
    reason: because('approval-rejected'),
    resolved: {},
  });
  await (end === 'rejected' ? closed : expect(closed).rejects.toThrow('the list changed while it was read'));
  expect(reads).toBe(1);
  expect((await store.payout(record.reference))?.state).toBe(end);
});
