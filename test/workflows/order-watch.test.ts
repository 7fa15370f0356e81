import { describe, expect, it } from 'vitest';
import { orderWatchWorkflowId, payoutReference, TASK_QUEUE } from '../../src/domain/names.ts';
import { assertBudget } from '../support/history-budget.ts';
import { startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;

describe.concurrent('the order watch', () => {
  it.each([undefined, {}])(
    'started by somebody with %j fails, and makes room for the one that payouts wake',
    async (given) => {
      await using product = await startProduct();
      const workflowId = orderWatchWorkflowId('u-1001', 'USD');
      const options = { workflowId, taskQueue: TASK_QUEUE, args: [given] };
      const squatter = await product.client.workflow.start('orderWatch', options);
      await expect(squatter.result()).rejects.toMatchObject({
        cause: { message: expect.stringContaining('uid'), type: 'InvalidInput' },
      });
      expect((await (await product.start({ id: 'watched' })).result()).state).toBe('completed');
      await product.client.workflow.getHandle(workflowId).result();
    },
  );

  it('serves many payouts with one poll, ends when nothing is open, and is woken by the next payout', async () => {
    await using product = await startProduct();
    const watch = product.client.workflow.getHandle(orderWatchWorkflowId('u-1001', 'USD'));
    const many = await Promise.all(Array.from({ length: 12 }, (_, n) => product.start({ id: `many-${n}` })));
    await Promise.all(many.map((handle) => handle.result()));
    await watch.result();
    const first = await watch.describe();
    // Signals come per wake, not per payout: a dozen payouts cost the watch no more events than one.
    await assertBudget(watch, 20);
    await recordHistory(watch, 'orderWatch', 'many-payouts');

    const later = await product.start({ id: 'later' });
    expect((await later.result()).state).toBe('completed');
    await watch.result();
    expect((await watch.describe()).runId).not.toBe(first.runId);
  });

  it('notifies a payout of an order the POST answer of which was lost', async () => {
    await using product = await startProduct({ terms: { waits: { lateCommitMs: 60_000 } } });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-after' });
    const handle = await product.start({ id: 'lost' });
    expect((await handle.result()).state).toBe('completed');
  });

  it('a payout without notifications reads its order itself', async () => {
    await using product = await startProduct({
      settings: { listPollMs: HOUR_MS, listPollMaxMs: HOUR_MS },
      terms: { waits: { patienceMs: 1_000 } },
      sandbox: { settle: { SUBMITTED: HOUR_MS } },
    });
    const handle = await product.start({ id: 'patient' });
    // The list was read before the order was sent, and the watch does not read it again for an hour.
    await until(async () => (await product.store.payout(payoutReference(handle.workflowId)))?.state === 'processing');
    await product.sandboxTest('POST', 'clock', { advance_ms: 2 * HOUR_MS });
    expect((await handle.result()).state).toBe('completed');
    const { events } = await handle.fetchHistory();
    expect(events?.some((event) => event.workflowExecutionSignaledEventAttributes != null)).toBe(false);
    await recordHistory(handle, 'payout', 'told-by-nobody');
  });
});
