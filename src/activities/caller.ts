import { activityInfo } from '@temporalio/activity';
import type { Claim } from '../domain/claim.ts';
import type { PayoutState, Reason } from '../domain/payout-state.ts';
import { claimedRow } from '../services/sending/claimed-row.ts';
import type { Caller } from '../services/sending/send-once.ts';
import type { PayoutRecord } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';

/** Who has scheduled this activity, by Temporal's word. */
export function caller(): Caller & { workflowId: string } {
  const { workflowExecution, activityId } = activityInfo();
  return { activityId, runId: workflowExecution?.runId ?? '', workflowId: workflowExecution?.workflowId ?? '' };
}

/** The state that a run has recorded and is still in. */
export interface Recorded {
  state: PayoutState;
  reason: Reason | null;
}

/** The row of a claim that the calling run holds; throws what `claimedRow` throws. */
export function rowOf({ store }: Pick<ActivityDeps, 'store'>, claim: Claim): Promise<PayoutRecord> {
  return claimedRow(store, claim, caller().runId);
}

/** The same; what an older copy in the store's place has made of its state is put right, so that people see what awaits them. */
export async function rowAsRecorded(
  { store, now }: Pick<ActivityDeps, 'store' | 'now'>,
  claim: Claim,
  recorded: Recorded | undefined,
): Promise<PayoutRecord> {
  const row = await rowOf({ store }, claim);
  if (recorded === undefined || row.state === recorded.state) return row;
  const { state, reason } = recorded;
  await store.changePayout(row.reference, { state, reason, term: claim.term, at: now() });
  return { ...row, state, reason };
}
