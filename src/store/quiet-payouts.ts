import { CLOSED_RUNS_MAX, type ClosedRuns, NO_CLOSED_RUNS } from '../domain/closed-runs.ts';
import { payoutRecord } from './records.ts';
import type { Database } from './schema.ts';
import type { PayoutRecord } from './store.ts';

// Payouts whose workflow may have been closed before they had an end, and how often that was found.

/** A payout of which nothing was heard for a while, with the runs of it that were closed. */
export type QuietPayout = PayoutRecord & { closedRuns: ClosedRuns };

/**
 * Which quiet payouts: the rows of a batch, payouts without a batch (`null`), or those with an operator, whose batch may
 * have ended.
 */
export type QuietScope = { batchId: string | null } | 'needs-operator';

export async function quietPayouts(
  db: Database,
  scope: QuietScope,
  { changedBefore, now }: { changedBefore: number; now: number },
  { after, limit }: { after: string | null; limit: number },
): Promise<QuietPayout[]> {
  let query = db
    .selectFrom('payouts')
    .selectAll()
    .where('released_at', 'is not', null)
    .where('ended_at', 'is', null)
    .where('updated_at', '<', changedBefore)
    .where((row) => row.or([row('next_restart_at', 'is', null), row('next_restart_at', '<=', now)]))
    .where((row) => row.or([row('closed_runs', '<', CLOSED_RUNS_MAX), row('state', '!=', 'needs-operator')]));
  if (scope === 'needs-operator') query = query.where('state', '=', 'needs-operator');
  else if (scope.batchId === null) query = query.where('batch_id', 'is', null);
  else query = query.where('batch_id', '=', scope.batchId);
  if (after !== null) query = query.where('reference', '>', after);
  const rows = await query.orderBy('reference').limit(limit).execute();
  return rows.map((row) => ({
    ...payoutRecord(row),
    closedRuns: { count: row.closed_runs, stoodAt: row.closed_at_state, nextRestartAt: row.next_restart_at },
  }));
}

export async function countClosedRun(
  db: Database,
  reference: string,
  before: ClosedRuns,
  after: ClosedRuns,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payouts')
    .set(columnsOf(after))
    .where('reference', '=', reference)
    .where('closed_runs', '=', before.count)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Of one payout, or of all that are with an operator because their workflow was closed. */
export async function forgetClosedRuns(db: Database, reference?: string): Promise<void> {
  await db
    .updateTable('payouts')
    .set(columnsOf(NO_CLOSED_RUNS))
    .$if(reference !== undefined, (query) => query.where('reference', '=', reference ?? ''))
    .$if(reference === undefined, (query) =>
      query.where('state', '=', 'needs-operator').where('reason_code', '=', 'workflow-closed'),
    )
    .execute();
}

function columnsOf({ count, stoodAt, nextRestartAt }: ClosedRuns) {
  return { closed_runs: count, closed_at_state: stoodAt, next_restart_at: nextRestartAt };
}
