import { activityInfo } from '@temporalio/activity';
import type { Claim } from '../domain/claim.ts';
import type { StoredState } from '../domain/payout-state.ts';
import type { ActivityDeps } from '../services/deps.ts';
import { rowAsRecorded } from '../services/sending/claimed-row.ts';
import type { Caller } from '../services/sending/send-once.ts';
import type { PayoutRecord } from '../store/store.ts';

/** Who has scheduled this activity, by Temporal's word. */
export function caller(): Caller & { workflowId: string } {
  const { workflowExecution, activityId } = activityInfo();
  return { activityId, runId: workflowExecution?.runId ?? '', workflowId: workflowExecution?.workflowId ?? '' };
}

/** The row of a claim that the calling run holds; throws what `claimedRow` throws. */
export function rowOf({ store, now }: ActivityDeps, claim: Claim, recorded?: StoredState): Promise<PayoutRecord> {
  return rowAsRecorded({ store, now }, claim, caller().runId, recorded);
}
