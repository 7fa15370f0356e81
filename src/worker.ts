import './platform/tls-minimum.ts';
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { type NativeConnection, Worker, type WorkerDeploymentOptions } from '@temporalio/worker';
import { cardEventPass } from './activities/card-events.ts';
import type { ActivityDeps } from './activities/deps.ts';
import { folderActivities } from './activities/folder-scan.ts';
import { type Activities, createActivities } from './activities/index.ts';
import { listReader } from './activities/lists.ts';
import { startUnended } from './activities/reconcile.ts';
import { DropFolder, POLL_MS, settledFolders } from './channels/folder/drop-folder.ts';
import { StoreMismatch } from './domain/claim.ts';
import { TASK_QUEUE } from './domain/names.ts';
import type { Log } from './domain/settings.ts';
import { DAY_MS } from './domain/time.ts';
import { checkInstruction } from './files/rules/check-instruction.ts';
import { appOf } from './platform/app.ts';
import { erasurePass } from './platform/audit/erasure-pass.ts';
import { keepLog } from './platform/audit/open-audit-log.ts';
import { assertPolicyKept, keepPolicyLog } from './platform/audit/policy-log.ts';
import { assertSends } from './platform/config/bank.ts';
import { assertPolicy, type Config } from './platform/config.ts';
import type { Part, StackAddresses } from './platform/embedded/stack.ts';
import { bankAnswers, bankAt, bankClockAlarm, payeeChecks, relayOf } from './platform/open-bank.ts';
import { OpenedParts } from './platform/opened-parts.ts';
import { PartHealth } from './platform/part-health.ts';
import { refusedPayloads } from './platform/refused-payloads.ts';
import { bindStore, checkAtStart, type StoreBinding } from './platform/store-binding.ts';
import type { Metrics } from './platform/telemetry/metrics.ts';
import { observedCalls, observedStore } from './platform/telemetry/observed.ts';
import type { Tracing } from './platform/telemetry/tracing.ts';
import { openTracing, type Telemetry, telemetryAt } from './platform/telemetry.ts';
import { workflowBundle } from './platform/temporal/bundle.ts';
import { assertReachable, clientOver, refuseUndecodable, sealedPayloads } from './platform/temporal/connection.ts';
import { keepNamespace, NamespaceTakenError, takeNamespace, temporalIdentity } from './platform/temporal/namespace.ts';
import { connectWorker, runWorker, SHUTDOWN, workerCapacity } from './platform/temporal/worker-runtime.ts';
import { executionsOver } from './platform/temporal/workflow-executions.ts';
import { type OpenSender, openSender } from './platform/this-sender.ts';
import { warnOfUnneeded } from './platform/unneeded-secrets.ts';
import { countedByUser } from './platform/user-of-activity.ts';
import { pruneEvents } from './reports/events/deliver.ts';
import { remindPeople } from './reports/events/remind.ts';
import { pagesUrl } from './reports/links.ts';
import { reportFolder } from './reports/report-batch.ts';
import { openStore } from './store/open.ts';
import { ownVersion } from './store/own-files.ts';
import type { Store } from './store/store.ts';
import { StoreIdentityError } from './store/store-errors.ts';

interface WorkerResources {
  telemetry: Telemetry;
  tracing: Tracing | undefined;
  stored: Store;
  sender: OpenSender;
  deps: ActivityDeps;
  client: Client;
  connection: NativeConnection;
}

/**
 * Starts a worker on the task queue `payouts` and picks up batches and watches that nobody runs. `close` lets running tasks
 * finish. Throws a `StoreIdentityError` if the store belongs to another bank or Temporal, a `StackError` if it is a copy beside its
 * original, and a `NamespaceTakenError` if the namespace belongs to another store.
 */
export async function startWorker(config: Config, stack: StackAddresses, log: Log): Promise<Part> {
  assertPolicy(config);
  assertSends(config);
  warnOfUnneeded('worker', config, log);
  await using opened = new OpenedParts();
  const resources = await open(opened, config, stack, log);
  const { telemetry, sender, deps, client } = resources;
  const failure = Promise.withResolvers<Error>();
  sender.failure.then(failure.resolve);
  opened.use(runWorker(await createWorker(resources, config, stack, log), failure.resolve));
  opened.use(await startUpkeep({ config, deps, client, log, taken: failure.resolve }));
  if (Object.keys(config.nexusMakers).length > 0) {
    const { startNexusWorker } = await import('./channels/nexus/nexus-worker.ts');
    const { store, bank } = deps;
    const app = appOf({ config, stack, store, client, bank, log });
    opened.use(await startNexusWorker(app, resources.connection, failure.resolve));
  }
  const { subscriptions, mailServer } = config.events;
  if (subscriptions.length > 0) {
    // With what sends mails, which costs the start of every other worker.
    const { startSender } = await import('./reports/events/event-sender.ts');
    const sender = {
      ...{ store: deps.store, settings: deps.settings, log, now: Date.now, draw: Math.random, owner: randomUUID() },
      get pages() {
        return pagesUrl(config);
      },
    };
    opened.adopt(startSender(sender, subscriptions, mailServer.reveal(), config.proxyFor), (it) => it.close());
  }
  opened.defer(() => telemetry.drain());
  const kept = opened.move();
  return { close: () => kept[Symbol.asyncDispose](), failure: failure.promise };
}

/** Refuses another bank or Temporal, and a namespace of another store, before the worker takes any task. */
async function open(opened: OpenedParts, config: Config, stack: StackAddresses, log: Log): Promise<WorkerResources> {
  const telemetry = telemetryAt(config.metrics.worker, { config, log });
  const stored = opened.adopt(await openStore(config.storeUrl.reveal(), config.storeConnections), (it) => it.close());
  const tracing = await openTracing(config, { bankUrl: stack.apiUrl, store: stored, log });
  opened.defer(async () => tracing?.close());
  const store = observedStore(stored, telemetry.metrics, log, tracing);
  const calls = observedCalls(telemetry.metrics, tracing);
  const onCall = (operation: string) => health.observe(calls(operation));
  const bank = opened.adopt(bankAt(config, stack.apiUrl, { store, onCall }), (it) => it.close());
  // Before anything that can throw: once installed, the native runtime ends with its last connection, and only with one.
  const connection = opened.adopt(await connectWorker(config, stack), (it) => it.close());
  // Over the worker's own connection, so that workflows started through it can begin on this worker at once.
  const client = clientOver(config, stack, connection);
  const health = new PartHealth(
    { bank: () => bankAnswers(bank), temporal: () => assertReachable(client, stack) },
    { log, now: Date.now },
  );
  const binding = await bindStore({ config, store, bank, temporal: await temporalIdentity(client) });
  const sender = await openSender({ config, store, log, health });
  opened.use(sender);
  await checkAtStart(binding, log);
  await claimNamespace(config, store, client);
  await assertPolicyKept(config, store);
  await keepPolicyLog(config, { store, log, who: 'worker' });
  // Closed after the worker, so that probes are answered while it drains.
  opened.defer(() => telemetry.close());
  await telemetry.serve(
    {
      temporal: () => assertReachable(client, stack),
      store: () => store.identity(),
      // The bank's accounts are those of this store: before that nothing is sent.
      bank: () => binding.assertOnce(),
    },
    { store, bank },
  );
  const relay = await relayOf(config, stack.apiUrl);
  opened.defer(async () => relay?.close());
  const checks = payeeChecks(config, stack.apiUrl);
  opened.defer(async () => checks?.provider.close());
  const reads = { bank, store, settings: config.settings, now: Date.now };
  const deps: ActivityDeps = {
    ...reads,
    readList: listReader(reads),
    checks,
    executions: executionsOver(client, { startsHere: config.deployment === undefined }),
    checkInstruction,
    traced: tracing?.within,
    assertIdentity: () => assertIdentity(binding, sender),
  };
  return { telemetry, tracing, stored, sender, deps, client, connection };
}

async function createWorker(
  resources: WorkerResources,
  config: Config,
  stack: StackAddresses,
  log: Log,
): Promise<Worker> {
  const { telemetry, tracing, stored, deps, client, connection } = resources;
  const { store, bank } = deps;
  const app = appOf({ config, stack, store, client, bank, log });
  const codecKeys = config.codecKeys();
  return Worker.create({
    connection,
    namespace: stack.namespace,
    taskQueue: TASK_QUEUE,
    ...workerCapacity(),
    workflowBundle: await workflowBundle({
      isEncrypted: codecKeys !== undefined,
      isVersioned: config.deployment !== undefined,
    }),
    dataConverter: sealedPayloads(codecKeys, refusedPayloads(store, log)),
    interceptors: {
      activity: [...(tracing ? [tracing.activity] : []), () => ({ inbound: refuseUndecodable }), countedByUser(stored)],
    },
    // Events of every task carry the build id; the SDK's own is the digest of the bundle, 90 bytes long.
    ...(config.deployment === undefined
      ? { buildId: `payouts-${ownVersion()}` }
      : { workerDeploymentOptions: versioned(config.deployment) }),
    activities: {
      ...countedActivities(createActivities(deps), telemetry.metrics),
      ...folderActivities(config.folders, async (options) => (await DropFolder.open(app, options)).scanOnce(POLL_MS)),
    },
    ...SHUTDOWN,
  });
}

/** A workflow stays with the build it began with, except those that run for ever (`src/workflows/versioned.ts`). */
const versioned = (version: WorkerDeploymentOptions['version']): WorkerDeploymentOptions => ({
  version,
  useWorkerVersioning: true,
  defaultVersioningBehavior: 'PINNED',
});

/** Counts what no write to the store shows. */
const countedActivities = (activities: Activities, { reconciled }: Metrics): Activities => ({
  ...activities,
  async reconcileOrders(key) {
    const found = await activities.reconcileOrders(key);
    reconciled.inc();
    return found;
  },
});

/** Before the worker polls: replaces the store that the namespace belonged to, and records that. */
async function claimNamespace({ replacesStore, settings }: Config, store: Store, client: Client): Promise<void> {
  const replaced = await takeNamespace(client, store.id, replacesStore);
  if (replaced === undefined) return;
  const detail = { namespace: client.options.namespace, replaced };
  const at = Date.now();
  // What was sent by the replaced store is missing in this one, as after a restore.
  await store.recordRestore({
    at,
    from: at - settings.reconcileDays * DAY_MS,
    by: 'worker',
    replaces: replaced,
    detail,
  });
}

async function assertIdentity(binding: StoreBinding, sender: OpenSender): Promise<void> {
  try {
    await sender.assert();
    await binding.assert();
  } catch (error) {
    if (error instanceof StoreIdentityError) throw new StoreMismatch(error.message);
    throw error;
  }
}

/** Interval at which claimed batches without an end are (re)started, and so are missing watches. */
const EVERY_MS = 30_000;

interface UpkeepOptions {
  config: Config;
  deps: ActivityDeps;
  client: Client;
  log: Log;
  /** The namespace now belongs to another store. */
  taken(error: NamespaceTakenError): void;
}

/** The periodic work of a worker beside its tasks. Each job runs by itself, and one that fails does not stop the others. */
async function startUpkeep({ config, deps, client, log, taken }: UpkeepOptions): Promise<AsyncDisposable> {
  const { store, bank, settings } = deps;
  const job = (work: () => Promise<unknown>, failed: string) =>
    oneAtATime(work, (error) => log.warn({ error }, failed));
  const notStarted = (error: unknown, id: string) =>
    log.warn({ error, id }, 'a batch or payout could not be started: it is tried again');
  const resume = job(() => startUnended(deps, notStarted), 'resuming failed');
  const pass = job(
    cardEventPass(deps, (error, { paymentId }) => log.warn({ error, paymentId }, 'card event not delivered')),
    'delivering card events failed',
  );
  const keep = oneAtATime(
    () => keepNamespace(client, store.id),
    (error) => {
      if (error instanceof NamespaceTakenError) taken(error);
      else log.warn({ error }, 'the claim on the namespace could not be read');
    },
  );
  const sign = job(() => keepLog(config, store, Date.now()), 'the audit log was not signed');
  const prune = job(() => pruneEvents(store, config.events.keepMs, Date.now()), 'events were not pruned');
  const remind = job(
    () => remindPeople({ store, terms: settings.terms, leadMs: config.events.remindMs, now: Date.now() }),
    'nobody was reminded',
  );
  const erase = job(eraser(config, store, log), 'personal data was not erased');
  const checkClock = bankClockAlarm(bank.clock, settings.clockSkewMs, log);
  await resume();
  // Not awaited: it may have to ask the acquirer.
  void pass();
  await sign();
  checkClock();
  const timer = setInterval(() => {
    checkClock();
    // So that a change of the file is reported even if nothing asks for the policy.
    config.policyFile?.current();
    for (const task of [resume, pass, keep, sign, prune, remind, erase]) void task();
  }, EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await sign();
    },
  };
}

/** Erases personal data whose time has come, where that is set. */
function eraser(config: Config, store: Store, log: Log): () => Promise<void> {
  const { retentionDays: days } = config;
  if (days === undefined) return async () => {};
  const folders = [reportFolder(config), ...config.folders.flatMap(settledFolders)];
  const pass = erasurePass({ store, days, folders }, Date.now);
  return async () => {
    const { payouts, differing } = await pass();
    if (payouts > 0) log.info({ count: payouts }, 'personal data erased');
    for (const reference of differing)
      log.warn({ reference }, 'personal data kept: the payout differs from the audit log');
  };
}

/** While one call is under way, further calls get its promise, which never rejects. */
function oneAtATime(work: () => Promise<unknown>, failed: (error: unknown) => void): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work()
      .then(() => {}, failed)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}

/** What `node src/worker.ts` runs: the command `payouts worker`, which reads its arguments and signals. */
if (import.meta.main) {
  const [{ runProgram }, { endSoon }] = await Promise.all([import('./cli/program.ts'), import('./cli/exit.ts')]);
  process.exitCode = await runProgram(['worker', ...process.argv.slice(2)]);
  endSoon();
}
