import { activityInfo } from '@temporalio/activity';
import type { Claim } from '../domain/claim.ts';
import { claimedRow } from '../services/sending/claimed-row.ts';
import type { Caller } from '../services/sending/send-once.ts';
import type { PayoutRecord } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';

/** Who has scheduled this activity, by Temporal's word. */
export function caller(): Caller & { workflowId: string } {
  const { workflowExecution, activityId } = activityInfo();
  return { activityId, runId: workflowExecution?.runId ?? '', workflowId: workflowExecution?.workflowId ?? '' };
}

/** The row of a claim that the calling run holds; throws what `claimedRow` throws. */
export function rowOf({ store }: Pick<ActivityDeps, 'store'>, claim: Claim): Promise<PayoutRecord> {
  return claimedRow(store, claim, caller().runId);
}
