import type { Bank } from '../bank/bank.ts';
import { isJudged, undefinedIf } from '../bank/errors.ts';

/** A payout waits for several calls, one after the other. */
const SLOW_S = 3;
const CACHED =
  'a cache answers its balances, which then decide nothing; have it and what is on the way keep no answers';

/** By a read too: `/v1/auth` may give a token that no call accepts, and a cache may answer in the place of the bank. */
export async function judgeBank(
  { authenticate, accounts }: Pick<Bank, 'authenticate'> & { accounts: Pick<Bank['accounts'], 'master'> },
  where: string,
  clock: () => number = () => performance.now(),
): Promise<string | { verdict: 'warning'; detail: string }> {
  await authenticate();
  const askedAt = clock();
  const shown = await undefinedIf(
    (it) => isJudged(it) && !it.tokenSuspect,
    () => accounts.master(),
  );
  const seconds = (clock() - askedAt) / 1_000;
  const isCached = shown?.some(({ isStale }) => isStale) === true;
  if (seconds <= SLOW_S && !isCached) return where;
  const says = isCached ? CACHED : `it answers only after ${seconds.toFixed(1)} s, and payouts are as slow`;
  return { verdict: 'warning', detail: `${where}: ${says}` };
}
