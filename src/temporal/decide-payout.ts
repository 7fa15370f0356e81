import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import type { MESSAGES } from '../domain/names.ts';

/**
 * Sends a decision or a cancel to a payout as an update. Returns the payout's outcome (for a cancel `cancelled`, `too-late` or
 * `pending`), or why the update was refused.
 */
export const updatePayout = (
  client: Client,
  workflowId: string,
  update: typeof MESSAGES.decide | typeof MESSAGES.cancel,
  payload: object,
): Promise<string | { refused: string }> =>
  client.workflow
    .getHandle(workflowId)
    .executeUpdate<{ outcome: string }, [object]>(update, { args: [payload] })
    .then(({ outcome }) => outcome)
    .catch(refusalOf);

/** Why an update was refused. Rethrows an error that is no refusal. */
export function refusalOf(error: unknown): { refused: string } {
  if (error instanceof WorkflowUpdateFailedError) return { refused: error.cause?.message ?? error.message };
  if (!isClosed(error)) throw error;
  return { refused: 'its workflow was closed: the payout has ended, or is being started again; see its status first' };
}

/** An update of a closed workflow is answered with gRPC status NOT_FOUND. */
const isClosed = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || (error instanceof Error && /already completed/.test(error.message));
