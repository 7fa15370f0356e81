import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { restartPayout } from '../../src/platform/temporal/workflow-executions.ts';
import { type PayoutHandle, until } from '../support/payout-routes.ts';
import { ordersUnder, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until as untilTrue } from '../support/until.ts';

/** What the end is called when a run has had its order rejected at the bank, and another one sees that it was. */
it.each<[string, (handle: PayoutHandle) => Promise<unknown>, string, string]>([
  [
    'rejection',
    (handle) => handle.signal('reject', { by: 'alice', remark: 'not ours' }),
    'rejected',
    'approval-rejected',
  ],
  ['cancel', (handle) => handle.cancel(), 'cancelled', 'cancelled-by-request'],
])('an own %s is still the reason in the run after', async (what, decide, state, code) => {
  // The first run has read the order once and not yet again when it is gone.
  await using product = await startProduct({ terms: { waits: { noMoneyRecheckMs: 5_000 } } });
  const handle = await product.start({ id: what, note: 'sandbox:audit' });
  const reference = referenceOf('u-1001', what);
  await until(handle, 'awaiting-bank-approval');
  await decide(handle);
  await untilTrue(async () => (await ordersUnder(product, reference))[0]?.status === 'REJECTED');
  await handle.terminate('test');
  const row = await product.store.payout(reference);
  if (row === undefined) throw new Error('the payout has no row');
  await restartPayout(product.client, row);
  const again: PayoutHandle = product.client.workflow.getHandle(handle.workflowId);
  expect(await again.result()).toMatchObject({ state, reason: { code } });
  expect(await product.store.payout(reference)).toMatchObject({ state, reason: { code } });
  await recordHistory(again, 'payout', `own-${what}-in-the-run-before`);
});

it('a rejection at the bank is not called ours because the bank has refused one of ours', async () => {
  await using product = await startProduct();
  const refused = { operation: 'orders.reject', kind: 'code', code: 2002, commit: false };
  await product.sandboxTest('POST', 'faults', refused);
  const handle = await product.start({ id: 'refused', note: 'sandbox:audit' });
  const { orderId } = await until(handle, 'awaiting-bank-approval');
  await handle.signal('reject', { by: 'alice', remark: 'not ours' });
  await untilTrue(async () => (await product.store.attempts(`reject/${orderId}`))[0]?.outcome === 'refused');
  await until(handle, 'awaiting-bank-approval');
  await product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'REJECTED' });
  expect(await handle.result()).toMatchObject({ state: 'rejected', reason: { code: 'bank-rejected' } });
});
