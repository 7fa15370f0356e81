import { log } from '@temporalio/activity';
import { sweepCardEvents } from './card-events.ts';
import type { ActivityDeps } from './deps.ts';
import { wakeNeglectedWatches } from './order-watch.ts';

/** What did not work out, and of which batch or event. */
export type NotResumed = (error: unknown, what: { batchId: string } | { paymentId: string }) => void;

export const outboxActivities = (deps: ActivityDeps) => ({
  /** Starts what should run and does not, and tells what was not told: batches, watches, events of card payments. */
  resumeUnended: (): Promise<void> => resumeUnended(deps, (error, what) => log.warn('not resumed', { error, ...what })),
});

/** One that does not work out is told to `failed` and stops none of the others. */
export async function resumeUnended(
  deps: Pick<ActivityDeps, 'bank' | 'store' | 'executions' | 'settings' | 'now'>,
  failed: NotResumed,
): Promise<void> {
  for (const { batchId, file } of await deps.store.unendedBatches()) {
    await deps.executions.startBatch(batchId, file).catch((error: unknown) => failed(error, { batchId }));
  }
  await wakeNeglectedWatches(deps);
  await sweepCardEvents(deps, (error, { paymentId }) => failed(error, { paymentId }));
}
