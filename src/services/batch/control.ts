import type { BatchControl } from '../../domain/payout-state.ts';
import type { ActivityDeps } from '../deps.ts';

/** Returns the control in force: a cancel is final. */
export async function setBatchControl(
  { store, now }: ActivityDeps,
  { batchId, control, by }: { batchId: string; control: BatchControl; by: string },
): Promise<BatchControl> {
  return store.controlBatch({ batchId, control, by, at: now() });
}

/** Approves every row of a batch that waits for people; returns how many were asked. */
export async function approveRows(
  { store, executions }: ActivityDeps,
  { batchId, by, note }: { batchId: string; by: string; note?: string },
): Promise<number> {
  const rows = await store.rowsIn(batchId, ['awaiting-approval', 'awaiting-bank-approval']);
  let asked = 0;
  for (const row of rows) if (await executions.approve(row.workflowId, { by, note })) asked += 1;
  return asked;
}
