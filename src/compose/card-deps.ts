import {
  type Client,
  isGrpcDeadlineError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { Config } from '../config.ts';
import type { CardStateView } from '../domain/card-payment.ts';
import { cardWorkflowId, MESSAGES } from '../domain/names.ts';
import type { CardDeps } from '../gateway/gateway-deps.ts';
import { ifThere, isOpen, startCardPayment } from '../temporal/executions.ts';
import { GRPC, grpcStatusOf } from '../temporal/grpc-status.ts';
import { type TemporalUi, workflowUrl } from '../temporal/ui-link.ts';
import type { CardVault } from '../vault/card-vault.ts';
import { inTime } from './worker-answer.ts';

/** Short, since a page asks every second. */
const QUERY_MS = 5_000;

/**
 * What a gateway does with card payments, through a Temporal client. `own`: the origin of an embedded sandbox's checkout page.
 */
export function cardDeps(
  { cards }: Pick<Config, 'cards'>,
  client: Client,
  vault: CardVault,
  ui: TemporalUi,
  own: readonly string[],
): CardDeps {
  const handleOf = (id: string) => client.workflow.getHandle(cardWorkflowId(id));
  return {
    vault,
    returnHosts: cards.returnHosts,
    returnOrigins: own,
    origins: [...cards.checkoutOrigins, ...own],
    start: (input) => inTime(client, () => startCardPayment(client, input)),
    async state(id) {
      try {
        // A closed workflow answers queries too, if there is a worker. Without an end in the store, it can be started again.
        const { status } = await inTime(client, () => handleOf(id).describe(), QUERY_MS);
        if (!isOpen(status)) return 'not-started';
        return await inTime(client, () => handleOf(id).query<CardStateView>(MESSAGES.state), QUERY_MS);
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'not-started';
        // The second: no worker has polled recently.
        if (isGrpcDeadlineError(error) || grpcStatusOf(error) === GRPC.FAILED_PRECONDITION) return 'silent';
        throw error;
      }
    },
    async update(id, name, payload, updateId) {
      try {
        const asked = () => handleOf(id).executeUpdate(name, { args: [payload], updateId });
        return { outcome: 'answered', answer: (await inTime(client, asked)) as never };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return { outcome: 'not-running' };
        if (error instanceof WorkflowUpdateFailedError) return { outcome: 'refused', why: error.cause?.message ?? '' };
        if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return { outcome: 'no-worker' };
        throw error;
      }
    },
    signal: (id, name) => ifThere(() => inTime(client, () => handleOf(id).signal(name))),
    workflowUrl: (workflowId) => workflowUrl(ui, workflowId),
  };
}
