import { randomUUID } from 'node:crypto';
import { deliverCardEvent } from '../../activities/card-events.ts';
import { CardVault, leaveNoCoreDump } from '../../bank/cards/vault.ts';
import { EventQueue, webhookReceiver } from '../../bank/webhooks/receiver.ts';
import { createVerifier } from '../../bank/webhooks/verifier.ts';
import { vaultTaskQueue } from '../../domain/names.ts';
import type { Log } from '../../domain/settings.ts';
import { type App, appOf } from '../../platform/app.ts';
import { assertPolicyKept, keepPolicyLog } from '../../platform/audit/policy-log.ts';
import { bankAt, bankWarnings } from '../../platform/bank.ts';
import type { WebhookConfig } from '../../platform/config/cards.ts';
import { assertPolicy, type Config } from '../../platform/config.ts';
import type { Part } from '../../platform/embedded/stack.ts';
import { OpenedParts } from '../../platform/opened-parts.ts';
import { bindStore, checkAtStart } from '../../platform/store-binding.ts';
import { observedCalls, observedStore } from '../../platform/telemetry/observed.ts';
import { telemetryAt } from '../../platform/telemetry.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import { executionsOver } from '../../platform/temporal/executions.ts';
import { assertNamespaceFits, temporalIdentity } from '../../platform/temporal/namespace.ts';
import { warnOfUnneeded } from '../../platform/unneeded-secrets.ts';
import { openStore } from '../../store/open.ts';
import type { Gateway } from './gateway-app.ts';
import { probesOf } from './gateway-app.ts';
import { type GatewayAddresses, gatewayTransport, registerWebhooks, webhookSettings } from './gateway-settings.ts';
import { type ListenOn, startGateway } from './server.ts';
import { startVaultWorker } from './vault-worker.ts';

/**
 * Starts the gateway of a configuration, with its own connections and card vault. Throws a `StoreIdentityError` if the store
 * belongs to another bank or Temporal, and a `NamespaceTakenError` if the namespace belongs to another store.
 */
export async function openGateway(
  config: Config,
  addresses: GatewayAddresses,
  listenOn: ListenOn,
  log: Log,
): Promise<Required<Part> & { url: string }> {
  assertPolicy(config);
  // Who reads the bank through workers cannot send a card.
  const takesCards = config.bank.relay === undefined;
  warnOfUnneeded(takesCards ? 'card-gateway' : 'gateway', config, log);
  await using opened = new OpenedParts();
  const telemetry = telemetryAt(config.metrics.gateway, { config, log });
  const stored = opened.adopt(await openStore(config.storeUrl.reveal()), (it) => it.close());
  const store = observedStore(stored, telemetry.metrics, log);
  const onCall = observedCalls(telemetry.metrics);
  const bank = opened.adopt(bankAt(config, addresses.apiUrl, { store, onCall }), (it) => it.close());
  const { client } = opened.adopt(await connectTemporal(config, addresses), (it) => it.close());
  const binding = await bindStore({ config, store, bank, temporal: await temporalIdentity(client) });
  await checkAtStart(binding, log);
  await assertNamespaceFits(client, store.id);
  await assertPolicyKept(config, store);
  await keepPolicyLog(config, { store, log, who: 'gateway' });
  if (!leaveNoCoreDump()) log.warn('a core dump of this process would contain cards: start it after ulimit -c 0');
  const { lifeMs } = config.cards;
  const vault = opened.adopt(new CardVault({ taskQueue: vaultTaskQueue(randomUUID()), lifeMs }), (it) => it.close());
  const vaultDeps = { vault, bank, store, now: Date.now, assertIdentity: () => binding.assert() };
  const worker = takesCards
    ? opened.adopt(await startVaultWorker(config, addresses, vaultDeps, log), (it) => it.close())
    : undefined;
  const app = appOf({ config, stack: addresses, store, client, bank, log });
  const webhook = webhookSettings(config);
  opened.defer(() => telemetry.close());
  await telemetry.serve(probesOf(app), app);
  const gateway: Gateway = {
    ...app,
    vault,
    webhooks: webhooksOf(app, webhook),
    warnings: bankWarnings(app),
    answered: ({ ms, status, ...answer }) =>
      telemetry.metrics.answers.observe({ ...answer, status: `${Math.trunc(status / 100)}xx` }, ms / 1_000),
  };
  const { url } = opened.adopt(
    await startGateway(gateway, { ...listenOn, transport: gatewayTransport(config) }),
    (it) => it.close(),
  );
  await registerWebhooks({ bank: config.bank, webhook }, addresses, url).catch((error: unknown) =>
    log.warn({ error }, 'the sandbox does not know where to send webhooks'),
  );
  opened.defer(() => telemetry.drain());
  const kept = opened.move();
  return { url, failure: worker?.failure ?? new Promise<never>(() => {}), close: () => kept[Symbol.asyncDispose]() };
}

/** A shorter secret can be guessed. The interface does not show the length of the acquirer's. */
const SECRET_BYTES_FIT = 16;

function webhooksOf(app: App, webhook: WebhookConfig): Gateway['webhooks'] {
  const { store, bank, client, log, now } = app;
  const secrets = webhook.secrets.reveal();
  if (secrets.some(({ length }) => length < SECRET_BYTES_FIT)) {
    log.warn(`a webhook secret has fewer than ${SECRET_BYTES_FIT} bytes: ask the acquirer for a longer one`);
  }
  const verifier = createVerifier({ ...webhook, secrets });
  const delivering = { ...app, executions: executionsOver(client) };
  return {
    take: webhookReceiver({ verifier, cards: store.cards, noticeOf: bank.cards.noticeOf, now, log }),
    queue: new EventQueue((event) => deliverCardEvent(delivering, event), log),
  };
}
