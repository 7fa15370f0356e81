// Loads the native core, which clients do without: only what runs a worker imports this file.

import { getHeapStatistics } from 'node:v8';
import { NativeConnection, type Worker } from '@temporalio/worker';
import type { Config } from '../config.ts';
import { connectOptions, type TemporalAddress, TemporalUnreachableError } from './connection.ts';

export async function connectWorker(config: Pick<Config, 'temporal'>, at: TemporalAddress): Promise<NativeConnection> {
  return NativeConnection.connect(connectOptions(config, at)).catch((error: unknown) => {
    throw new TemporalUnreachableError(at.temporalAddress, error);
  });
}

/** Runs a worker; `failed` is told why it ended by itself. Disposing lets its running tasks finish. */
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
 * How a worker ends. The grace time only tells long activities to stop; a POST under way is never interrupted, and takes less
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
