import { z } from 'zod';
import type { Bank } from '../../../bank/bank.ts';
import { exchangeQuote } from '../../../bank/exchange-quote.ts';
import type { AccountBalance } from '../../../bank/schemas/accounts.ts';
import { dueDate } from '../../../domain/business-days.ts';
import { type CashLine, type CashNeed, cashLines } from '../../../domain/cash.ts';
import { someAtOnce } from '../../../domain/iterate.ts';
import { sumDecimals } from '../../../domain/money.ts';
import { DAY_MS, isoDate } from '../../../domain/time.ts';
import type { OpenNeed } from '../../../store/store.ts';
import { payoutsSeenBy } from '../may-see.ts';
import { operation, type Place, shortText } from '../operation.ts';
import { ACCOUNTS } from './bank-operations.ts';

/** Today and seven more. */
const DAYS = 8;
/** Payouts that are added up; with more the position is of the first ones, and says so. */
const PAYOUTS_MAX = 100_000;
const USERS_MAX = 100;
/** A quote is a call of the bank. */
const QUOTES_MAX = 40;
const AT_ONCE = 8;

export interface Cash {
  /** ISO dates: today and the days that are added up. */
  days: string[];
  accounts: CashLine[];
  /** In other currencies than the account's, for which the bank quotes no exchange now. */
  notQuoted: { accountId: string; currency: string; amount: string }[];
  /** There are more open payouts than were added up. */
  isPart: boolean;
}

export const CASH = operation({
  method: 'GET',
  path: '/v1/cash',
  tag: 'bank',
  summary: 'What open payouts take from each account today and in the next seven days, and where it is short',
  description: 'Without fees. An order at the bank may have taken its money already.',
  access: ACCOUNTS.access,
  input: z.strictObject({ uid: shortText.optional() }),
  answer: z.looseObject({ accounts: z.array(z.looseObject({ accountId: z.string(), after: z.string() })) }),
  async run(place, { uid }): Promise<Cash> {
    const found = await place.store.openNeeds(payoutsSeenBy(place.caller), PAYOUTS_MAX);
    const needs = uid === undefined ? found : found.filter((need) => need.uid === uid);
    const uids = uid === undefined ? [...new Set(needs.map((need) => need.uid))].slice(0, USERS_MAX) : [uid];
    const accounts = new Map<string, AccountBalance>();
    await someAtOnce(uids, AT_ONCE, async (user) => {
      for (const account of (await ACCOUNTS.run(place, { uid: user })).accounts)
        accounts.set(account.account_id, account);
    });
    const days = Array.from({ length: DAYS }, (_, n) => isoDate(place.now() + n * DAY_MS));
    const { own, notQuoted } = await inOwnCurrency(await place.bank(), accounts, dated(place, needs, days[0] ?? ''));
    const shown = [...accounts.values()].map(({ uid: user, account_id: accountId, currency, balance, frozen }) => ({
      ...{ uid: user, accountId, currency, balance },
      frozen: frozen ?? null,
    }));
    return { days, accounts: cashLines(shown, own, days), notQuoted, isPart: found.length === PAYOUTS_MAX };
  },
});

interface Dated extends CashNeed {
  currency: string;
}

/** One need for what is taken from an account in a currency on a day. */
function dated({ settings }: Place, needs: readonly OpenNeed[], today: string): Dated[] {
  const each = needs.map(({ accountId, currency, amount, hasOrder, executeOn }) => {
    const due = executeOn === undefined ? today : dueDate(executeOn, currency, settings.calendar);
    return { accountId, currency, amount, isAtBank: hasOrder, due: due < today ? today : due };
  });
  const alike = Map.groupBy(each, ({ accountId, currency, due, isAtBank }) =>
    JSON.stringify([accountId, currency, due, isAtBank]),
  );
  return [...alike.values()].flatMap((needed) => {
    const [first] = needed;
    return first === undefined ? [] : [{ ...first, amount: sumDecimals(needed.map(({ amount }) => amount)) }];
  });
}

/** As the bank would exchange now. An account that is not shown to the caller is left out. */
async function inOwnCurrency(
  bank: Bank,
  accounts: ReadonlyMap<string, AccountBalance>,
  needs: readonly Dated[],
): Promise<{ own: CashNeed[]; notQuoted: Cash['notQuoted'] }> {
  const seen = needs.filter(({ accountId }) => accounts.has(accountId));
  const isOwn = ({ accountId, currency }: Dated): boolean => accounts.get(accountId)?.currency === currency;
  const own: CashNeed[] = seen.filter(isOwn);
  const others = seen.filter((need) => !isOwn(need));
  const notQuoted: Dated[] = others.slice(QUOTES_MAX);
  await someAtOnce(others.slice(0, QUOTES_MAX), AT_ONCE, async (need) => {
    const uid = accounts.get(need.accountId)?.uid;
    const bought = [...accounts.values()].find((account) => account.uid === uid && account.currency === need.currency);
    const { accountId: sell, amount, currency } = need;
    const quote = bought && (await exchangeQuote(bank, { sell, buy: bought.account_id, amount, currency }));
    if (quote === undefined) notQuoted.push(need);
    else own.push({ ...need, amount: quote.sell_amount });
  });
  return { own, notQuoted: notQuoted.map(({ accountId, currency, amount }) => ({ accountId, currency, amount })) };
}
