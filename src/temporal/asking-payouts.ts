import type { Client } from '@temporalio/client';
import { WORKFLOW_TYPES } from '../domain/names.ts';
import type { PayoutState } from '../domain/payout-state.ts';

/** States in which an open payout waits for people alone, whatever its reason. */
export const ASKING: readonly PayoutState[] = ['held', 'awaiting-approval', 'awaiting-bank-approval'];

/**
 * How many payouts of a batch ask people now, by the workflows that are open. The store may show more: after a loss of Temporal, say, it
 * shows what was asked before, and nobody hears an answer until the payout is started again.
 */
export async function countAsking(client: Client, batchId: string): Promise<number> {
  const states = ASKING.map((state) => `'${state}'`).join(', ');
  const { count } = await client.workflow.count(
    `WorkflowType = '${WORKFLOW_TYPES.payout}' AND PayoutBatchId = '${batchId}' AND ExecutionStatus = 'Running' AND PayoutState IN (${states})`,
  );
  return count;
}
