import { log } from '@temporalio/activity';
import type { ActivityDeps } from './deps.ts';
import { wakeNeglectedWatches } from './order-watch.ts';

export const outboxActivities = (deps: ActivityDeps) => ({
  /** Starts what should run and does not: claimed batches without an end, watches of open orders. */
  resumeUnended: (): Promise<void> =>
    resumeUnended(deps, (error, batchId) => log.warn('batch not started', { error, batchId })),
});

/** One batch that cannot be started is told to `failed` and stops neither the others nor the watches. */
export async function resumeUnended(
  deps: Pick<ActivityDeps, 'store' | 'executions' | 'settings' | 'now'>,
  failed: (error: unknown, batchId: string) => void,
): Promise<void> {
  for (const { batchId, file } of await deps.store.unendedBatches()) {
    await deps.executions.startBatch(batchId, file).catch((error: unknown) => failed(error, batchId));
  }
  await wakeNeglectedWatches(deps);
}
