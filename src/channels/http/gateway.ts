import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Worker } from '@temporalio/worker';
import { deliverCardEvent } from '../../activities/card-events.ts';
import { type VaultDeps, vaultActivities } from '../../activities/cards.ts';
import { CardVault, leaveNoCoreDump } from '../../bank/cards/vault.ts';
import { EventQueue, webhookReceiver } from '../../bank/webhooks/receiver.ts';
import { createVerifier } from '../../bank/webhooks/verifier.ts';
import { vaultTaskQueue } from '../../domain/names.ts';
import type { Log } from '../../domain/settings.ts';
import { type App, appOf } from '../../platform/app.ts';
import { assertPolicyKept, keepPolicyLog } from '../../platform/audit/policy-log.ts';
import type { WebhookConfig } from '../../platform/config/cards.ts';
import { ConfigError, Secret } from '../../platform/config/key.ts';
import { assertPolicy, type Config } from '../../platform/config.ts';
import type { Part, Stack, StackAddresses } from '../../platform/embedded/stack.ts';
import { bankAt, noticesOf } from '../../platform/open-bank.ts';
import { OpenedParts } from '../../platform/opened-parts.ts';
import { refusedPayloads } from '../../platform/refused-payloads.ts';
import { bindStore, checkAtStart } from '../../platform/store-binding.ts';
import { observedCalls, observedStore } from '../../platform/telemetry/observed.ts';
import { openTracing, telemetryAt } from '../../platform/telemetry.ts';
import {
  connectTemporal,
  refuseUndecodable,
  sealedPayloads,
  type TemporalAddress,
} from '../../platform/temporal/connection.ts';
import { assertNamespaceFits, temporalIdentity } from '../../platform/temporal/namespace.ts';
import { connectWorker, installRuntime, runWorker, SHUTDOWN } from '../../platform/temporal/worker-runtime.ts';
import { executionsOver } from '../../platform/temporal/workflow-executions.ts';
import { warnOfUnneeded } from '../../platform/unneeded-secrets.ts';
import { openStore } from '../../store/open.ts';
import { type Gateway, probesOf } from './gateway-app.ts';
import { type GatewayTransport, type ListenOn, startGateway } from './gateway-server.ts';

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
  const stored = opened.adopt(await openStore(config.storeUrl.reveal(), config.storeConnections), (it) => it.close());
  const store = observedStore(stored, telemetry.metrics, log);
  const tracing = await openTracing(config, { bankUrl: addresses.apiUrl, store: stored, log });
  opened.defer(async () => tracing?.close());
  const onCall = observedCalls(telemetry.metrics, tracing);
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
    notices: noticesOf(app),
    tracing,
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

/**
 * Starts the worker of a vault: activities only, on its own task queue, in the process that keeps the cards. `close` ends it,
 * after giving a POST under way some time for its answer.
 */
async function startVaultWorker(
  config: Config,
  address: TemporalAddress,
  deps: VaultDeps,
  log: Log,
): Promise<Required<Part>> {
  installRuntime(log, config.metrics.temporal);
  await using opened = new OpenedParts();
  const connection = opened.adopt(await connectWorker(config, address), (it) => it.close());
  const worker = await Worker.create({
    connection,
    namespace: address.namespace,
    taskQueue: deps.vault.taskQueue,
    activities: { ...vaultActivities(deps) },
    dataConverter: sealedPayloads(config.codecKeys(), refusedPayloads(undefined, log)),
    interceptors: { activity: [() => ({ inbound: refuseUndecodable })] },
    ...SHUTDOWN,
    shutdownForceTime: '10s',
  });
  const failure = Promise.withResolvers<Error>();
  opened.use(runWorker(worker, failure.resolve));
  const kept = opened.move();
  return { failure: failure.promise, close: () => kept[Symbol.asyncDispose]() };
}

/** Reads the gateway's certificate and key. Throws a `ConfigError` if one cannot be read or they do not match. */
export function gatewayTransport({ gateway: { tls, proxies } }: Config): GatewayTransport {
  if (tls === undefined) return { tls, proxies };
  const cert = pemOf('PAYOUTS_GATEWAY_TLS_CERT', tls.cert);
  const key = pemOf('PAYOUTS_GATEWAY_TLS_KEY', tls.key);
  try {
    createSecureContext({ cert, key });
  } catch {
    throw new ConfigError(
      'PAYOUTS_GATEWAY_TLS_CERT',
      'and PAYOUTS_GATEWAY_TLS_KEY are not a certificate and its key',
      'Name two PEM files that belong together; a key with a passphrase cannot be read.',
    );
  }
  return { tls: { cert, key: new Secret(key) }, proxies };
}

function pemOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(name, 'names a file that cannot be read', 'Check the path and its permissions.');
  }
}

const SECRET_BYTES = 32;
const PATIENCE_MS = 5_000;

/**
 * How webhooks are verified: as configured; with an embedded sandbox and no secret, by one that lives as long as this gateway.
 */
export function webhookSettings({ bank, webhook }: Config): WebhookConfig {
  if (bank.kind !== 'sandbox' || webhook.secrets.reveal().length > 0) return webhook;
  return { ...webhook, secrets: new Secret([randomBytes(SECRET_BYTES)]) };
}

/** A stack for a gateway, which may already have one of its own. */
export type GatewayAddresses = StackAddresses & Partial<Pick<Stack, 'gatewayUrl'>>;

/**
 * Registers with an embedded sandbox where webhooks go, as a merchant does in the acquirer's dashboard. There is only one
 * address: that of the stack's own gateway is not replaced.
 */
export async function registerWebhooks(
  { bank, webhook }: Pick<Config, 'bank' | 'webhook'>,
  addresses: Pick<GatewayAddresses, 'apiUrl' | 'gatewayUrl'>,
  gatewayUrl: string,
): Promise<void> {
  if (bank.kind !== 'sandbox' || (addresses.gatewayUrl ?? null) !== null) return;
  const [secret = Buffer.alloc(0)] = webhook.secrets.reveal();
  const endpoint = {
    url: `${gatewayUrl}/v1/webhooks/cards`,
    secret: `whsec_${secret.toString('base64')}`,
    scheme: webhook.scheme === 'ip' ? 'none' : webhook.scheme,
  };
  const response = await fetch(`${addresses.apiUrl}/__sandbox/webhooks`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(endpoint),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the sandbox refused its webhook endpoint: HTTP ${response.status}`);
}
