import type { SignedDecision } from '../../domain/authority.ts';
import type { BatchControl } from '../../domain/payout-state.ts';
import { someAtOnce } from '../../domain/some-at-once.ts';
import type { ActivityDeps } from '../deps.ts';

/**
 * Returns the control in force; a cancel is final. Anyone with access to the namespace can send this, under any name: under a
 * policy it can therefore only tighten the control. Resuming goes through `updateBatch`, which knows the caller.
 */
export async function setBatchControl(
  { store, now, settings }: ActivityDeps,
  { batchId, control, by }: { batchId: string; control: BatchControl; by: string },
): Promise<BatchControl> {
  return store.controlBatch({ batchId, control, by, at: now(), onlyTightens: settings.policy !== undefined });
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

/**
 * Signals the decision to every row of a signed plan that asks its question; each row verifies what was signed. Returns how many.
 */
export async function signalPlan(
  { store, executions }: Pick<ActivityDeps, 'store' | 'executions'>,
  plan: Pick<SignedDecision, 'question' | 'decision' | 'digest' | 'subject' | 'remark'>,
): Promise<number> {
  const { decision, subject: by, remark } = plan;
  const waiting = await store.awaitingUnder(plan);
  const tell = (workflowId: string): Promise<boolean> =>
    decision === 'approve' ? executions.approve(workflowId, { by }) : executions.reject(workflowId, { by, remark });
  await someAtOnce(waiting, AT_ONCE, tell);
  return waiting.length;
}

const AT_ONCE = 16;
