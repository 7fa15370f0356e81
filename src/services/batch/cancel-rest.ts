import { isEnd, type PayoutState } from '../../domain/payout-state.ts';
import { because } from '../../domain/reasons.ts';
import { believedFrom } from '../../domain/restored.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import type { LongRun } from '../long-run.ts';
import { someAtOnce } from '../some-at-once.ts';
import { roomOf, startAll } from './release.ts';

/** When a run of a payout may be asked to cancel (again), epoch ms: never, once it has taken the wish. By payout and run. */
export type CancelAsked = Map<string, number>;

/** What the rows are asked with, whoever asks: all of it is one update, which each answers once. */
export const BATCH_CANCELLED = { by: 'batch', reason: 'the batch was cancelled' } as const;

const AT_ONCE = 10;

/**
 * Rows not yet started end here; started ones are asked and decide for themselves. That a row was not started is the store's word:
 * while an older copy in its place may have forgotten that, rows are started all the same, so that each looks before it ends.
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
  const due = (await deps.store.rowsIn(batchId, CANCELLABLE)).filter(
    (row) => !isEnd(row.state) && now >= (asked.get(runOf(row)) ?? 0),
  );
  await someAtOnce(due, AT_ONCE, (row) => ask(deps, row, asked, warn));
}

/** Each run of a payout once: whoever starts it again, that run has not heard. One that takes no wish now keeps no other row waiting. */
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

/** States in which a started payout can still be stopped without an order at the bank that is past its audit. */
export const CANCELLABLE: readonly PayoutState[] = [
  'received',
  'preparing',
  'resolving',
  'scheduled',
  'held',
  'awaiting-funds',
  'awaiting-approval',
  'awaiting-bank-approval',
];
