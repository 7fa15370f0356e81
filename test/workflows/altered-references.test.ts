import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { restartPayout } from '../../src/platform/temporal/workflow-executions.ts';
import type { Store } from '../../src/store/store.ts';
import { type PayoutHandle, until } from '../support/payout-routes.ts';
import { ordersUnder, type Product, startProduct } from '../support/product.ts';
import { until as untilTrue } from '../support/until.ts';

const HOUR_MS = 3_600_000;

/** No payout reads by itself in this test: what it receives comes from the watch. */
const bankThatShows = (
  references: 'upper-case' | 'cut',
  more: { dedupe?: 'none' } = {},
  store?: (store: Store) => Store,
): Promise<Product> =>
  startProduct({
    settings: { listWindowMs: HOUR_MS },
    terms: { waits: { patienceMs: HOUR_MS } },
    sandbox: { profile: { references, ...more } as never },
    store,
  });

describe.concurrent.each(['upper-case', 'cut'] as const)('at a bank that shows references %s', (form) => {
  it('payouts complete as soon as the watch has seen their orders, which it knows by their ids', async () => {
    await using product = await bankThatShows(form);
    const rows = [{ id: 'plain' }, { id: 'exchange', account_id: 'acc-u1001-eur' }];
    const handles = await Promise.all(rows.map((row) => product.start(row)));
    for (const handle of handles) expect(await handle.result()).toMatchObject({ state: 'completed', reason: null });
    const audited = await product.start({ id: 'audit', note: 'sandbox:audit' });
    await until(audited, 'awaiting-bank-approval');
    await audited.signal('approve', { by: 'alice' });
    expect(await audited.result()).toMatchObject({ state: 'completed' });
  });

  it('an order accepted by a run that was terminated is adopted', async () => {
    await using product = await bankThatShows(form);
    const handle = await product.start({ id: 'adopt', note: 'sandbox:audit' });
    const { orderId } = await until(handle, 'awaiting-bank-approval');
    await handle.terminate('test');
    const row = await product.store.payout(referenceOf('u-1001', 'adopt'));
    if (row === undefined) throw new Error('no row');
    await restartPayout(product.client, row);
    const again: PayoutHandle = product.client.workflow.getHandle(handle.workflowId);
    await until(again, 'awaiting-bank-approval');
    await again.signal('approve', { by: 'alice' });
    expect(await again.result()).toMatchObject({ state: 'completed', orderId });
    expect(await ordersUnder(product, row.reference)).toHaveLength(1);
  });

  it('an order that a run follows stays its own, though an older copy of the store has forgotten the answer', async () => {
    let isForgotten = false;
    await using product = await bankThatShows(form, {}, (store) => ({
      ...store,
      attempts: async (reference) =>
        (await store.attempts(reference)).map((attempt) =>
          isForgotten ? { ...attempt, outcome: null, orderId: null } : attempt,
        ),
    }));
    const handle = await product.start({ id: 'kept', note: 'sandbox:stuck' });
    const reference = referenceOf('u-1001', 'kept');
    await untilTrue(async () => (await product.store.payout(reference))?.state === 'processing');
    const [order] = await ordersUnder(product, reference);
    isForgotten = true;
    await product.sandboxTest('POST', `orders/${order?.order_id}/status`, { status: 'COMPLETED', stay: true });
    await handle.signal('orderChanged');
    expect(await handle.result()).toMatchObject({ state: 'completed', orderId: order?.order_id });
  });

  it('an order whose answer was lost is found once another one has shown how references are spelled', async () => {
    await using product = await bankThatShows(form, { dedupe: 'none' });
    expect(await (await product.start({ id: 'before' })).result()).toMatchObject({ state: 'completed' });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-after' });
    const handle = await product.start({ id: 'lost' });
    expect(await handle.result()).toMatchObject({ state: 'completed', reason: null });
    expect(await ordersUnder(product, referenceOf('u-1001', 'lost'))).toHaveLength(1);
  });

  it('without that, an order whose answer was lost is for people, and is never sent again', async () => {
    await using product = await bankThatShows(form, { dedupe: 'none' });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-after' });
    const handle = await product.start({ id: 'lost' });
    const reference = referenceOf('u-1001', 'lost');
    const reasonOf = async () => (await product.store.payout(reference))?.reason?.code;
    await untilTrue(async () => (await reasonOf()) === 'reference-conflict');
    // Past the window in which absence would be proven.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(await reasonOf()).toBe('reference-conflict');
    expect(await ordersUnder(product, reference)).toHaveLength(1);
    await handle.terminate('test');
  });

  it('a second order under the reference of a payout is seen', async () => {
    await using product = await bankThatShows(form, { dedupe: 'none' });
    const handle = await product.start({ id: 'twice', note: 'sandbox:audit' });
    await until(handle, 'awaiting-bank-approval');
    const reference = referenceOf('u-1001', 'twice');
    const { order_id: second } = (await product.bankCall('POST', '/v1/banking/transactions/payment', {
      uid: 'u-1001',
      account_id: 'acc-u1001-usd',
      beneficiary_id: 'ben-u1001-usd-local',
      amount: '12.50',
      currency: 'USD',
      reference,
    })) as { order_id: string };
    await untilTrue(async () => (await product.store.payout(reference))?.reason?.code === 'duplicate-suspected');
    expect(second).not.toBe((await product.store.payout(reference))?.orderId);
    await handle.terminate('test');
  });
});
