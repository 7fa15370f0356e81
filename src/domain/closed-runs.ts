import type { PayoutState } from './payout-state.ts';
import { doublingPause } from './policy.ts';

/** Runs of one payout that were closed in a row without progress in between: after so many people are asked. */
export const CLOSED_RUNS_MAX = 5;

/** What is kept of the runs of a payout that were closed before it had an end. */
export interface ClosedRuns {
  /** Closed in a row without progress. */
  count: number;
  /** Where the payout stood when the last of them was found; null: none was. */
  stoodAt: string | null;
  /** Epoch ms: not started again before; null: at once. */
  nextRestartAt: number | null;
}

export const NO_CLOSED_RUNS: ClosedRuns = { count: 0, stoodAt: null, nextRestartAt: null };

const PAUSE_MAX_MS = 3_600_000;

/** One more run was found closed: whatever the payout did since the last one is progress, and the count begins anew. */
export function closedAgain(
  before: ClosedRuns,
  { state, orderId }: { state: PayoutState; orderId: string | null },
  { now, firstPauseMs }: { now: number; firstPauseMs: number },
): ClosedRuns {
  const stoodAt = `${state} ${orderId ?? ''}`.trim();
  const count = stoodAt === before.stoodAt ? before.count + 1 : 1;
  return { count, stoodAt, nextRestartAt: now + doublingPause(count - 1, firstPauseMs, PAUSE_MAX_MS) };
}
