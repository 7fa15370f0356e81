import { formatMinor, type Total, totalsOf } from '../domain/money.ts';
import type { ShownState } from '../domain/payout-state.ts';

export interface CurrencyTotal extends Total {
  completed: string;
}

/** Sums by currency, sorted by code. */
export function currencyTotals(
  rows: readonly { state: ShownState; amount: string; currency: string }[],
): CurrencyTotal[] {
  const completed = totalsOf(rows.filter(({ state }) => state === 'completed'));
  const paidIn = (currency: string) => completed.find((paid) => paid.currency === currency)?.amount;
  return totalsOf(rows).map((total) => {
    return { ...total, completed: paidIn(total.currency) ?? formatMinor(0n, total.currency) };
  });
}
