import { addDecimals, formatMinor, type Total, totalsOf } from '../domain/money.ts';
import { countRows, SHOWN_STATES, type ShownState } from '../domain/payout-state.ts';
import { maskedAccount } from './masked.ts';
import type {
  AccountMovements,
  ExchangeTotal,
  Movements,
  ReportedPayout,
  StateTotal,
  Sums,
} from './report-document.ts';
import { compare } from './reported-payout.ts';

/** Adds up rows one by one, keeping none. Every sum starts with the currency's decimals: "10.5" and "7" give "17.50". */
export class ReportSums {
  readonly #states = new Map<string, StateTotal>();
  readonly #accounts = new Map<string, AccountMovements>();
  readonly #exchanges = new Map<string, ExchangeTotal>();

  /** `isCounted`: its exchange is not part of one that was counted before. */
  add(payout: ReportedPayout, isCounted = true): void {
    const { state, amount, currency, fee, feeCurrency, returns } = payout;
    const from = payout.payingAccountId ?? payout.accountId;
    const total = entry(this.#states, [state, currency], () => ({
      state,
      currency,
      payouts: 0,
      amount: zero(currency),
    }));
    total.payouts += 1;
    total.amount = addDecimals(total.amount, amount);
    const account = this.#account(from, currency);
    account.payouts += 1;
    account.amount = addDecimals(account.amount, amount);
    // What came back was paid, and is a sum of its own.
    if (state === 'completed' || state === 'returned') account.completed = addDecimals(account.completed, amount);
    if (fee !== null) this.#move('fees', from, feeCurrency ?? currency, fee);
    for (const it of returns) this.#move('returned', from, it.currency, it.amount);
    this.#addExchange(payout, isCounted);
  }

  /** Accounts by id, currencies by code, states in the order in which a payout goes through them. */
  sums(isMasked = false): Sums {
    const states = [...this.#states.values()].sort(
      (a, b) => compare(a.currency, b.currency) || SHOWN_STATES.indexOf(a.state) - SHOWN_STATES.indexOf(b.state),
    );
    const accounts = [...this.#accounts.values()].sort(
      (a, b) => compare(a.accountId, b.accountId) || compare(a.currency, b.currency),
    );
    const exchanges = [...this.#exchanges.values()].sort(
      (a, b) => compare(a.accountId, b.accountId) || compare(a.boughtCurrency, b.boughtCurrency),
    );
    const shown = <Of extends { accountId: string }>(of: Of): Of =>
      isMasked ? { ...of, accountId: maskedAccount(of.accountId) } : of;
    const byState = Map.groupBy(states, ({ state }) => state);
    const currencies = byCurrency(accounts);
    return {
      counts: countRows(
        new Map([...byState].map(([state, some]) => [state, some.reduce((sum, { payouts }) => sum + payouts, 0)])),
      ),
      totals: currencies
        .filter(({ payouts }) => payouts > 0)
        .map(({ currency, amount, completed }) => ({ currency, amount, completed })),
      states,
      accounts: accounts.map(shown),
      currencies,
      exchanges: exchanges.map(shown),
    };
  }

  #addExchange({ exchange }: ReportedPayout, isCounted: boolean): void {
    if (exchange === null || exchange.soldAmount === null) return;
    const { accountId, boughtTo, soldAmount, soldCurrency, boughtAmount, boughtCurrency, quotedAmount } = exchange;
    this.#move('sold', accountId, soldCurrency, soldAmount);
    this.#move('bought', boughtTo, boughtCurrency, boughtAmount);
    if (exchange.fee !== null) this.#move('fees', accountId, exchange.feeCurrency ?? soldCurrency, exchange.fee);
    const total = entry(this.#exchanges, [accountId, soldCurrency, boughtCurrency], () => ({
      ...{ accountId, soldCurrency, boughtCurrency, exchanges: 0 },
      ...{ sold: zero(soldCurrency), bought: zero(boughtCurrency), quoted: zero(soldCurrency) },
    }));
    if (isCounted) total.exchanges += 1;
    total.sold = addDecimals(total.sold, soldAmount);
    total.bought = addDecimals(total.bought, boughtAmount);
    total.quoted = addDecimals(total.quoted, quotedAmount);
  }

  #move(what: 'fees' | 'sold' | 'bought' | 'returned', accountId: string, currency: string, amount: string): void {
    const account = this.#account(accountId, currency);
    account[what] = addDecimals(account[what], amount);
  }

  #account(accountId: string, currency: string): AccountMovements {
    return entry(this.#accounts, [accountId, currency], () => ({ accountId, ...nothingMoved(currency) }));
  }
}

function byCurrency(accounts: readonly AccountMovements[]): Movements[] {
  const sums = new Map<string, Movements>();
  for (const { accountId: _, currency, payouts, ...amounts } of accounts) {
    const sum = entry(sums, [currency], () => nothingMoved(currency));
    sum.payouts += payouts;
    for (const [name, amount] of Object.entries(amounts) as [keyof typeof amounts, string][]) {
      sum[name] = addDecimals(sum[name], amount);
    }
  }
  return [...sums.values()].sort((a, b) => compare(a.currency, b.currency));
}

function nothingMoved(currency: string): Movements {
  const none = zero(currency);
  const moved = { fees: none, sold: none, bought: none, returned: none };
  return { currency, payouts: 0, amount: none, completed: none, ...moved };
}

const zero = (currency: string): string => formatMinor(0n, currency);

function entry<Value>(map: Map<string, Value>, key: readonly string[], first: () => Value): Value {
  const name = JSON.stringify(key);
  const value = map.get(name) ?? first();
  map.set(name, value);
  return value;
}

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
