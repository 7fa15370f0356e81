import { WorkflowUpdateFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { BatchProgress } from '../../src/activities/batch.ts';
import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';
import { batchWorkflowId, payoutWorkflowId, TASK_QUEUE } from '../../src/domain/names.ts';
import { startBatch } from '../../src/platform/temporal/workflow-executions.ts';
import { DEFAULT_INSTRUCTION, type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until as untilTrue } from '../support/until.ts';

const BATCH = 'batch-1';

async function claim(product: Product, instructions: Partial<PayoutInstruction>[]): Promise<string[]> {
  const rows = instructions.map((given, index) => {
    const instruction = { ...DEFAULT_INSTRUCTION, id: `row-${index + 1}`, ...given };
    const reference = referenceOf(instruction.uid, instruction.id);
    return {
      row: index + 1,
      reference,
      workflowId: payoutWorkflowId(reference),
      instruction,
      payloadDigest: payloadDigest(instruction),
    };
  });
  await product.store.claimBatch({ batchId: BATCH, file: 'test.csv', sha256: 'x', by: 'maker', rows, at: Date.now() });
  return rows.map(({ reference }) => reference);
}

const plain = (count: number): Partial<PayoutInstruction>[] => Array.from({ length: count }, () => ({}));

describe.concurrent('a batch on a real Temporal server', () => {
  it.each([undefined, null, 'batch-1', {}])('started with %j fails with a clear reason', async (given) => {
    await using product = await startProduct();
    const workflowId = batchWorkflowId('nothing');
    const options = { workflowId, taskQueue: TASK_QUEUE, args: [given] };
    const handle = await product.client.workflow.start('payoutBatch', options);
    await expect(handle.result()).rejects.toMatchObject({
      cause: { message: expect.stringContaining('batchId'), type: 'InvalidInput' },
    });
  });

  it('that the store does not know fails with a clear reason', async () => {
    await using product = await startProduct();
    await startBatch(product.client, BATCH, 'test.csv');
    const handle = product.client.workflow.getHandle(batchWorkflowId(BATCH));
    await expect(handle.result()).rejects.toMatchObject({
      cause: { cause: { message: 'the store does not know this batch', type: 'InvalidInput' } },
    });
  });

  it('pays every row once, with one bad row and one in need of people, within its event budget', async () => {
    await using product = await startProduct({ settings: { window: 10 } });
    const references = await claim(product, [...plain(38), { note: 'sandbox:fail' }, { note: 'sandbox:close' }]);
    await startBatch(product.client, BATCH, 'test.csv');
    const handle = product.client.workflow.getHandle(batchWorkflowId(BATCH));
    const result = (await handle.result()) as BatchProgress;

    expect(result).toMatchObject({
      done: true,
      counts: { total: 40, completed: 38, failed: 1, needsOperator: 1, open: 0 },
    });
    const { orders } = (await product.sandboxTest('GET', 'state')) as { orders: { client_order_id: string }[] };
    expect(orders.map((order) => order.client_order_id).sort()).toEqual([...references].sort());
    const { events } = await handle.fetchHistory();
    // Ten reports of six events, and the frame around them: from 1,000 rows on that is at most 0.15 a row.
    expect(events?.length).toBeLessThanOrEqual(100);
    expect((await product.store.batch(BATCH))?.endedAt).not.toBeNull();
    const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain('| needs-operator | 1 |');
    await recordHistory(handle, 'payoutBatch', 'mixed-ends');
  });

  it('keeps at most the window in flight', async () => {
    await using product = await startProduct({ settings: { window: 3 } });
    await claim(product, plain(9));
    await startBatch(product.client, BATCH, 'test.csv');
    const handle = product.client.workflow.getHandle(batchWorkflowId(BATCH));
    let most = 0;
    let over = false;
    const finished = handle.result().then(() => {
      over = true;
    });
    while (!over) {
      most = Math.max(most, (await product.store.inFlight(BATCH)).unaccepted);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await finished;
    expect(most).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(0);
  });

  it('pauses, resumes and cancels what can still be stopped; a cancel is final', async () => {
    await using product = await startProduct({ settings: { window: 2 } });
    await claim(product, Array(4).fill({ note: 'sandbox:audit' }));
    await startBatch(product.client, BATCH, 'test.csv');
    const handle = product.client.workflow.getHandle(batchWorkflowId(BATCH));
    // Rows that wait for people leave their place in the window to the next.
    await untilTrue(async () => (await product.store.stateCounts(BATCH)).get('awaiting-bank-approval') === 4);
    const update = (name: string): Promise<{ control: string }> =>
      handle.executeUpdate(name, { args: [{ by: 'alice' }] });

    expect(await update('pause')).toEqual({ control: 'paused' });
    expect(await update('resume')).toEqual({ control: 'running' });
    await expect(handle.executeUpdate('pause', { args: [{}] })).rejects.toThrow(WorkflowUpdateFailedError);
    expect(await update('cancel')).toEqual({ control: 'cancelling' });
    expect(await update('resume')).toEqual({ control: 'cancelling' });

    const result = (await handle.result()) as BatchProgress;
    expect(result.counts).toMatchObject({ total: 4, cancelled: 4, open: 0 });
    await recordHistory(handle, 'payoutBatch', 'cancelled');
  });

  it('cancelled while paused ends its rows without sending any', async () => {
    await using product = await startProduct();
    const [first] = await claim(product, plain(3));
    await product.store.controlBatch({ batchId: BATCH, control: 'paused', by: 'alice', at: 1 });
    await startBatch(product.client, BATCH, 'test.csv');
    const handle = product.client.workflow.getHandle(batchWorkflowId(BATCH));
    await handle.executeUpdate('cancel', { args: [{ by: 'alice' }] });
    expect(((await handle.result()) as BatchProgress).counts).toMatchObject({ cancelled: 3 });
    expect(await product.store.payout(first ?? '')).toMatchObject({ reason: { code: 'batch-cancelled' } });
    expect(((await product.sandboxTest('GET', 'state')) as { orders: unknown[] }).orders).toEqual([]);
  });

  it('approves every waiting row at once', async () => {
    await using product = await startProduct();
    await claim(product, [{ note: 'sandbox:audit' }, { note: 'sandbox:audit' }]);
    await startBatch(product.client, BATCH, 'test.csv');
    const handle = product.client.workflow.getHandle(batchWorkflowId(BATCH));
    await untilTrue(async () => (await product.store.stateCounts(BATCH)).get('awaiting-bank-approval') === 2);
    expect(await handle.executeUpdate('approve', { args: [{ by: 'checker' }] })).toEqual({ asked: 2 });
    expect(((await handle.result()) as BatchProgress).counts).toMatchObject({ completed: 2 });
    await recordHistory(handle, 'payoutBatch', 'approved');
  });
});
