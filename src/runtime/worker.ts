import type { Client } from '@temporalio/client';
import { type NativeConnection, Worker } from '@temporalio/worker';
import type { ActivityDeps } from '../activities/deps.ts';
import { createActivities } from '../activities/index.ts';
import { wakeNeglectedWatches } from '../activities/order-watch.ts';
import { permanentFailure } from '../activities/to-failure.ts';
import type { Config } from '../config.ts';
import { FAILURES } from '../domain/failures.ts';
import { TASK_QUEUE } from '../domain/names.ts';
import { checkInstruction } from '../erp/check-instruction.ts';
import { StoreIdentityError } from '../store/errors.ts';
import { openStore } from '../store/open.ts';
import { workflowBundle } from '../temporal/bundle.ts';
import { executionsOver, startBatch } from '../temporal/executions.ts';
import { bankAt, bankMark } from './bank.ts';
import { workerSettings } from './settings.ts';

export interface WorkerOptions {
  config: Config;
  connection: NativeConnection;
  client: Client;
  namespace: string;
  apiUrl: string;
  /** Told when the worker stops by itself with an error. */
  onFailure: (error: unknown) => void;
}

/** A running worker; `close` lets running tasks finish. */
export interface RunningWorker {
  close(): Promise<void>;
}

/** Starts a worker on the task queue `payouts` and picks up batches and watches that nobody runs. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { config, connection, client, namespace, apiUrl } = options;
  const store = await openStore(config.storeUrl.reveal());
  const identity = { bank: bankMark(config), namespace };
  await store.identify(identity);
  const bank = bankAt(config, apiUrl);
  const deps: ActivityDeps = {
    bank,
    store,
    executions: executionsOver(client),
    settings: workerSettings(config),
    now: Date.now,
    checkInstruction,
    assertIdentity: async () => {
      try {
        await store.identify(identity);
      } catch (error) {
        if (error instanceof StoreIdentityError) throw permanentFailure(FAILURES.wrongStore, error.message);
        throw error;
      }
    },
  };
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: await workflowBundle(),
    activities: createActivities(deps),
    shutdownGraceTime: '5s',
  });
  const running = worker.run().catch(options.onFailure);
  await resumeUnfinished(deps, client);
  return {
    async close() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
      await bank.close();
      await store.close();
    },
  };
}

/** Claimed batches are an outbox: any without an end is started (again), and so is any watch that is missing. */
async function resumeUnfinished(deps: ActivityDeps, client: Client): Promise<void> {
  for (const { batchId, file } of await deps.store.unendedBatches()) await startBatch(client, batchId, file);
  await wakeNeglectedWatches(deps);
}
