import type { Client } from '@temporalio/client';
import { Worker, type WorkerDeploymentOptions } from '@temporalio/worker';
import { folderActivities } from '../activities/folder-sweep.ts';
import { type Activities, createActivities } from '../activities/index.ts';
import type { Deployment } from '../config/deployment.ts';
import { assertPolicy, type Config } from '../config.ts';
import { WrongWorld } from '../domain/claim.ts';
import { DAY_MS } from '../domain/durations.ts';
import { TASK_QUEUE } from '../domain/names.ts';
import type { Part, StackAddresses } from '../embedded/stack.ts';
import { pruneEvents } from '../events/prune.ts';
import { DropFolder, LOOK_EVERY_MS } from '../folder/drop-folder.ts';
import type { Log } from '../log.ts';
import { checkInstruction } from '../rules/check-instruction.ts';
import { cardEventSweep } from '../services/card-events/deliver.ts';
import type { ActivityDeps } from '../services/deps.ts';
import { resumeUnended } from '../services/reconciliation/resume-unended.ts';
import { StoreIdentityError } from '../store/errors.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { observedCalls } from '../telemetry/observed-calls.ts';
import { observedStore } from '../telemetry/observed-store.ts';
import { workflowBundle } from '../temporal/bundle.ts';
import { connectTemporal } from '../temporal/connection.ts';
import { executionsOver } from '../temporal/executions.ts';
import { temporalIdentity } from '../temporal/identity.ts';
import { keepNamespace, NamespaceTakenError, takeNamespace } from '../temporal/namespace-claim.ts';
import { assertReachable } from '../temporal/reachable.ts';
import { refuseUndecodable, sealedPayloads } from '../temporal/sealed-payloads.ts';
import { workerCapacity } from '../temporal/worker-capacity.ts';
import { connectWorker } from '../temporal/worker-connection.ts';
import { keepLog } from './audit-log.ts';
import { bankAt } from './bank.ts';
import { bankClockAlarm } from './bank-clock-alarm.ts';
import { payeeChecks } from './checks.ts';
import { folderDeps } from './intake-deps.ts';
import { keepPolicyLog } from './policy-log.ts';
import { refusedPayloads } from './refused-payloads.ts';
import { openTracing, telemetryAt } from './telemetry.ts';
import { countedByUser } from './user-of-activity.ts';
import { lookAtWorld, openWorld, type World } from './world.ts';

/** Any claimed batch without an end is started (again), and so is any watch that is missing. */
const RESUME_EVERY_MS = 30_000;

/**
 * Starts a worker on the task queue `payouts` and picks up batches and watches that nobody runs. `close` lets running
 * tasks finish. Throws a `StoreIdentityError` when the store belongs to another world, and a `NamespaceTakenError` when the
 * namespace belongs to another store.
 */
export async function startWorker(config: Config, stack: StackAddresses, log: Log): Promise<Part> {
  assertPolicy(config);
  const opened = new AsyncDisposableStack();
  try {
    const telemetry = telemetryAt(config.metrics.worker, { config, log });
    const stored = opened.adopt(await openStore(config.storeUrl.reveal()), (it) => it.close());
    const tracing = await openTracing(config.traces, log);
    opened.defer(async () => tracing?.close());
    const store = observedStore(stored, telemetry.metrics, log, tracing);
    const calls = observedCalls(telemetry.metrics, tracing);
    const bank = opened.adopt(bankAt(config, stack.apiUrl, { store, onCall: calls }), (it) => it.close());
    const { client } = opened.adopt(await connectTemporal(config, stack), (it) => it.close());
    // Before anything that can refuse: the native runtime, once installed, ends with its last connection and not without one.
    const connection = opened.adopt(await connectWorker(config, stack), (it) => it.close());
    const world = await openWorld({ config, store, bank, temporal: await temporalIdentity(client) });
    await lookAtWorld(world, log);
    await claimNamespace(config, store, client);
    await keepPolicyLog(config, { store, log, who: 'worker' });
    // Closed after everything that is ended below: whoever asks while it drains is answered.
    opened.defer(() => telemetry.close());
    await telemetry.serve(
      {
        temporal: () => assertReachable(client, stack),
        store: () => store.identity(),
        // The bank's accounts are those of this store: before that nothing is sent.
        bank: () => world.assert(),
      },
      { store, bank },
    );
    const checks = payeeChecks(config, stack.apiUrl);
    opened.defer(async () => checks?.provider.close());
    const deps: ActivityDeps = {
      bank,
      store,
      checks,
      executions: executionsOver(client),
      settings: config.settings,
      now: Date.now,
      checkInstruction,
      assertIdentity: () => assertIdentity(world),
    };
    const folder = folderDeps({ config, stack, store, client, bank, log });
    const codecKeys = config.codecKeys();
    const worker = await Worker.create({
      connection,
      namespace: stack.namespace,
      taskQueue: TASK_QUEUE,
      ...workerCapacity(),
      workflowBundle: await workflowBundle({
        isSealed: codecKeys !== undefined,
        isVersioned: config.deployment !== undefined,
      }),
      dataConverter: sealedPayloads(codecKeys, refusedPayloads(store, log)),
      interceptors: {
        activity: [
          ...(tracing ? [tracing.activity] : []),
          () => ({ inbound: refuseUndecodable }),
          countedByUser(stored),
        ],
      },
      ...(config.deployment && { workerDeploymentOptions: versioned(config.deployment) }),
      activities: {
        ...countedActivities(createActivities(deps), telemetry.metrics),
        ...folderActivities(async (options) => (await DropFolder.open(folder, options)).sweepOnce(LOOK_EVERY_MS)),
      },
      // Long activities stop only when they are told; a POST under way is never interrupted, whatever the grace.
      shutdownGraceTime: '200ms',
    });
    const failure = Promise.withResolvers<Error>();
    const running = worker.run().catch((error: unknown) => failure.resolve(asError(error)));
    opened.defer(async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
    });
    const resume = oneAtATime(() =>
      resumeUnended(deps, (error, id) => log.warn({ error, id }, 'not started')).catch((error: unknown) =>
        log.warn({ error }, 'resuming failed'),
      ),
    );
    const sweepOnce = cardEventSweep(deps, (error, { paymentId }) =>
      log.warn({ error, paymentId }, 'card event not delivered'),
    );
    const sweep = oneAtATime(() =>
      sweepOnce().catch((error: unknown) => log.warn({ error }, 'sweeping card events failed')),
    );
    await resume();
    // It may ask the acquirer, and nobody waits for that.
    void sweep();
    const keep = (): Promise<void> =>
      keepNamespace(client, store.id).catch((error: unknown) => {
        if (error instanceof NamespaceTakenError) failure.resolve(error);
        else log.warn({ error }, 'the claim on the namespace could not be read');
      });
    const audit = oneAtATime(() =>
      keepLog(config, store, Date.now()).catch((error: unknown) => log.warn({ error }, 'the audit log was not signed')),
    );
    await audit();
    opened.defer(audit);
    if (config.events.subscriptions.length > 0) {
      // With what sends mails, which costs the start of every other worker.
      const { startEventSender } = await import('./event-sender.ts');
      opened.adopt(startEventSender(config, store, log), (it) => it.close());
    }
    const prune = oneAtATime(() =>
      pruneEvents(store, config.events.keepMs, Date.now()).then(
        () => {},
        (error: unknown) => log.warn({ error }, 'events were not pruned'),
      ),
    );
    const checkClock = bankClockAlarm(bank.clock, config.settings.clockSkewMs, log);
    checkClock();
    const timer = setInterval(() => {
      checkClock();
      // Said of a changed file, should nobody ask for it meanwhile.
      config.policyFile?.current();
      void Promise.all([resume(), sweep(), keep(), audit(), prune()]);
    }, RESUME_EVERY_MS);
    opened.defer(() => {
      clearInterval(timer);
      telemetry.drain();
    });
    return { close: () => opened.disposeAsync(), failure: failure.promise };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** What begins under a build ends under it, but for what goes on for ever (`src/workflows/versioned.ts`). */
const versioned = (version: Deployment): WorkerDeploymentOptions => ({
  version,
  useWorkerVersioning: true,
  defaultVersioningBehavior: 'PINNED',
});

/** What no write to the store tells of. */
const countedActivities = (activities: Activities, { reconciled }: Metrics): Activities => ({
  ...activities,
  async reconcileOrders(key) {
    const found = await activities.reconcileOrders(key);
    reconciled.inc();
    return found;
  },
});

/** Before the worker asks for its first task: the store that it was is put aside on record. */
async function claimNamespace({ replacesStore, settings }: Config, store: Store, client: Client): Promise<void> {
  const replaced = await takeNamespace(client, store.id, replacesStore);
  if (replaced === undefined) return;
  const detail = { namespace: client.options.namespace, replaced };
  const at = Date.now();
  // What the other store has sent is not in this one.
  await store.recordRestore({
    at,
    from: at - settings.reconcileDays * DAY_MS,
    by: 'worker',
    replaces: replaced,
    detail,
  });
}

async function assertIdentity(world: World): Promise<void> {
  try {
    await world.assert();
  } catch (error) {
    if (error instanceof StoreIdentityError) throw new WrongWorld(error.message);
    throw error;
  }
}

/** A call while one is under way is that one. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
