import { addDecimals, compareDecimals, sumDecimals } from './money.ts';

/** Decimal strings in the account's currency. */
export interface CashAccount {
  uid: string;
  accountId: string;
  currency: string;
  /** Available, as the bank shows it. */
  balance: string;
  /** Held by the bank; null: it does not say. */
  frozen: string | null;
}

/** What open payouts take from an account, in the account's currency. */
export interface CashNeed {
  accountId: string;
  amount: string;
  /** ISO date, not before today. */
  due: string;
  /** The bank has an order for it and may have taken the money off the balance already. */
  isAtBank: boolean;
}

export interface CashLine extends CashAccount {
  /** Of payouts with an order at the bank. */
  atBank: string;
  /** Of payouts that may be sent today. */
  waiting: string;
  /** Of the days after today with payments, in order. */
  due: { date: string; amount: string }[];
  /** Of later payouts. */
  later: string;
  /** Balance without `waiting` and `due`; negative if there is not enough. */
  after: string;
  /** The first day on which the money does not suffice, and what is missing on it; null: it suffices. */
  short: { date: string; amount: string } | null;
}

/**
 * The cash of each account until the last day, orders at the bank left aside.
 *
 * @param days today and the days that are added up, ISO dates in order
 */
export function cashLines(
  accounts: readonly CashAccount[],
  needs: readonly CashNeed[],
  days: readonly string[],
): CashLine[] {
  const byAccount = Map.groupBy(needs, ({ accountId }) => accountId);
  const [today = '', last = today] = [days[0], days.at(-1)];
  return accounts.map((account) => {
    const own = byAccount.get(account.accountId) ?? [];
    const unsent = own.filter(({ isAtBank }) => !isAtBank);
    const byDay = days.map((date) => ({ date, amount: sum(unsent.filter(({ due }) => due === date)) }));
    const ahead = byDay.filter(({ date, amount }) => date !== today && compareDecimals(amount, '0') === 1);
    let after = account.balance;
    let short: CashLine['short'] = null;
    for (const { date, amount } of byDay) {
      after = addDecimals(after, `-${amount}`);
      if (short === null && compareDecimals(after, '0') === -1) short = { date, amount: after.replace('-', '') };
    }
    return {
      ...account,
      atBank: sum(own.filter(({ isAtBank }) => isAtBank)),
      waiting: byDay[0]?.amount ?? '0',
      due: ahead,
      later: sum(unsent.filter(({ due }) => due > last)),
      after,
      short,
    };
  });
}

const sum = (needs: readonly CashNeed[]): string => sumDecimals(needs.map(({ amount }) => amount));
