import { log } from '@temporalio/activity';
import type { ActivityDeps } from '../services/deps.ts';
import { restartAll } from '../services/reconciliation/closed-payouts.ts';
import type { QuietScope } from '../store/store.ts';
import { wakeNeglectedWatches } from './order-watch.ts';

/** The activity has a minute: what this leaves, workers and batches find. */
const LIMIT_MS = 30_000;

export const outboxActivities = (deps: ActivityDeps) => ({
  /** Starts what should run and does not: claimed batches without an end, payouts, watches. */
  resumeUnended: (): Promise<void> =>
    resumeUnended(deps, (error, id) => log.warn('not started', { error, id }), { rowsUntil: deps.now() + LIMIT_MS }),
});

/** Payouts that no running batch looks after. */
const UNATTENDED: readonly QuietScope[] = [{ batchId: null }, 'needs-operator'];

/**
 * One batch or payout that cannot be started is told to `failed` and stops neither the others nor the watches. Rows of
 * running batches are left to them, unless there is time for these too, until `rowsUntil`.
 */
export async function resumeUnended(
  deps: Pick<ActivityDeps, 'store' | 'executions' | 'settings' | 'now'>,
  failed: (error: unknown, id: string) => void,
  { rowsUntil }: { rowsUntil?: number } = {},
): Promise<void> {
  // First: the batch of a payout that may come back from its operator is open again.
  for (const scope of UNATTENDED) await restartAll(deps, scope, { failed, until: rowsUntil });
  for (const { batchId, file } of await deps.store.unendedBatches()) {
    if (rowsUntil !== undefined) await restartAll(deps, { batchId }, { failed, until: rowsUntil });
    await deps.executions.startBatch(batchId, file).catch((error: unknown) => failed(error, batchId));
  }
  await wakeNeglectedWatches(deps);
}
