import type { ClockOffset } from '../api/bank-clock.ts';
import type { Log } from '../log.ts';

/** A sentence if the bank's clock is off by more than PAYOUTS_BANK_CLOCK_SKEW, otherwise undefined. */
export function clockComplaint(offset: ClockOffset | undefined, limitMs: number): string | undefined {
  if (offset === undefined || Math.abs(offset.ms) <= limitMs) return undefined;
  const seconds = Math.round(Math.abs(offset.ms) / 1_000);
  return (
    `the bank's clock is ${seconds} s ${offset.ms > 0 ? 'ahead of' : 'behind'} this machine's, above the limit of ` +
    `${Math.round(limitMs / 1_000)} s (PAYOUTS_BANK_CLOCK_SKEW): until one of them is corrected, no lost order is proven absent`
  );
}

/** Logs once when the bank's clock goes off, and once when it is right again. */
export function bankClockAlarm(clock: { offset(): ClockOffset | undefined }, limitMs: number, log: Log): () => void {
  let isOff = false;
  return () => {
    const offset = clock.offset();
    const complaint = clockComplaint(offset, limitMs);
    if (complaint !== undefined && !isOff) log.warn({ offsetMs: offset?.ms }, complaint);
    if (complaint === undefined && isOff)
      log.info({ offsetMs: offset?.ms }, "the bank's clock is within the limit again");
    isOff = complaint !== undefined;
  };
}
