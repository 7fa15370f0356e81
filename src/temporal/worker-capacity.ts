import { getHeapStatistics } from 'node:v8';

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
