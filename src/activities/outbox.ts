import { log } from '@temporalio/activity';
import type { QuietScope } from '../store/store.ts';
import { restartAll } from './closed-payouts.ts';
import type { ActivityDeps } from './deps.ts';
import { wakeNeglectedWatches } from './order-watch.ts';

/** The activity has a minute: what this leaves, the next pass of a worker finds. */
const LIMIT_MS = 30_000;

export const outboxActivities = (deps: ActivityDeps) => ({
  /** Starts what should run and does not: claimed batches without an end, payouts of no running batch, watches. */
  resumeUnended: (): Promise<void> =>
    resumeUnended(deps, (error, id) => log.warn('not started', { error, id }), deps.now() + LIMIT_MS),
});

/** Rows of a running batch are its own to look after. */
const UNATTENDED: readonly QuietScope[] = [{ batchId: null }, 'needs-operator'];

/** One batch or payout that cannot be started is told to `failed` and stops neither the others nor the watches. */
export async function resumeUnended(
  deps: Pick<ActivityDeps, 'store' | 'executions' | 'settings' | 'now'>,
  failed: (error: unknown, id: string) => void,
  until?: number,
): Promise<void> {
  // First: the batch of a payout that may come back from its operator is open again.
  for (const scope of UNATTENDED) await restartAll(deps, scope, { failed, until });
  for (const { batchId, file } of await deps.store.unendedBatches()) {
    await deps.executions.startBatch(batchId, file).catch((error: unknown) => failed(error, batchId));
  }
  await wakeNeglectedWatches(deps);
}
