import type { Bank } from '../../bank/bank.ts';
import { exchangeQuote } from '../../bank/exchange-quote.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import { addDecimals, allot, formatMinor, inProportion, parseAmount, sumDecimals } from '../../domain/money.ts';
import type { ClaimRow } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import { keyOfQuote, keyPerBatch, type QuotedExchange } from './exchange-quotes.ts';
import type { StagedFile } from './staged-file.ts';

/** One exchange for many payouts, and what one for each of them would cost by what the bank quotes now. Amounts are decimal strings. */
export interface ComparedExchange {
  /** Its document. */
  id: string;
  sellCurrency: string;
  currency: string;
  payouts: number;
  /** Of these, those whose own exchange was quoted: what the others would cost is estimated from them. */
  quoted: number;
  once: ExchangeCost;
  each: ExchangeCost;
  feeCurrency: string;
  /** In `sellCurrency`, with the fees if they are in it; negative: one exchange costs more. Null: no exchange of one payout is quoted. */
  saved: string | null;
}

interface ExchangeCost {
  sold: string;
  /** Of exchanges, in `feeCurrency`. */
  fees: string;
}

/** A quote is a call of the bank. */
const QUOTES_MAX = 25;
const AT_ONCE = 8;

export async function comparedWithEach(
  bank: Bank,
  staged: StagedFile,
  quotes: readonly QuotedExchange[],
): Promise<ComparedExchange[]> {
  const compared: ComparedExchange[] = [];
  for (const exchange of staged.exchanges) {
    const quote = quotes.find((it) => keyOfQuote(it) === keyPerBatch(exchange.instruction));
    if (quote?.perBatch !== undefined) compared.push(await compare(bank, staged, exchange, quote, quote.perBatch));
  }
  return compared;
}

async function compare(
  bank: Bank,
  staged: StagedFile,
  { reference, instruction: { id } }: ClaimRow,
  { accountId: sell, payingAccountId: buy, sellCurrency, currency, buyAmount, sellAmount }: QuotedExchange,
  { fees, fee, feeCurrency }: NonNullable<QuotedExchange['perBatch']>,
): Promise<ComparedExchange> {
  const { payouts, first } = await rowsOf(staged, reference);
  const shares = allot(minorOf(fees, currency), Array(payouts).fill(1n));
  const each: { sold: string; bought: string; fee: string }[] = [];
  await someAtOnce([...first.entries()], AT_ONCE, async ([at, { amount: own }]) => {
    const amount = addDecimals(own, formatMinor(shares[at] ?? 0n, currency));
    const quote = await exchangeQuote(bank, { sell, buy, amount, currency });
    const { fee = '0', fee_currency: charged = feeCurrency } = quote ?? {};
    if (quote !== undefined && charged === feeCurrency) each.push({ sold: quote.sell_amount, bought: amount, fee });
  });
  const sum = (name: 'sold' | 'bought' | 'fee'): string => sumDecimals(each.map((quote) => quote[name]));
  const estimated = {
    sold: inProportion(sum('sold'), buyAmount, sum('bought')),
    fees: inProportion(sum('fee'), `${payouts}`, `${each.length}`),
  };
  const all = ({ sold, fees: charged }: ExchangeCost): string =>
    feeCurrency === sellCurrency ? addDecimals(sold, charged) : sold;
  const once = { sold: sellAmount, fees: fee };
  const saved = each.length === 0 ? null : addDecimals(all(estimated), `-${all(once)}`);
  return { id, sellCurrency, currency, payouts, quoted: each.length, once, each: estimated, feeCurrency, saved };
}

async function rowsOf(staged: StagedFile, reference: string): Promise<{ payouts: number; first: PayoutInstruction[] }> {
  const first: PayoutInstruction[] = [];
  let payouts = 0;
  for await (const page of itemsInTurns(staged.claimPages())) {
    for (const { instruction } of page) {
      if (instruction.exchanged_by !== reference) continue;
      payouts += 1;
      if (first.length < QUOTES_MAX) first.push(instruction);
    }
  }
  return { payouts, first };
}

function minorOf(amount: string, currency: string): bigint {
  const parsed = parseAmount(amount, currency);
  return parsed.ok ? parsed.minor : 0n;
}
