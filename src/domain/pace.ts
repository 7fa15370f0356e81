/** A period in which one process may make `calls` calls. */
interface Slice {
  lengthMs: number;
  calls: number;
}

/** Long enough that a process claims few slices, short enough that none waits long while another has its turn. */
const SLICE_MS = 200;

/** The slices into which a limit is divided, at least one call each. */
export function sliceOf(perSecond: number): Slice {
  const calls = Math.max(1, Math.floor((perSecond * SLICE_MS) / 1_000));
  return { calls, lengthMs: Math.ceil((calls * 1_000) / perSecond) };
}

/** How the bank has been answering. */
export interface Health {
  /** Calls in a row that the bank has not judged. */
  failedInRow: number;
  /** When the bank takes calls again after an outage or a quiet period, epoch ms; null: there was neither. */
  backSince: number | null;
  /** The period in which the bank wants no calls, epoch ms; null: it never asked for one. */
  quiet: { from: number; until: number } | null;
}

export const HEALTHY: Health = { failedInRow: 0, backSince: null, quiet: null };

/** Number of these calls from which the bank counts as down. */
const OUTAGE_AFTER = 5;
const DOUBLES_EVERY_MS = 1_000;
/** Where the bank has said that it was too much: at once as much again would only be the next time. */
const DOUBLES_SLOWLY_MS = 5_000;

const isDown = ({ failedInRow }: Health): boolean => failedInRow >= OUTAGE_AFTER;

export interface CallEnd {
  /** The bank judged the call, with any answer; a 429 or 5xx is no judgement (`src/bank/calls.ts`). */
  isAnswered: boolean;
  /** The bank has had too many calls and wants none for this long. */
  quietMs?: number | undefined;
}

export function afterCall(health: Health, { isAnswered, quietMs }: CallEnd, now: number): Health {
  const quietUntil = endOfQuiet(health, now);
  if (isAnswered)
    return { ...health, failedInRow: 0, backSince: isDown(health) ? quietUntil : begunBy(health, quietUntil) };
  if (quietMs === undefined) return { ...health, failedInRow: health.failedInRow + 1 };
  const until = Math.max(now + quietMs, quietUntil);
  // That is no outage: a bank that limits its callers is up.
  return { ...health, backSince: until, quiet: { from: now, until } };
}

/** It begins anew after a clock that was put back, and does not go slowly until the time that it showed. */
const begunBy = ({ backSince }: Health, now: number): number | null => backSince && Math.min(backSince, now);

/** A clock that was put back says nothing: nobody waits for the time it showed. */
const endOfQuiet = ({ quiet }: Health, now: number): number =>
  quiet === null || now < quiet.from ? now : Math.max(now, quiet.until);

/**
 * Calls in a slice of so many: none while the bank wants none, one while it is down, and then twice as many each second, or
 * each fifth one, so that it comes back to what waited for it little by little.
 */
export function callsNow(health: Health, calls: number, now: number): number {
  if (now < endOfQuiet(health, now)) return 0;
  if (isDown(health)) return 1;
  if (health.backSince === null) return calls;
  const everyMs = health.backSince === health.quiet?.until ? DOUBLES_SLOWLY_MS : DOUBLES_EVERY_MS;
  return Math.min(calls, Math.floor(2 ** (Math.max(0, now - health.backSince) / everyMs)));
}

/** Rows that keep workers busy which have just started on a batch. */
const WAITING_AT_LEAST = 10;

/**
 * How many more rows of a batch may be released, given those that wait for a worker. What comes later, even a batch of one
 * row of the same user, waits behind all of them: so at most twice as many wait as workers begin between two releases.
 *
 * @param before how many rows waited after the last release
 */
export function roomInQueue(before: number, waiting: number): number {
  const begun = before - waiting;
  return Math.max(0, Math.max(WAITING_AT_LEAST, 2 * begun) - waiting);
}
