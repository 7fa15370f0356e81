import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Log } from '../../domain/settings.ts';
import { addressRefused, addressText, type ListenAddress } from '../telemetry/listen-address.ts';

let installed = false;

/** Logged for every activity-only worker, which ours is on purpose. */
const EXPECTED = 'No workflows registered, not polling for workflow tasks';

/** Durations in seconds and names with suffixes, as the public dashboards of the Temporal SDKs expect. */
const EXPORTED = { countersTotalSuffix: true, useSecondsForDurations: true, unitSuffix: true } as const;

/**
 * Routes the SDK's log through ours; call before any worker or native connection. Only the first call of a process counts.
 * Process signals stay ours: the root decides the order in which worker and server end. `metricsAt`: address of the SDK's
 * metrics; throws a `Problem` if it cannot be used.
 */
export function installRuntime(log: Log, metricsAt?: ListenAddress): void {
  if (installed) return;
  installed = true;
  try {
    Runtime.install({
      logger: temporalLogger(log),
      telemetryOptions: {
        logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
        ...(metricsAt && { metrics: { prometheus: { bindAddress: addressText(metricsAt), ...EXPORTED } } }),
      },
      shutdownSignals: [],
    });
  } catch (error) {
    if (metricsAt !== undefined && error instanceof Error && /metrics exporter/.test(error.message)) {
      throw addressRefused(metricsAt, error);
    }
    throw error;
  }
}

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** The SDK's lines, at their own level. */
export const temporalLogger = (log: Log): DefaultLogger =>
  new DefaultLogger('TRACE', ({ level, message, meta = {} }) => {
    if (message !== EXPECTED) log[LEVELS[level]](meta, message);
  });

// Loads the native core, which clients do without: only what runs a worker imports this file.

import { getHeapStatistics } from 'node:v8';
import { NativeConnection, type Worker } from '@temporalio/worker';
import type { Config } from '../config.ts';
import { connectOptions, notConnected, type TemporalAddress } from './connection.ts';

export async function connectWorker(config: Config, at: TemporalAddress): Promise<NativeConnection> {
  const options = connectOptions(config, at);
  return NativeConnection.connect(options).catch((error: unknown) => notConnected(options, error));
}

/** Runs a worker; `failed` receives the reason if it ended by itself. Disposing lets its running tasks finish. */
export function runWorker(worker: Worker, failed: (error: Error) => void): AsyncDisposable {
  const running = worker.run().catch(failed);
  return {
    async [Symbol.asyncDispose]() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
    },
  };
}

/**
 * How a worker ends. The grace time only asks long activities to stop; a POST under way is never interrupted, and takes less
 * than the time after which the worker gives up: one that an error of the SDK has stopped would otherwise wait for ever for a
 * workflow task that cannot end, and nobody would start it again.
 */
export const SHUTDOWN = { shutdownGraceTime: '200ms', shutdownForceTime: '1m' } as const;

interface WorkerCapacity {
  maxCachedWorkflows: number;
  maxConcurrentActivityTaskExecutions: number;
}

/** Memory of a waiting workflow in the workflow thread, as measured by `npm run drill:scale`, with margin. */
const BYTES_EACH = 2 * 1_048_576;
/** Share of the heap for cached workflows; the rest is for running ones and uncollected garbage. */
const PART_OF_HEAP = 1 / 4;
/** The SDK's number of concurrent workflow tasks. */
const CACHED_MIN = 40;

/**
 * Batches and watches hold an activity slot for as long as they have rows; without more slots than that, nothing would be sent. A
 * slot costs nothing, and calls of the bank have a limit of their own.
 */
const ACTIVITIES = 2_000;

/**
 * Capacity of a process with this heap limit. Workflows that are not cached are rebuilt from their history when they continue, so
 * memory is bounded however many wait.
 */
export const workerCapacity = (heapBytes = getHeapStatistics().heap_size_limit): WorkerCapacity => ({
  maxCachedWorkflows: Math.max(CACHED_MIN, Math.floor((heapBytes * PART_OF_HEAP) / BYTES_EACH)),
  maxConcurrentActivityTaskExecutions: ACTIVITIES,
});
