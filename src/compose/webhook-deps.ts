import type { WebhookConfig } from '../config/cards.ts';
import type { GatewayDeps } from '../gateway/gateway-deps.ts';
import { deliverCardEvent } from '../services/card-events/deliver.ts';
import { executionsOver } from '../temporal/executions.ts';
import { EventQueue } from '../webhooks/event-queue.ts';
import { webhookReceiver } from '../webhooks/receiver.ts';
import { createVerifier } from '../webhooks/verifier.ts';
import type { Opened } from './intake-deps.ts';

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
