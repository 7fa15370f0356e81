import type { Bank } from '../../api/bank.ts';
import type { SendAttempt } from '../../store/store.ts';

/** The bank's clock as it was measured, and how far it may be off. */
interface Clocks {
  bank: Pick<Bank, 'clock'>;
  settings: { clockSkewMs: number };
}

type Sent = Pick<SendAttempt, 'sentAt' | 'listedFrom'>;

/** A moment of our clock, by whichever of the two is behind. */
export function byTheClockBehind({ bank }: Pick<Clocks, 'bank'>, at: number): number {
  const offsetMs = bank.clock.offset()?.ms ?? 0;
  return at + Math.min(0, offsetMs);
}

/** The same by the one that is ahead. */
export function byTheClockAhead({ bank }: Pick<Clocks, 'bank'>, at: number): number {
  return at + Math.max(0, bank.clock.offset()?.ms ?? 0);
}

/**
 * From when on (epoch ms, the bank's time) a list must be read so that it shows what was sent at `at` of our clock: as much earlier
 * as the bank's clock is measured to be behind ours, and by the allowed skew more, for a measurement may be off.
 */
export const listedFrom = (clocks: Clocks, at: number): number =>
  Math.max(0, byTheClockBehind(clocks, at) - clocks.settings.clockSkewMs);

/**
 * The same for attempts, with what each has noted of the bank's clock when it was made: that clock, or ours, may have been set
 * right since, and then what is measured now says nothing of the time that the order bears.
 */
export function attemptsListedFrom(clocks: Clocks, since: number, attempts: readonly Sent[]): number {
  const from = listedFrom(clocks, Math.min(since, ...attempts.map(({ sentAt }) => sentAt)));
  return Math.min(from, ...attempts.flatMap((attempt) => attempt.listedFrom ?? []));
}

/** A bank may stamp orders in the local time of a zone, which is at most so far behind the time that its answers tell. */
const ZONE_BEHIND_MS = 12 * 3_600_000;

/** The same for a list that is to prove what is not there: whatever zone the bank stamps orders in. */
export const inAnyZone = (from: number): number => Math.max(0, from - ZONE_BEHIND_MS);

/** What a measurement of the bank's clock is off by, as long as both clocks run. */
const MEASURED_WITHIN_MS = 5_000;

/** The same where nothing follows from what the list does not show: without the skew, once the clock has been measured. */
export function recentlyListedFrom(clocks: Clocks, at: number): number {
  if (clocks.bank.clock.offset() === undefined) return listedFrom(clocks, at);
  return Math.max(0, byTheClockBehind(clocks, at) - MEASURED_WITHIN_MS);
}

/** Whether the two clocks are further apart than the allowed skew: then no list proves that an order is not there. */
export function clocksDisagree({ bank, settings }: Clocks): boolean {
  const offset = bank.clock.offset();
  return offset !== undefined && Math.abs(offset.ms) > settings.clockSkewMs;
}
