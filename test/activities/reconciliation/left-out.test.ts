import { expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { reconcileOrders } from '../../../src/activities/reconcile.ts';
import { envelopeError } from '../../../src/bank/errors.ts';
import { type Order, order } from '../../../src/bank/schemas/orders.ts';
import { batchClaim, payoutClaim, SENT_PAYMENT } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

const KEY = { uid: 'user-1', currency: 'USD', since: 0 };
const SENT_AT = 1_000_000;
/** A completed payout at a bank whose list does not show its order; reads by its id show it with these members. */
async function completedAndNow(shown: Record<string, unknown> | undefined, listed: readonly Order[] = []) {
  const store = await newStore();
  await store.claimBatch(batchClaim('batch-1', ['doc']));
  const { reference } = payoutClaim('doc');
  const attempt = { attempt: 1, runId: 'run-1', activityId: '1', sentAt: SENT_AT, request: SENT_PAYMENT };
  await store.recordAttempt({ reference, ...attempt });
  await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: 'order-1' });
  await store.changePayout(reference, { state: 'completed', orderId: 'order-1', at: SENT_AT });
  const record = {
    order_id: 'order-1',
    client_order_id: reference,
    type: 'PAYMENT',
    direct: 'OUT',
    status: 'COMPLETED',
  };
  const reads: string[] = [];
  const get = async (id: string) => {
    reads.push(id);
    if (shown === undefined) throw envelopeError(2005, { operation: 'GET order' });
    return order.parse({ ...record, ...shown });
  };
  const listAll = async () => ({ orders: listed, stable: true, pagesRead: 1 });
  const bank = { clock: UNMEASURED_CLOCK, orders: { get, listAll } };
  const deps = { store, settings: quickSettings, bank, now: () => 2 * SENT_AT } as unknown as ActivityDeps;
  await reconcileOrders(deps, { signal: new AbortController().signal }, KEY);
  return { incidents: await store.incidentsOf([reference]), reads };
}

it('a payment that has left its list is compared as reads by its id show it', async () => {
  const { incidents } = await completedAndNow({ transaction_currency: 'EUR' });
  expect(incidents).toMatchObject([
    { kind: 'order-changed', differs: { field: 'transaction_currency', shown: 'EUR' } },
  ]);
  expect((await completedAndNow({ status: 'FAILED' })).incidents).toMatchObject([{ kind: 'end-contradicted' }]);
});

it('one that no read shows either proves nothing', async () => {
  expect((await completedAndNow(undefined)).incidents).toEqual([]);
});

it.each([
  { order_id: 'order-1', status: 'COMPLETED' },
  { order_id: 'order-2', status: 'FAILED', client_order_id: payoutClaim('doc').reference },
])('one that its list shows as %j costs no read', async (shown) => {
  const listed = order.parse({ ...shown, type: 'PAYMENT' });
  expect((await completedAndNow({}, [listed])).reads).toEqual([]);
});
