import { formatMinor } from '../domain/money.ts';
import type { PayoutState } from '../domain/payout-state.ts';
import { totalsOf } from '../domain/totals.ts';

export interface CurrencyTotal {
  currency: string;
  payouts: number;
  /** Decimal strings with the currency's decimals: sum of all rows, and of the paid ones. */
  amount: string;
  completed: string;
}

/** Sums by currency, sorted by code. */
export function currencyTotals(
  rows: readonly { state: PayoutState; amount: string; currency: string }[],
): CurrencyTotal[] {
  const completed = totalsOf(rows.filter(({ state }) => state === 'completed'));
  return totalsOf(rows).map(({ currency, count, amount }) => ({
    currency,
    payouts: count,
    amount,
    completed: completed.find((paid) => paid.currency === currency)?.amount ?? formatMinor(0n, currency),
  }));
}
