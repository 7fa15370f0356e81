/** A stretch of time in which one process may make so many calls. */
export interface Slice {
  /** Milliseconds. */
  lengthMs: number;
  calls: number;
}

/** Long enough that a process asks for few of them, short enough that nobody waits long for the turn of another one. */
const SLICE_MS = 200;

/** The slices that a limit is given out in, at least one call each. */
export function sliceOf(perSecond: number): Slice {
  const calls = Math.max(1, Math.floor((perSecond * SLICE_MS) / 1_000));
  return { calls, lengthMs: Math.ceil((calls * 1_000) / perSecond) };
}

/** How the bank has answered of late. */
export interface Health {
  /** Calls without an answer since the last one that had one. */
  failedInRow: number;
  /** First answer after an outage, epoch ms; null: there was none, or it is long past. */
  backSince: number | null;
}

export const HEALTHY: Health = { failedInRow: 0, backSince: null };

/** After so many it is not one call that failed. */
const OUTAGE_AFTER = 5;
const DOUBLES_EVERY_MS = 1_000;

const isDown = ({ failedInRow }: Health): boolean => failedInRow >= OUTAGE_AFTER;

/** `isAnswered`: the bank has judged the call, whatever it said. */
export function afterCall(health: Health, isAnswered: boolean, now: number): Health {
  if (!isAnswered) return { ...health, failedInRow: health.failedInRow + 1 };
  return { failedInRow: 0, backSince: isDown(health) ? now : health.backSince };
}

/**
 * Calls in a slice of so many: one while the bank is down, and then twice as many each second, so that it comes back to what
 * waited for it little by little.
 */
export function callsNow(health: Health, calls: number, now: number): number {
  if (isDown(health)) return 1;
  if (health.backSince === null) return calls;
  // A clock that was put back says nothing: it begins anew.
  return Math.min(calls, Math.floor(2 ** (Math.max(0, now - health.backSince) / DOUBLES_EVERY_MS)));
}
