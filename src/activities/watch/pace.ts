/** How often a watch reads its open orders, in ms. */
export interface Pace {
  /** Pause for young orders. */
  sweepMs: number;
  /** Longest pause between two sweeps. */
  sweepMaxMs: number;
}

/** An order waits at most a quarter of its age for its next look, unless full sweeps come sooner. */
const PART_OF_AGE = 4;
/** A full sweep comes after this many longest pauses, at most twice as many. */
const FULL_EVERY = 4;

/**
 * How far back the sweep at `now` looks, as an age in ms; infinity: all that the list may show. Times count from the first sweep,
 * which is a full one; `before` is the previous sweep. Periods double with age: however long an order is open, it is looked at a
 * few times whenever its age doubles, not at every pause.
 */
export function depthAt({ sweepMs, sweepMaxMs }: Pace, before: number, now: number): number {
  const isDue = (period: number): boolean => Math.floor(now / period) > Math.floor(before / period);
  const fullMs = sweepMs * 2 ** Math.ceil(Math.log2((FULL_EVERY * sweepMaxMs) / sweepMs));
  if (now === 0 || isDue(fullMs)) return Number.POSITIVE_INFINITY;
  let depth = 0;
  for (let period = sweepMs; period < fullMs; period *= 2) if (isDue(period)) depth = 2 * PART_OF_AGE * period;
  return depth;
}

/** Pause after a sweep at `now`, given the age of the youngest open order. */
export function pauseAt({ sweepMs, sweepMaxMs }: Pace, now: number, youngestMs: number): number {
  let period = sweepMs;
  while (2 * period <= Math.min(youngestMs / PART_OF_AGE, sweepMaxMs)) period *= 2;
  return period - (now % period);
}
