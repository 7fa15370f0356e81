import type { PayoutState } from './payout-state.ts';
import { doublingPause, HOUR_MS } from './time.ts';

/**
 * Fencing token of a payout: the store that keeps it, and the term in which a run holds it. Every send and every write carries
 * the claim of its run; a run that no longer holds it gets `Superseded` and prepares again.
 */
export interface Claim {
  storeId: string;
  reference: string;
  /** From 1; increases with each run that takes the claim over. */
  term: number;
}

/** The run no longer holds the claim, or the payout has ended: it does nothing further and prepares again. */
export class Superseded extends Error {
  constructor(why = 'another run holds the claim, or the payout has ended') {
    super(why);
    this.name = 'Superseded';
  }
}

/** The payout belongs to another store, bank or namespace: nothing is done here; another worker may be the right one. */
export class StoreMismatch extends Error {
  override readonly name = 'StoreMismatch';
}

/** After this many runs of one payout were closed in a row without progress, people are asked. */
export const CLOSED_RUNS_MAX = 5;

/** What is stored about runs of a payout that were closed before it had an end. */
export interface ClosedRuns {
  /** Runs closed in a row without progress. */
  count: number;
  /** State and order id of the payout when the last closed run was found; null: none so far. */
  closedState: string | null;
  /** Epoch ms before which it is not started again; null: at once. */
  nextRestartAt: number | null;
}

export const NO_CLOSED_RUNS: ClosedRuns = { count: 0, closedState: null, nextRestartAt: null };

/**
 * Counts one more closed run. If the payout's state or order changed since the previous one, that is progress and the count
 * restarts.
 */
export function closedAgain(
  before: ClosedRuns,
  { state, orderId }: { state: PayoutState; orderId: string | null },
  { now, firstPauseMs }: { now: number; firstPauseMs: number },
): ClosedRuns {
  const closedState = `${state} ${orderId ?? ''}`.trim();
  const count = closedState === before.closedState ? before.count + 1 : 1;
  return { count, closedState, nextRestartAt: now + doublingPause(count - 1, firstPauseMs, HOUR_MS) };
}
