import type { SendAttempt } from '../store/store.ts';
import { ZONE_BEHIND_MS } from './as-asked.ts';
import type { Bank } from './bank.ts';

/** The measured clock of the bank, and its allowed skew. */
interface Clocks {
  bank: Bank;
  settings: { clockSkewMs: number };
}

type Sent = Pick<SendAttempt, 'sentAt' | 'listedFrom'>;

/** A moment of our clock, by whichever of the two is behind. */
export function byEarlierClock(bank: Bank, at: number): number {
  const offsetMs = bank.clock.offset() ?? 0;
  return at + Math.min(0, offsetMs);
}

/** The same by the one that is ahead. */
export function byLaterClock(bank: Bank, at: number): number {
  return at + Math.max(0, bank.clock.offset() ?? 0);
}

/**
 * Time (epoch ms, bank's clock) from which a list must be read to show what was sent at `at` by our clock: earlier by how far the
 * bank's clock is measured to be behind, and by the allowed skew, as a measurement may be off.
 */
export const listedFrom = (clocks: Clocks, at: number): number =>
  Math.max(0, byEarlierClock(clocks.bank, at) - clocks.settings.clockSkewMs);

/**
 * `listedFrom` for attempts, each with the bank time noted when it was made: either clock may have been corrected since, and then
 * the current offset says nothing about the order's timestamp.
 */
export function attemptsListedFrom(clocks: Clocks, since: number, attempts: readonly Sent[]): number {
  const from = listedFrom(clocks, Math.min(since, ...attempts.map(({ sentAt }) => sentAt)));
  return Math.min(from, ...attempts.flatMap((attempt) => attempt.listedFrom ?? []));
}

/** Start of a list that is to prove absence, in any time zone that the bank stamps orders in. */
export const inAnyZone = (from: number): number => Math.max(0, from - ZONE_BEHIND_MS);

/** Whether a list since `from` reaches back to `to` (epoch ms, bank's clock), measurements of that clock apart. */
export const isReached = ({ settings }: Clocks, from: number, to: number): boolean =>
  from <= to + settings.clockSkewMs / 2;

/** Error of a measurement of the bank's clock while neither clock is set. */
const MEASURED_WITHIN_MS = 5_000;

/** `listedFrom` where a missing order proves nothing: without the skew, once the clock has been measured. */
export function recentlyListedFrom(clocks: Clocks, at: number): number {
  if (clocks.bank.clock.offset() === undefined) return listedFrom(clocks, at);
  return Math.max(0, byEarlierClock(clocks.bank, at) - MEASURED_WITHIN_MS);
}

/** Whether the clocks differ by more than the allowed skew; then no list proves absence. */
export function clocksDisagree({ bank, settings }: Clocks): boolean {
  const offset = bank.clock.offset();
  return offset !== undefined && Math.abs(offset) > settings.clockSkewMs;
}
