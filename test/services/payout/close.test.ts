import { expect, it, onTestFinished } from 'vitest';
import { envelopeError } from '../../../src/api/errors.ts';
import { type Order, order as orderSchema } from '../../../src/api/schemas/orders.ts';
import { because, type ReasonCode } from '../../../src/domain/reasons.ts';
import { ownStem } from '../../../src/domain/reference-form.ts';
import { referenceOf } from '../../../src/identity.ts';
import type { ActivityDeps } from '../../../src/services/deps.ts';
import { closePayout, recordState } from '../../../src/services/payout/close.ts';
import { payoutClaim } from '../../store/samples.ts';
import { openEmptyStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };

it('a shortage whose sum is not known does not keep the sum of an earlier one, which was of another account', async () => {
  const store = await openEmptyStore();
  onTestFinished(() => store.close());
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

/** Ends a payout while a list has shown an order under its reference that the store did not send; returns the state stored. */
async function endedAgainst(status: string | undefined, code: ReasonCode): Promise<string | undefined> {
  const store = await openEmptyStore();
  onTestFinished(() => store.close());
  const { uid, documentId } = (await store.claimPayout(payoutClaim('sample'))).record;
  const reference = referenceOf(uid, documentId);
  const { record } = await store.claimPayout(
    payoutClaim(documentId, { reference, workflowId: `payout/${reference}`, runId: CALLER.runId }),
  );
  const shown = { uid, currency: 'USD', clientOrderId: reference, stem: ownStem(reference) ?? null, shown: null };
  await store.recordUnaskedOrders([{ ...shown, orderId: 'x', seenAt: 1 }]);
  const get = async (): Promise<Order> => {
    if (status === undefined) throw envelopeError(2005, { operation: 'GET' });
    return orderSchema.parse({ order_id: 'x', status, type: 'PAYMENT', direct: 'OUT', client_order_id: reference });
  };
  const deps = { store, now: () => 5, settings: quickSettings, bank: { orders: { get } } } as unknown as ActivityDeps;
  const claim = { storeId: store.id, reference: record.reference, term: record.term };
  const end = { claim, state: 'rejected' as const, reason: because(code), settled: {} };
  await closePayout(deps, CALLER, end).catch((error: unknown) => expect(error).toMatchObject({ name: 'Superseded' }));
  return (await store.payout(record.reference))?.state;
}

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
