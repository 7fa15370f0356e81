/**
 * Bounds of the times that count as recent: not before `since`, and not as far ahead of `now`, which only a wrong clock writes
 * and which nothing may wait for.
 */
export const recent = (since: number, now: number): [from: number, to: number] => [since, 2 * now - since];
