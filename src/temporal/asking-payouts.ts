import type { Client } from '@temporalio/client';
import { WORKFLOW_TYPES } from '../domain/names.ts';
import { AWAITING_DECISION_STATES } from '../domain/payout-state.ts';

/**
 * Number of payouts of a batch that ask people now, by open workflows. The store may show more: after a loss of Temporal, say, it
 * still shows earlier questions, whose answers nobody hears until the payout is started again.
 */
export async function countAsking(client: Client, batchId: string): Promise<number> {
  const states = AWAITING_DECISION_STATES.map((state) => `'${state}'`).join(', ');
  const { count } = await client.workflow.count(
    `WorkflowType = '${WORKFLOW_TYPES.payout}' AND PayoutBatchId = '${batchId}' AND ExecutionStatus = 'Running' AND PayoutState IN (${states})`,
  );
  return count;
}
