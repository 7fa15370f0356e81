import { doublingPause, HOUR_MS } from './durations.ts';
import type { PayoutState } from './payout-state.ts';

/** After this many runs of one payout were closed in a row without progress, people are asked. */
export const CLOSED_RUNS_MAX = 5;

/** What is stored about runs of a payout that were closed before it had an end. */
export interface ClosedRuns {
  /** Runs closed in a row without progress. */
  count: number;
  /** State and order id of the payout when the last closed run was found; null: none so far. */
  stoodAt: string | null;
  /** Epoch ms before which it is not started again; null: at once. */
  nextRestartAt: number | null;
}

export const NO_CLOSED_RUNS: ClosedRuns = { count: 0, stoodAt: null, nextRestartAt: null };

/**
 * Counts one more closed run. If the payout's state or order changed since the previous one, that is progress and the count
 * restarts.
 */
export function closedAgain(
  before: ClosedRuns,
  { state, orderId }: { state: PayoutState; orderId: string | null },
  { now, firstPauseMs }: { now: number; firstPauseMs: number },
): ClosedRuns {
  const stoodAt = `${state} ${orderId ?? ''}`.trim();
  const count = stoodAt === before.stoodAt ? before.count + 1 : 1;
  return { count, stoodAt, nextRestartAt: now + doublingPause(count - 1, firstPauseMs, HOUR_MS) };
}
