import type { QuietScope } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { wakeNeglectedWatches } from '../watch/sweep-orders.ts';
import { restartAll } from './closed-payouts.ts';

/** Payouts that no running batch looks after. */
const UNATTENDED: readonly QuietScope[] = [{ batchId: null }, 'ended-batches'];

/**
 * Starts what should run and does not: claimed batches without an end, payouts, watches. A start that fails is passed to `failed`
 * and stops nothing else. Rows of running batches are left to their batch unless time remains until `rowsUntil`.
 */
export async function resumeUnended(
  deps: ActivityDeps,
  failed: (error: unknown, id: string) => void,
  { rowsUntil }: { rowsUntil?: number } = {},
): Promise<void> {
  // First, because this may reopen the batch of a payout that comes back from an operator.
  for (const scope of UNATTENDED) await restartAll(deps, scope, { failed, until: rowsUntil });
  for (const { batchId, file } of await deps.store.unendedBatches()) {
    if (rowsUntil !== undefined && deps.now() < rowsUntil) {
      await restartAll(deps, { batchId }, { failed, until: rowsUntil });
    }
    await deps.executions.startBatch(batchId, file).catch((error: unknown) => failed(error, batchId));
  }
  await wakeNeglectedWatches(deps);
}
