import { z } from 'zod';
import type { Bank } from '../../bank/bank.ts';
import { isJudged, undefinedIf } from '../../bank/errors.ts';
import { exchangeQuote } from '../../bank/exchange-quote.ts';
import { maxRateOf } from '../../domain/agreed-cost.ts';
import type { ExchangeBound, PayoutInstruction } from '../../domain/instruction.ts';
import { withoutBound } from '../../domain/instruction.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import { Totals } from '../../domain/money.ts';
import { itemsInTurns } from '../input.ts';
import type { StagedFile } from './staged-file.ts';

const decimal = z.string().regex(/^\d{1,30}(\.\d{1,30})?$/);
const text = z.string().min(1).max(256);

export const quotedExchange = z.strictObject({
  uid: text,
  accountId: text.describe('the account that sells'),
  sellCurrency: text,
  currency: text.describe('that is bought'),
  payingAccountId: text.describe('the account that it is bought into, and paid from'),
  buyAmount: decimal.describe('of all rows together'),
  sellAmount: decimal,
  rate: text.describe('as the bank gives it'),
  maxSlippage: decimal.describe('of rows without a cap of their own, as a fraction'),
});

/** What the bank quotes for all that the rows of a file buy from one account in one currency: what each may sell follows from it. */
export type QuotedExchange = z.output<typeof quotedExchange>;

/** The most accounts that are shown in a plan, and quotes that are read for it: rows beyond have no bound. */
export const ACCOUNTS_MAX = 50;
const AT_ONCE = 8;

/** One quote for each account and currency; what the bank refuses, or has no account for, is left out. */
export async function quoteExchanges(bank: Bank, staged: StagedFile, maxSlippage: string): Promise<QuotedExchange[]> {
  const totals = new Totals();
  for await (const { instruction } of itemsInTurns(staged.claims())) {
    const { uid, account_id: accountId, currency } = instruction;
    const account = staged.accounts.get(accountId);
    if (account === undefined || account.uid !== uid || account.currency === currency) continue;
    totals.add(instruction, keyOf(instruction));
  }
  const quotes: QuotedExchange[] = [];
  await someAtOnce(totals.entries().slice(0, ACCOUNTS_MAX), AT_ONCE, async ([key, { currency, amount }]) => {
    const [uid = '', accountId = ''] = JSON.parse(key) as string[];
    const sellCurrency = staged.accounts.get(accountId)?.currency ?? '';
    const quote = await undefinedIf(isJudged, async () => {
      const paying = (await bank.accounts.ofUser(uid)).find((own) => own.currency === currency);
      if (paying === undefined) return undefined;
      const asked = { sell: accountId, buy: paying.account_id, amount, currency };
      const quoted = await exchangeQuote(bank, asked);
      return quoted && { payingAccountId: paying.account_id, ...quoted };
    });
    if (quote === undefined) return;
    const { payingAccountId, buy_amount: buyAmount, sell_amount: sellAmount, rate } = quote;
    const about = { uid, accountId, sellCurrency, currency, payingAccountId };
    quotes.push({ ...about, buyAmount, sellAmount, rate, maxSlippage });
  });
  return quotes.sort((a, b) => (keyOfQuote(a) < keyOfQuote(b) ? -1 : 1));
}

/** Gives an instruction the bounds that follow from these quotes, and no others. */
export function boundBy(quotes: readonly QuotedExchange[]): (given: PayoutInstruction) => PayoutInstruction {
  const known = new Map(quotes.map((quote) => [keyOfQuote(quote), quote]));
  return (given) => {
    const instruction = withoutBound(given) as PayoutInstruction;
    const quote = known.get(keyOf(instruction));
    return quote === undefined ? instruction : { ...instruction, ...boundOf(quote, instruction) };
  };
}

/** The same for every row that may be paid. */
export function bindRows(staged: StagedFile, quotes: readonly QuotedExchange[]): void {
  const bind = boundBy(quotes);
  for (const page of quotes.length === 0 ? [] : staged.claimPages()) {
    for (const claim of page) staged.claim({ ...claim, instruction: bind(claim.instruction) });
  }
}

function boundOf(quote: QuotedExchange, { max_slippage: ownCap }: PayoutInstruction): ExchangeBound {
  const maxRate = maxRateOf(quote, ownCap ?? quote.maxSlippage);
  if (maxRate === undefined) return {};
  return { sell_currency: quote.sellCurrency, max_rate: maxRate, paying_account_id: quote.payingAccountId };
}

const keyOf = ({ uid, account_id, currency }: PayoutInstruction): string => JSON.stringify([uid, account_id, currency]);

const keyOfQuote = ({ uid, accountId, currency }: QuotedExchange): string => JSON.stringify([uid, accountId, currency]);
