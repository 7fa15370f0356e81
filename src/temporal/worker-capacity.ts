import { getHeapStatistics } from 'node:v8';

/** How much a worker does and keeps at one time. */
interface WorkerCapacity {
  maxCachedWorkflows: number;
  maxConcurrentActivityTaskExecutions: number;
}

/** What a workflow that waits takes in the thread of the workflows, as `npm run drill:scale` shows it, with room to spare. */
const BYTES_EACH = 2 * 1_048_576;
/** The rest is for what is at work, and for what has not been collected yet. */
const PART_OF_HEAP = 1 / 4;
/** As many as the SDK has at work at once. */
const CACHED_MIN = 40;

/**
 * A batch and a watch hold an activity for as long as they have rows: were there no more places than of these, nothing would be
 * sent. A place costs nothing, and how often the bank is called has a limit of its own.
 */
const ACTIVITIES = 2_000;

/**
 * Of a process whose heap may become so large. A workflow that is not kept is read from its history when it goes on: its memory is
 * bounded whatever waits.
 */
export const workerCapacity = (heapBytes = getHeapStatistics().heap_size_limit): WorkerCapacity => ({
  maxCachedWorkflows: Math.max(CACHED_MIN, Math.floor((heapBytes * PART_OF_HEAP) / BYTES_EACH)),
  maxConcurrentActivityTaskExecutions: ACTIVITIES,
});
