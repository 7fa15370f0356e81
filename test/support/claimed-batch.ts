import type { WorkflowHandle } from '@temporalio/client';
import type { BatchProgress } from '../../src/activities/batch.ts';
import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';
import { batchWorkflowId, payoutWorkflowId } from '../../src/domain/names.ts';
import type { BatchControl, PayoutState } from '../../src/domain/payout-state.ts';
import { startBatch } from '../../src/platform/temporal/workflow-executions.ts';
import type { ClaimRow, PayoutRecord, Store } from '../../src/store/store.ts';
import { DEFAULT_INSTRUCTION, type Product } from './product.ts';

/** The one batch of a test. */
export const BATCH = 'batch-1';

/** Rows 1 and on of the default payment with these fields over it, documents `row-1` and on. */
export function rowsOf(fields: readonly Partial<PayoutInstruction>[]): ClaimRow[] {
  return fields.map((given, index) => {
    const instruction = { ...DEFAULT_INSTRUCTION, id: `row-${index + 1}`, ...given };
    const reference = referenceOf(instruction.uid, instruction.id);
    const workflowId = payoutWorkflowId(reference);
    return { row: index + 1, reference, workflowId, instruction, payloadDigest: payloadDigest(instruction) };
  });
}

/** Claims such rows as a batch and starts its workflow. */
export async function runBatch(
  { store, client }: Product,
  fields: readonly Partial<PayoutInstruction>[],
  { control, ...more }: { canary?: number; control?: BatchControl } = {},
): Promise<WorkflowHandle<() => Promise<BatchProgress>>> {
  const rows = rowsOf(fields);
  await store.claimBatch({ batchId: BATCH, file: 'test.csv', sha256: 'x', by: 'maker', rows, at: Date.now(), ...more });
  if (control !== undefined) await store.controlBatch({ batchId: BATCH, control: control, by: 'alice', at: 1 });
  await startBatch(client, BATCH, 'test.csv');
  return client.workflow.getHandle(batchWorkflowId(BATCH));
}

/** The rows of the batch as they are stored. */
export async function storedRows(store: Store): Promise<PayoutRecord[]> {
  const found: PayoutRecord[] = [];
  for await (const row of store.rows(BATCH)) found.push(row);
  return found;
}

export const statesOf = async (store: Store): Promise<PayoutState[]> =>
  (await storedRows(store)).map(({ state }) => state);
