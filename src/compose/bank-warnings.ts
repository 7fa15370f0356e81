import type { Bank } from '../api/bank.ts';
import { isJudged, undefinedIf } from '../api/errors.ts';
import type { Log } from '../log.ts';
import { readinessOf } from '../telemetry/readiness.ts';
import { clockComplaint } from './bank-clock-alarm.ts';

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
