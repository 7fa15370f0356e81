import {
  type Client,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { cardWorkflowId } from '../../domain/names.ts';
import type { CardAnswer } from './take-payment.ts';

/** An update on the workflow of a card payment. `id`: the merchant_request_id; `ms`: how long its answer is awaited. */
export async function updateCard<Answer>(
  client: Client,
  id: string,
  name: string,
  { payload, updateId, ms }: { payload: unknown; updateId: string | undefined; ms: number },
): Promise<CardAnswer<Answer>> {
  const handle = client.workflow.getHandle(cardWorkflowId(id));
  try {
    const asked = () => handle.executeUpdate<Answer, [unknown]>(name, { args: [payload], updateId });
    return { outcome: 'answered', answer: await client.withDeadline(Date.now() + ms, asked) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { outcome: 'not-running' };
    if (error instanceof WorkflowUpdateFailedError) return { outcome: 'refused', why: error.cause?.message ?? '' };
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return { outcome: 'no-worker' };
    throw error;
  }
}
