import { addDecimals, formatMinor } from './money.ts';

export interface Total {
  currency: string;
  count: number;
  /** Decimal string with the currency's decimals. */
  amount: string;
}

type Added = Pick<Total, 'currency' | 'amount'>;

/** Adds up amounts one by one, by currency. */
export class Totals {
  readonly #sums = new Map<string, Total>();

  /** `key`: what is added up apart, of one currency. */
  add({ currency, amount }: Added, key = currency): void {
    const { count, amount: sum } = this.#sums.get(key) ?? { count: 0, amount: formatMinor(0n, currency) };
    this.#sums.set(key, { currency, count: count + 1, amount: addDecimals(sum, amount) });
  }

  /** Sorted by key. */
  entries(): [key: string, Total][] {
    return [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Sorted by currency. */
  list(): Total[] {
    return this.entries().map(([, total]) => total);
  }
}

export function totalsOf(rows: Iterable<Added>): Total[] {
  const totals = new Totals();
  for (const row of rows) totals.add(row);
  return totals.list();
}
