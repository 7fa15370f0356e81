import { CLOSED_RUNS_MAX, type ClosedRuns, NO_CLOSED_RUNS } from '../domain/closed-runs.ts';
import type { Database } from './engine/database.ts';
import { recent } from './engine/recent.ts';
import { met } from './engine/row-writes.ts';
import type { PayoutRecord } from './schema.ts';

// Payouts whose workflow may have been closed before they had an end, and how often that was found.

/** A payout without changes for a while, with its closed runs. */
export type QuietPayout = PayoutRecord & { closedRuns: ClosedRuns };

/**
 * Which quiet payouts: rows of a batch, payouts without a batch (`null`), or rows of ended batches, which were left to people and
 * which nothing else looks after.
 */
export type QuietScope = { batchId: string | null } | 'ended-batches';

/**
 * Released payouts without an end, unchanged since `changedBefore` and restartable at `now`; by reference, after `after`.
 * Excludes those handed to people because their runs were closed repeatedly.
 */
export async function quietPayouts(
  db: Database,
  scope: QuietScope,
  { changedBefore, now }: { changedBefore: number; now: number },
  { after, limit }: { after: string | null; limit: number },
): Promise<QuietPayout[]> {
  let query = db
    .selectFrom('payouts')
    .selectAll()
    .where('releasedAt', 'is not', null)
    .where('endedAt', 'is', null)
    .where(({ not, between }) => not(between('updatedAt', ...recent(changedBefore, now))))
    .where((row) => row.or([row('nextRestartAt', 'is', null), row('nextRestartAt', '<=', now)]))
    .where((row) => row.or([row('closedRuns', '<', CLOSED_RUNS_MAX), row('state', '!=', 'needs-operator')]));
  if (scope === 'ended-batches') {
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('batches')
          .select('batches.batchId')
          .whereRef('batches.batchId', '=', 'payouts.batchId')
          .where('batches.endedAt', 'is not', null),
      ),
    );
  } else if (scope.batchId === null) query = query.where('batchId', 'is', null);
  else query = query.where('batchId', '=', scope.batchId);
  if (after !== null) query = query.where('reference', '>', after);
  const rows = await query.orderBy('reference').limit(limit).execute();
  return rows.map(({ closedRuns: count, closedAtState: stoodAt, nextRestartAt, ...row }) => ({
    ...row,
    closedRuns: { count, stoodAt, nextRestartAt },
  }));
}

/** Compare-and-set: false if the count changed since `before`, so that of concurrent passes only one restarts the payout. */
export async function countClosedRun(
  db: Database,
  reference: string,
  before: ClosedRuns,
  after: ClosedRuns,
): Promise<boolean> {
  return met(
    db
      .updateTable('payouts')
      .set(columnsOf(after))
      .where('reference', '=', reference)
      .where('closedRuns', '=', before.count)
      .where('endedAt', 'is', null),
  );
}

/**
 * Resets the count of closed runs because an operator starts the payout again: of one payout, or of all that are with an operator
 * because their workflow was closed.
 */
export async function forgetClosedRuns(db: Database, reference?: string): Promise<void> {
  await db
    .updateTable('payouts')
    .set(columnsOf(NO_CLOSED_RUNS))
    .where((row) =>
      row.and(reference === undefined ? { state: 'needs-operator', reasonCode: 'workflow-closed' } : { reference }),
    )
    .execute();
}

function columnsOf({ count, stoodAt, nextRestartAt }: ClosedRuns) {
  return { closedRuns: count, closedAtState: stoodAt, nextRestartAt };
}
