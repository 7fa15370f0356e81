/** How often a watch looks at its open orders, in ms. */
export interface Pace {
  /** At young ones. */
  sweepMs: number;
  /** The longest pause between two sweeps. */
  sweepMaxMs: number;
}

/** An order waits for its next look a quarter of its age at most, as long as that is more often than all are looked at. */
const PART_OF_AGE = 4;
/** Everything is looked at after so many of the longest pauses, or up to twice as many. */
const FULL_EVERY = 4;

/**
 * How far back the sweep at `now` looks, in ms of age; infinity: at everything that the list may show. Times count from the first
 * sweep, which looks at everything; `before` is the last one. Periods double with age: however long orders are open, each is
 * looked at some times in the double of its age and not at every pause.
 */
export function depthAt({ sweepMs, sweepMaxMs }: Pace, before: number, now: number): number {
  const isDue = (period: number): boolean => Math.floor(now / period) > Math.floor(before / period);
  const fullMs = sweepMs * 2 ** Math.ceil(Math.log2((FULL_EVERY * sweepMaxMs) / sweepMs));
  if (now === 0 || isDue(fullMs)) return Number.POSITIVE_INFINITY;
  let depth = 0;
  for (let period = sweepMs; period < fullMs; period *= 2) if (isDue(period)) depth = 2 * PART_OF_AGE * period;
  return depth;
}

/** The pause after a sweep at `now` when the youngest open order is so old. */
export function pauseAt({ sweepMs, sweepMaxMs }: Pace, now: number, youngestMs: number): number {
  let period = sweepMs;
  while (2 * period <= Math.min(youngestMs / PART_OF_AGE, sweepMaxMs)) period *= 2;
  return period - (now % period);
}
