/** So many rows keep workers busy that have just begun with a batch. */
const WAITING_AT_LEAST = 10;

/**
 * How many rows of a batch may be released beside those that wait for a worker. Whatever comes later, also a batch of one row of
 * the same user, waits for all of them: there are no more than workers begin with between one release and the next, twice over.
 *
 * @param before how many waited after the last release
 */
export function roomInQueue(before: number, waiting: number): number {
  const begun = before - waiting;
  return Math.max(0, Math.max(WAITING_AT_LEAST, 2 * begun) - waiting);
}
