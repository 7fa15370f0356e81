import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import type { MESSAGES } from '../domain/names.ts';

/**
 * Tells a payout what somebody has decided, or asks it to cancel where that is still possible (`cancelled`, `too-late` or `pending`):
 * what it says to it, or why it counts for nothing.
 */
export const tellPayout = (
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

/** Why an update was not taken. Throws what is no refusal. */
export function refusalOf(error: unknown): { refused: string } {
  if (error instanceof WorkflowUpdateFailedError) return { refused: error.cause?.message ?? error.message };
  if (!isClosed(error)) throw error;
  return { refused: 'its workflow was closed and is being started again; try again in a moment' };
}

/** gRPC status NOT_FOUND is what an update of a closed workflow is answered with. */
const isClosed = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || (error instanceof Error && /already completed/.test(error.message));
