import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { CardVault } from '../../bank/cards/card-vault.ts';
import { leaveNoCoreDump } from '../../bank/cards/no-core-dump.ts';
import type { Log } from '../../domain/log.ts';
import { isLoopback } from '../../domain/loopback.ts';
import { vaultTaskQueue } from '../../domain/names.ts';
import { assertPolicyKept, keepPolicyLog } from '../../platform/audit/policy-log.ts';
import { bankAt } from '../../platform/bank.ts';
import { bankWarnings } from '../../platform/bank-warnings.ts';
import { assertPolicy, type Config } from '../../platform/config.ts';
import type { Part } from '../../platform/embedded/stack.ts';
import { OpenedParts } from '../../platform/opened-parts.ts';
import { bindStore, checkAtStart } from '../../platform/store-binding.ts';
import { observedCalls } from '../../platform/telemetry/observed-calls.ts';
import { observedStore } from '../../platform/telemetry/observed-store.ts';
import { telemetryAt } from '../../platform/telemetry.ts';
import { updateBatch } from '../../platform/temporal/batch-executions.ts';
import { assertReachable, connectTemporal } from '../../platform/temporal/connection.ts';
import { temporalIdentity } from '../../platform/temporal/identity.ts';
import { assertNamespaceFits } from '../../platform/temporal/namespace-claim.ts';
import { ANSWER_MS, inTime } from '../../platform/temporal/worker-answer.ts';
import { warnOfUnneeded } from '../../platform/unneeded-secrets.ts';
import { answeredRefusal } from '../../reports/answered-refusal.ts';
import { writeErpFile } from '../../reports/erp-file.ts';
import { type TemporalUi, temporalUi, workflowUrl } from '../../reports/links.ts';
import { documentOf, reportBatch, reportFolder } from '../../reports/report-batch.ts';
import { openStore } from '../../store/open.ts';
import { type Opened, openIntake } from '../intake-deps.ts';
import { type Access, type Caller, tokenSha256, tokensOf } from './callers.ts';
import { updateCard } from './card-updates.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { cardDeps, pageDeps, webhookDeps } from './gateway-parts.ts';
import { type GatewayAddresses, gatewayTransport, registerWebhooks, webhookSettings } from './gateway-settings.ts';
import { operationsAt } from './operations/all.ts';
import type { Place } from './operations/place.ts';
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
  // A gateway that reads through workers cannot send a card, and takes none.
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
  const at: Opened = { config, stack: addresses, store, client, bank, log };
  const ui = temporalUi(config, addresses);
  const webhook = webhookSettings(config);
  const checkoutUrl = config.bank.kind === 'sandbox' ? `${addresses.apiUrl}/checkout` : undefined;
  const deps = depsOf(at, ui);
  opened.defer(() => telemetry.close());
  await telemetry.serve(deps.ready, { store, bank });
  const { url } = opened.adopt(
    await startGateway(
      {
        ...deps,
        answered: ({ ms, status, ...answer }) =>
          telemetry.metrics.answers.observe({ ...answer, status: `${Math.trunc(status / 100)}xx` }, ms / 1_000),
        cards: { ...cardDeps(config, client, vault, checkoutUrl), takesCards },
        webhooks: webhookDeps(webhook, at),
      },
      { ...listenOn, transport: gatewayTransport(config) },
    ),
    (it) => it.close(),
  );
  await registerWebhooks({ bank: config.bank, webhook }, addresses, url).catch((error: unknown) =>
    log.warn({ error }, 'the sandbox does not know where to send webhooks'),
  );
  opened.defer(() => telemetry.drain());
  const kept = opened.move();
  return { url, failure: worker?.failure ?? new Promise<never>(() => {}), close: () => kept[Symbol.asyncDispose]() };
}

/** The tokens of the policy or, without one, of the environment. */
export function accessOf({ settings: { policy }, gateway }: Config): Access {
  if (policy === undefined) {
    const tokens = gateway.tokens.reveal().map(({ name, token }) => ({ name, sha256: tokenSha256(token) }));
    return { tokens, needsToken: false };
  }
  return { tokens: tokensOf(policy), needsToken: true, policy };
}

function codecOf({ codecKeys }: Config, { namespace }: GatewayAddresses, ui: TemporalUi): GatewayDeps['codec'] {
  const keys = codecKeys();
  return keys && { keys, namespace, origins: namesOf(new URL(ui.url)) };
}

/** The browser's address bar may show either name for this machine. */
function namesOf({ origin, hostname, protocol, port }: URL): string[] {
  if (!isLoopback(hostname)) return [origin];
  return ['127.0.0.1', 'localhost'].map((name) => `${protocol}//${name}:${port}`);
}

/** Where the operation of a request is carried out; bank and Temporal are open. */
export function placeOf(at: Opened, ui: TemporalUi, caller: Caller): Place {
  const { config, store, client, bank } = at;
  return {
    config,
    store,
    caller,
    now: Date.now,
    client: async () => client,
    bank: async () => bank,
    readingBank: (use) => use(bank),
    liveBank: async () => bank,
    ui: async () => ui,
    liveUi: async () => ui,
    intake: (maker) => openIntake(at, maker),
    answerMs: ANSWER_MS,
    updateCard: (id, name, payload, updateId) => updateCard(client, id, name, { payload, updateId, ms: ANSWER_MS }),
    carriedOut: async () => {},
  };
}

function depsOf(at: Opened, ui: TemporalUi): Omit<GatewayDeps, 'cards' | 'webhooks'> {
  const { config, stack, store, client, bank, log } = at;
  return {
    store,
    intake: (maker) => openIntake(at, maker),
    refused: (refusal) => answeredRefusal(config, refusal, Date.now()),
    document: (batchId) => documentOf(config, store, batchId, ui),
    report: async (batchId, isMasked) =>
      (await reportBatch(config, store, batchId, ui, { folder: reportFolder(config), isMasked })).head.reports,
    erpFile: (batchId, format) => writeErpFile(config, store, batchId, format),
    control: (batch, update, by) =>
      inTime(client, () => updateBatch({ client, store, settings: config.settings }, batch, update, by)),
    ready: {
      store: () => store.identity(),
      temporal: () => assertReachable(client, stack),
      bank: () => bank.authenticate(),
    },
    warnings: bankWarnings({ bank, settings: config.settings, log, now: Date.now }),
    access: () => accessOf(config),
    workflowUrl: (workflowId) => workflowUrl(ui, workflowId),
    pages: pageDeps(at),
    operations: operationsAt((caller) => placeOf(at, ui, caller)),
    codec: codecOf(config, stack, ui),
    perMinute: config.gateway.perMinute,
    atOnce: config.gateway.atOnce,
    now: Date.now,
    uploads: join(config.home, 'uploads'),
    log,
  };
}
