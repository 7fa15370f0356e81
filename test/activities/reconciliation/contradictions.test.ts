import { expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { contradictions } from '../../../src/activities/note-orders.ts';
import { envelopeError } from '../../../src/bank/errors.ts';
import { order } from '../../../src/bank/schemas/orders.ts';
import { payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';

/** What is found of a payout that ended as failed, at a bank that shows its order so by now. */
async function failedAndNow(status: string | undefined) {
  const store = await newStore();
  const { record } = await store.claimPayout(payoutClaim('doc'));
  const { reference } = record;
  await store.recordAttempt({ reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt: 1 });
  await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: 'order-1' });
  const get = async (id: string) => {
    if (status === undefined) throw envelopeError(2005, { operation: 'GET order' });
    return order.parse({ order_id: id, client_order_id: reference, type: 'PAYMENT', direct: 'OUT', status });
  };
  const deps = { store, settings: quickSettings, bank: { orders: { get } }, now: () => 5 } as unknown as ActivityDeps;
  const found = await contradictions(deps, { ...record, state: 'failed', orderId: 'order-1' });
  return { found, kept: await store.incidentsOf([reference]) };
}

it.each(['COMPLETED', 'SUBMITTED', 'NEVER_HEARD_OF'])(
  'an order said to have failed that is %s is an incident',
  async (status) => {
    const { found, kept } = await failedAndNow(status);
    expect(found).toMatchObject([{ kind: 'end-contradicted', orderId: 'order-1' }]);
    expect(kept).toMatchObject(found);
  },
);

it.each(['FAILED', 'REJECTED', undefined])('one that is %s is none', async (status) => {
  expect(await failedAndNow(status)).toEqual({ found: [], kept: [] });
});
