import { describe, expect, it } from 'vitest';
import { CLOSED_RUNS_MAX } from '../../src/domain/claim.ts';
import { FAILURES } from '../../src/domain/failures.ts';
import { referenceOf } from '../../src/domain/identity.ts';
import { MESSAGES, payoutWorkflowId, TASK_QUEUE, WORKFLOW_TYPES } from '../../src/domain/names.ts';
import { because } from '../../src/domain/reasons.ts';
import {
  executionsOver,
  restartPayout,
  startReconciliationPass,
} from '../../src/platform/temporal/workflow-executions.ts';
import type { PayoutRecord } from '../../src/store/store.ts';
import type { PayoutStateView } from '../../src/workflows/messages.ts';
import { BATCH, rowsOf, runBatch } from '../support/claimed-batch.ts';
import { DEFAULT_INSTRUCTION, ordersUnder, type Product, startProduct } from '../support/product.ts';
import { until } from '../support/until.ts';

const QUICK = { quietRowMs: 100, quietCheckMs: 100 };

const ROW_1 = referenceOf(DEFAULT_INSTRUCTION.uid, 'row-1');

const rowOf = async ({ store }: Product, reference: string): Promise<PayoutRecord> => {
  const row = await store.payout(reference);
  if (row === undefined) throw new Error('the payout has no row');
  return row;
};

/** Its order is known and open at the bank. */
async function untilPlaced(product: Product, reference: string): Promise<string> {
  await until(async () => {
    const row = await product.store.payout(reference);
    return row?.state === 'processing' && row.orderId !== null;
  });
  return (await rowOf(product, reference)).orderId ?? '';
}

/** The run that is open follows the order: each is closed where the one before it was. */
const untilFollowed = ({ client }: Product, reference: string): Promise<void> =>
  until(async () => {
    const view = await client.workflow.getHandle(payoutWorkflowId(reference)).query<{ state: string }>(MESSAGES.state);
    return view.state === 'processing';
  });

const terminate = ({ client }: Product, reference: string): Promise<unknown> =>
  client.workflow.getHandle(payoutWorkflowId(reference)).terminate('test');

const complete = (product: Product, orderId: string): Promise<unknown> =>
  product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'COMPLETED', stay: true });

const isOpen = ({ client }: Product, reference: string): Promise<boolean> =>
  executionsOver(client).isOpen(payoutWorkflowId(reference));

describe.concurrent('a payout whose workflow was closed without an end', () => {
  it('is started again by its batch, follows the order that was sent and completes', async () => {
    await using product = await startProduct({ settings: QUICK });
    const batch = await runBatch(product, [{ note: 'sandbox:stuck' }, {}]);
    const orderId = await untilPlaced(product, ROW_1);
    await terminate(product, ROW_1);
    await until(() => isOpen(product, ROW_1));
    await complete(product, orderId);
    expect((await batch.result()).counts).toMatchObject({ completed: 2, needsOperator: 0 });
    expect(await ordersUnder(product, ROW_1)).toHaveLength(1);
  });

  it('is handed to people when it is closed again and again in the same state, and started again by them', async () => {
    await using product = await startProduct({ settings: QUICK });
    const batch = await runBatch(product, [{ note: 'sandbox:stuck' }]);
    for (let closed = 0; closed < CLOSED_RUNS_MAX; closed += 1) {
      await until(() => isOpen(product, ROW_1));
      await untilFollowed(product, ROW_1);
      await terminate(product, ROW_1);
    }
    expect((await batch.result()).counts).toMatchObject({ needsOperator: 1, open: 0 });
    expect(await rowOf(product, ROW_1)).toMatchObject({ state: 'needs-operator', reason: { code: 'workflow-closed' } });
    expect(await isOpen(product, ROW_1)).toBe(false);

    await complete(product, (await rowOf(product, ROW_1)).orderId ?? '');
    await product.store.forgetClosedRuns(ROW_1);
    await restartPayout(product.client, await rowOf(product, ROW_1));
    await until(async () => (await rowOf(product, ROW_1)).state === 'completed');
    expect(await ordersUnder(product, ROW_1)).toHaveLength(1);
  });

  it('is started again by a pass of the reconciliation, without a batch, with an operator in a batch that has ended, or as a row of a batch', async () => {
    await using product = await startProduct({ settings: { ...QUICK, quietRowMs: 60_000 } });
    const alone = await product.start({ id: 'alone', note: 'sandbox:stuck' });
    const batch = await runBatch(product, [{ note: 'sandbox:stuck' }, { note: 'sandbox:stuck' }]);
    const references = ['alone', 'row-1', 'row-2'].map((id) => referenceOf('u-1001', id));
    const orders = await Promise.all(references.map((reference) => untilPlaced(product, reference)));
    await product.stopWorker();
    for (const reference of references) await terminate(product, reference);
    await product.client.workflow.getHandle(batch.workflowId).terminate('test');
    await product.store.changePayout(ROW_1, {
      state: 'needs-operator',
      reason: because('workflow-closed'),
      at: Date.now(),
    });
    await product.store.endBatch(BATCH, Date.now());
    for (const orderId of orders) await complete(product, orderId);

    await product.restartWorker();
    await (await startReconciliationPass(product.client, 'pass-1', undefined)).result();
    for (const reference of references) {
      await until(async () => (await rowOf(product, reference)).state === 'completed');
      expect(await ordersUnder(product, reference)).toHaveLength(1);
    }
    expect(alone.workflowId).toBe(payoutWorkflowId(references[0] ?? ''));
    await until(async () => (await product.store.batch(BATCH))?.endedAt !== null);
  });

  it('that failed because somebody else used its id is started by its batch all the same', async () => {
    await using product = await startProduct({ settings: QUICK });
    const [row] = rowsOf([{}]);
    if (row === undefined) throw new Error('no row');
    await product.store.claimBatch({
      batchId: BATCH,
      file: 'a.csv',
      sha256: 'x',
      by: null,
      rows: [row],
      at: Date.now(),
    });
    const raw = await product.client.workflow.start(WORKFLOW_TYPES.payout, {
      workflowId: row.workflowId,
      taskQueue: TASK_QUEUE,
      args: [{ ...row.instruction, amount: '99.00' }],
    });
    await expect(raw.result()).rejects.toMatchObject({ cause: { type: FAILURES.idReused } });
    expect(await rowOf(product, row.reference)).toMatchObject({ state: 'received', releasedAt: null });

    await executionsOver(product.client).startBatch(BATCH, 'a.csv');
    await until(async () => (await rowOf(product, row.reference)).state === 'completed');
    expect(await rowOf(product, row.reference)).toMatchObject({ amount: '12.50' });
    expect(await ordersUnder(product, row.reference)).toHaveLength(1);
    // Completed, and its end is stored: the id is used up.
    const { workflowId, reference } = row;
    const again = { workflowId, reference, input: {}, summary: 'again' };
    expect(await executionsOver(product.client).startPayout(again)).toBe('already-started');
  });

  it('although it had completed searches before it sends: the store may have forgotten what was sent', async () => {
    await using product = await startProduct({ settings: QUICK });
    // Any workflow that completes under the id of the row.
    const completed = await product.client.workflow.start(WORKFLOW_TYPES.reconciliation, {
      workflowId: payoutWorkflowId(ROW_1),
      taskQueue: TASK_QUEUE,
      args: [{ once: true }],
    });
    await completed.result();
    await runBatch(product, [{}]);
    await until(async () => (await rowOf(product, ROW_1)).state === 'completed');
    const payout = product.client.workflow.getHandle(payoutWorkflowId(ROW_1));
    const { evidence } = await payout.query<PayoutStateView, []>('state');
    expect(evidence.map(({ what }) => what)).toContain('negative proof: nothing was sent');
    expect(await ordersUnder(product, ROW_1)).toHaveLength(1);
  });
});
