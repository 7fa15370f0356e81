import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { signalPlan } from '../../activities/batch/control.ts';
import { deliverCardEvent } from '../../activities/card-events/deliver.ts';
import type { CardVault } from '../../bank/cards/card-vault.ts';
import { EventQueue } from '../../bank/webhooks/event-queue.ts';
import { webhookReceiver } from '../../bank/webhooks/receiver.ts';
import { createVerifier } from '../../bank/webhooks/verifier.ts';
import type { CardStateView } from '../../domain/card-payment.ts';
import { cardWorkflowId, MESSAGES } from '../../domain/names.ts';
import type { WebhookConfig } from '../../platform/config/cards.ts';
import type { Config } from '../../platform/config.ts';
import { executionsOver, ifThere, isOpen, startCardPayment } from '../../platform/temporal/executions.ts';
import { GRPC, grpcStatusOf } from '../../platform/temporal/grpc-status.ts';
import { resolvePayout, updatePayout } from '../../platform/temporal/payout-updates.ts';
import { ANSWER_MS, inTime, resolveMs } from '../../platform/temporal/worker-answer.ts';
import { sidesShown } from '../../reports/both-sides.ts';
import { stepContext } from '../../reports/report-source.ts';
import type { Opened } from '../intake-deps.ts';
import { updateCard } from './card-updates.ts';
import type { CardDeps, GatewayDeps, PageDeps } from './gateway-deps.ts';

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

/**
 * What a gateway does with card payments, through a Temporal client. `checkoutUrl`: of an embedded sandbox's checkout page.
 */
export function cardDeps(
  { cards }: Pick<Config, 'cards'>,
  client: Client,
  vault: CardVault,
  checkoutUrl: string | undefined,
): CardDeps {
  const own = checkoutUrl === undefined ? [] : [new URL(checkoutUrl).origin];
  const handleOf = (id: string) => client.workflow.getHandle(cardWorkflowId(id));
  return {
    vault,
    returnHosts: cards.returnHosts,
    returnOrigins: own,
    tries: cards.tries,
    checkoutUrl,
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
        if (SILENT.has(grpcStatusOf(error))) return 'silent';
        throw error;
      }
    },
    update: (id, name, payload, updateId) => updateCard(client, id, name, { payload, updateId, ms: ANSWER_MS }),
    signal: (id, name) => ifThere(() => inTime(client, () => handleOf(id).signal(name))),
  };
}

export const pageDeps = ({ config, store, client, bank }: Opened): PageDeps => ({
  settings: config.settings,
  decide: (payout, update) => inTime(client, () => updatePayout({ client, store }, payout, MESSAGES.decide, update)),
  cancel: (payout, request) => inTime(client, () => updatePayout({ client, store }, payout, MESSAGES.cancel, request)),
  resolve: (payout, request) =>
    inTime(client, () => resolvePayout({ client, store }, payout, request), resolveMs(config.settings)),
  stepContext: (payouts) => stepContext(config, store, payouts),
  bothSides: (payout) => sidesShown({ store, bank, clockSkewMs: config.settings.clockSkewMs }, payout),
  bank,
  signalPlan: (signed) => signalPlan({ store, executions: executionsOver(client) }, signed),
});

/** A shorter secret can be guessed. The interface does not show the length of the acquirer's. */
const SECRET_BYTES_FIT = 16;

export function webhookDeps(
  webhook: WebhookConfig,
  { config, store, bank, client, log }: Opened,
): GatewayDeps['webhooks'] {
  const now = Date.now;
  const secrets = webhook.secrets.reveal();
  if (secrets.some(({ length }) => length < SECRET_BYTES_FIT)) {
    log.warn(`a webhook secret has fewer than ${SECRET_BYTES_FIT} bytes: ask the acquirer for a longer one`);
  }
  const verifier = createVerifier({ ...webhook, secrets });
  const { noticeOf } = bank.cards;
  const delivering = { store, bank, executions: executionsOver(client), settings: config.settings, now };
  return {
    take: webhookReceiver({ verifier, cards: store.cards, noticeOf, now, log }),
    queue: new EventQueue((event) => deliverCardEvent(delivering, event), log),
  };
}
