import { AsyncLocalStorage } from 'node:async_hooks';
import type { CancelledFailure } from '@temporalio/common';
import type { WorkerProcess } from './worker-process.ts';

export { CompleteAsyncError } from '@temporalio/common';

/** Replaces `@temporalio/activity` in the simulation: what the activities of the product use of it. */

export interface RunningActivity {
  info: { activityId: string; attempt: number; workflowExecution: { workflowId: string; runId: string } };
  process: WorkerProcess;
  heartbeat(): void;
  signal: AbortSignal;
}

export const runningActivity = new AsyncLocalStorage<RunningActivity>();

function running(): RunningActivity {
  const activity = runningActivity.getStore();
  if (activity === undefined) throw new Error('activity code runs outside an activity');
  return activity;
}

export const activityInfo = (): RunningActivity['info'] => running().info;
export const heartbeat = (_details?: unknown): void => running().heartbeat();
export const cancellationSignal = (): AbortSignal => running().signal;

/** Rejects when the activity is notified of its cancellation. */
export async function sleep(ms: number): Promise<void> {
  const { process, signal } = running();
  const { promise, reject } = Promise.withResolvers<void>();
  const stop = (): void => reject(signal.reason as CancelledFailure);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await Promise.race([process.wait(ms), promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const silent = (_message: string, _attributes?: object): void => {};
export const log = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };
