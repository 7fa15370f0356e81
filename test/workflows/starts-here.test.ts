import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { payoutWorkflowId } from '../../src/domain/names.ts';
import { executionsOver } from '../../src/platform/temporal/workflow-executions.ts';
import { DEFAULT_INSTRUCTION, type Product, startProduct } from '../support/product.ts';

/** Whether its first task came with the answer to its start, and not by the task queue. */
async function beganHere({ client }: Product, workflowId: string): Promise<boolean | null | undefined> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return events?.[0]?.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted;
}

it('a payout begins at the worker that releases it, and ends as any other', async () => {
  await using product = await startProduct();
  const payout = await product.start({ id: 'HERE-1' });
  expect(await payout.result()).toMatchObject({ state: 'completed' });
  expect(await beganHere(product, payout.workflowId)).toBe(true);
});

it('a payout that is due later begins at whichever worker there is then', async () => {
  await using product = await startProduct();
  const payout = await product.start({ id: 'LATER-1' }, { delayMs: 10 });
  expect(await payout.result()).toMatchObject({ state: 'completed' });
  expect(await beganHere(product, payout.workflowId)).toBe(false);
});

it('a payout that is released by a process without a worker begins at one that has', async () => {
  await using product = await startProduct();
  await product.stopWorker();
  const payout = await product.start({ id: 'QUEUED-1' });
  await product.restartWorker();
  expect(await payout.result()).toMatchObject({ state: 'completed' });
  expect(await beganHere(product, payout.workflowId)).toBe(false);
});

it('elsewhere than at a worker nothing asks for it', async () => {
  await using product = await startProduct();
  const elsewhere = executionsOver(product.client);
  const input = { ...DEFAULT_INSTRUCTION, id: 'ELSE-1' };
  const reference = referenceOf(input.uid, input.id);
  const workflowId = payoutWorkflowId(reference);
  await elsewhere.startPayout({ workflowId, kind: 'payout', reference, input, summary: 'a test payout' });
  expect(await beganHere(product, workflowId)).toBe(false);
});
