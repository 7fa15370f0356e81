import type { Bank } from '../bank/bank.ts';
import type { BankClock } from '../bank/bank-clock.ts';
import { isJudged, undefinedIf } from '../bank/errors.ts';
import type { Log } from '../domain/log.ts';
import { readinessOf } from './telemetry/readiness.ts';

interface Looked {
  bank: Pick<Bank, 'clock'> & { accounts: Pick<Bank['accounts'], 'master'> };
  settings: { clockSkewMs: number };
  log: Log;
  now: () => number;
}

/** How long what the bank showed is reused: each look costs it a call. */
const ASKED_EVERY_MS = 20_000;

const OUTAGE =
  'the bank does not answer a read in time, or PAYOUTS_API_RATE is used up: payouts wait, and continue by themselves';

/** What people should see of the bank, although a process is ready without it. */
export function bankWarnings({ bank, settings, ...looks }: Looked): () => Promise<string[]> {
  const answers = readinessOf(
    { bank: () => undefinedIf(isJudged, () => bank.accounts.master()) },
    { ...looks, freshMs: ASKED_EVERY_MS },
  );
  return async () => {
    const { ready } = await answers();
    return [ready ? [] : OUTAGE, clockComplaint(bank.clock.offset(), settings.clockSkewMs) ?? []].flat();
  };
}

/** A sentence if the bank's clock is off by more than PAYOUTS_BANK_CLOCK_SKEW, otherwise undefined. */
export function clockComplaint(offset: number | undefined, limitMs: number): string | undefined {
  if (offset === undefined || Math.abs(offset) <= limitMs) return undefined;
  const seconds = Math.round(Math.abs(offset) / 1_000);
  return (
    `the bank's clock is ${seconds} s ${offset > 0 ? 'ahead of' : 'behind'} this machine's, above the limit of ` +
    `${Math.round(limitMs / 1_000)} s (PAYOUTS_BANK_CLOCK_SKEW): until one of them is corrected, no lost order is proven absent`
  );
}

/** Logs once when the bank's clock goes off, and once when it is right again. */
export function bankClockAlarm(clock: BankClock, limitMs: number, log: Log): () => void {
  let isOff = false;
  return () => {
    const offsetMs = clock.offset();
    const complaint = clockComplaint(offsetMs, limitMs);
    if (complaint !== undefined && !isOff) log.warn({ offsetMs }, complaint);
    if (complaint === undefined && isOff) log.info({ offsetMs }, "the bank's clock is within the limit again");
    isOff = complaint !== undefined;
  };
}
