/** Rows that keep workers busy which have just started on a batch. */
const WAITING_AT_LEAST = 10;

/**
 * How many more rows of a batch may be released, given those that wait for a worker. Whatever comes later, even a batch of one
 * row of the same user, waits behind all of them: so at most twice as many wait as workers begin between two releases.
 *
 * @param before how many rows waited after the last release
 */
export function roomInQueue(before: number, waiting: number): number {
  const begun = before - waiting;
  return Math.max(0, Math.max(WAITING_AT_LEAST, 2 * begun) - waiting);
}
