import { addDecimals, formatMinor } from '../domain/money.ts';
import type { PayoutState } from '../domain/payout-state.ts';
import { compare } from './reported-payout.ts';

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
  const add = (amounts: readonly string[], currency: string): string =>
    amounts.reduce((sum, amount) => addDecimals(sum, amount), formatMinor(0n, currency));
  return [...Map.groupBy(rows, ({ currency }) => currency)]
    .map(([currency, some]) => ({
      currency,
      payouts: some.length,
      amount: add(
        some.map(({ amount }) => amount),
        currency,
      ),
      completed: add(
        some.flatMap(({ state, amount }) => (state === 'completed' ? amount : [])),
        currency,
      ),
    }))
    .sort((a, b) => compare(a.currency, b.currency));
}
