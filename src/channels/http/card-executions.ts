import {
  type Client,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { CardStateView } from '../../domain/card-payment.ts';
import { cardWorkflowId, MESSAGES } from '../../domain/names.ts';
import { GRPC, grpcStatusOf } from '../../platform/temporal/connection.ts';
import { ifThere, isOpen } from '../../platform/temporal/executions.ts';
import { ANSWER_MS, inTime } from '../../platform/temporal/worker-answer.ts';

// The workflows of card payments. `id` is the merchant_request_id.

/** `why` of a refusal is the workflow's own sentence; it holds no values. */
export type CardAnswer<Answer> =
  | { outcome: 'answered'; answer: Answer }
  | { outcome: 'refused'; why: string }
  | { outcome: 'not-running' }
  /** No worker answered soon. */
  | { outcome: 'no-worker' };

/**
 * An update, by its name (`src/domain/names.ts`). Asked again under an `updateId` it has had, a run gives its first answer and does
 * nothing. `ms`: how long the answer is awaited.
 */
export async function updateCard<Answer>(
  client: Client,
  id: string,
  name: string,
  { payload, updateId, ms = ANSWER_MS }: { payload: unknown; updateId?: string; ms?: number },
): Promise<CardAnswer<Answer>> {
  const handle = client.workflow.getHandle(cardWorkflowId(id));
  try {
    const asked = () => handle.executeUpdate<Answer, [unknown]>(name, { args: [payload], updateId });
    return { outcome: 'answered', answer: await inTime(client, asked, ms) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { outcome: 'not-running' };
    if (error instanceof WorkflowUpdateFailedError) return { outcome: 'refused', why: error.cause?.message ?? '' };
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return { outcome: 'no-worker' };
    throw error;
  }
}

/** Short, since a page asks every second. */
const QUERY_MS = 5_000;

/**
 * No answer within `QUERY_MS`: the server knows this deadline too, and often cancels the call before our own clock ends it. The
 * last: no worker has polled recently.
 */
const SILENT: ReadonlySet<number | undefined> = new Set([
  GRPC.DEADLINE_EXCEEDED,
  GRPC.CANCELLED,
  GRPC.FAILED_PRECONDITION,
]);

/** State shown by the workflow; `silent` if no worker answers soon. */
export async function cardState(client: Client, id: string): Promise<CardStateView | 'not-started' | 'silent'> {
  const handle = client.workflow.getHandle(cardWorkflowId(id));
  try {
    // A closed workflow answers queries too, if there is a worker. Without an end in the store, it can be started again.
    const { status } = await inTime(client, () => handle.describe(), QUERY_MS);
    if (!isOpen(status)) return 'not-started';
    return await inTime(client, () => handle.query<CardStateView>(MESSAGES.state), QUERY_MS);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'not-started';
    if (SILENT.has(grpcStatusOf(error))) return 'silent';
    throw error;
  }
}

/** False if no such workflow is open. */
export const signalCard = (client: Client, id: string, name: string): Promise<boolean> =>
  ifThere(() => inTime(client, () => client.workflow.getHandle(cardWorkflowId(id)).signal(name)));
