export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Doubling pause, never above `max`: `first * 2^n` after the n-th try, from 0. */
export function doublingPause(n: number, first: number, max: number): number {
  return Math.min(max, first * 2 ** Math.min(n, 30));
}
