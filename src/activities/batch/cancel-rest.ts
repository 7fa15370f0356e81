import { CANCELLABLE_STATES } from '../../domain/payout-state.ts';
import { because } from '../../domain/reasons.ts';
import { believedFrom } from '../../domain/restored.ts';
import { someAtOnce } from '../../domain/some-at-once.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import type { LongRun } from '../long-run.ts';
import { roomOf, startAll } from './release.ts';

/** By payout and run: epoch ms from which it may be asked to cancel (again); infinity once it has accepted the cancel. */
export type CancelAsked = Map<string, number>;

/** Payload of the cancel update, the same from every caller: all of them send one update id, which a run accepts once. */
export const BATCH_CANCELLED = { by: 'batch', reason: 'the batch was cancelled' } as const;

const AT_ONCE = 10;

/**
 * Ends rows that were not started and asks started ones to cancel; those decide for themselves. After the store was replaced by
 * an older copy, its "not started" is not believed for a while: such rows are started, so that each looks at the bank before it
 * ends.
 */
export async function cancelRest(
  deps: ActivityDeps,
  batchId: string,
  asked: CancelAsked,
  warn: LongRun['warn'],
): Promise<void> {
  const believed = believedFrom(await deps.store.restored(), deps.settings);
  await deps.store.cancelUnreleased(batchId, believed, because('batch-cancelled'), deps.now());
  const room = await roomOf(deps, batchId);
  if (believed !== null && room > 0) await startAll(deps, await deps.store.releasable(batchId, room, []));
  const now = deps.now();
  const due = (await deps.store.rowsIn(batchId, CANCELLABLE_STATES)).filter(
    (row) => now >= (asked.get(runOf(row)) ?? 0),
  );
  await someAtOnce(due, AT_ONCE, (row) => ask(deps, row, asked, warn));
}

/** Asks each run once, a new run of the same payout again. A row that accepts no cancel now does not delay the others. */
async function ask(deps: ActivityDeps, row: PayoutRecord, asked: CancelAsked, warn: LongRun['warn']): Promise<void> {
  const again = deps.now() + deps.settings.quietCheckMs;
  try {
    const isTaken = await deps.executions.cancelPayout(row.workflowId, BATCH_CANCELLED);
    asked.set(runOf(row), isTaken ? Number.POSITIVE_INFINITY : again);
  } catch (error) {
    asked.set(runOf(row), again);
    warn('a payout of a cancelled batch did not accept the cancel', { error, reference: row.reference });
  }
}

const runOf = ({ workflowId, claimRunId }: PayoutRecord): string => `${workflowId} ${claimRunId}`;
