import type { z } from 'zod';
import type { FxQuote, PlacedOrder } from '../../bank/schemas/transactions.ts';
import { currencyExponent, formatDecimal, formatMinor } from '../../domain/money.ts';
import { badRequest, type fxQuoteQuery, Refusal } from '../requests.ts';
import { type AccountRow, requireAccount, requireUsableAccount } from './accounts.ts';
import { readAmount } from './amounts.ts';
import type { Books } from './books.ts';
import { type OrderRequest, placeOrder } from './payments.ts';

/** US dollars per unit with four decimals: the middle of bid and ask. */
const MID_RATES: Readonly<Record<string, bigint>> = {
  USD: 10_000n,
  EUR: 10_850n,
  GBP: 12_700n,
  AUD: 6_600n,
  CHF: 11_200n,
  JPY: 67n,
  SGD: 7_400n,
  HKD: 1_280n,
};

/** Distance of bid and ask from the middle. */
const HALF_SPREAD_BASIS_POINTS = 10n;
const BASIS_POINTS = 10_000n;

/** Decimals of a rate in order records and in quotes (interface section 2). */
const ORDER_SCALE = 10;
const QUOTE_SCALE = 4;
const UNIT = 10n ** BigInt(ORDER_SCALE);

/** Units of `buy` for one unit of `sell`, times 10^10. Throws 2009 for a currency without a rate. */
export function rateOf(sell: string, buy: string, driftBasisPoints = 0): bigint {
  const [sellMid, buyMid] = [MID_RATES[sell], MID_RATES[buy]];
  if (sellMid === undefined || buyMid === undefined) throw new Refusal(2009, 'no rate for this pair');
  const share = BASIS_POINTS - HALF_SPREAD_BASIS_POINTS - BigInt(driftBasisPoints);
  return (sellMid * UNIT * share) / (buyMid * BASIS_POINTS);
}

/** The amount bought by selling `sellMinor`, rounded down. */
export function buyAmountOf(sellMinor: bigint, sell: string, buy: string, rate: bigint): bigint {
  return (sellMinor * rate * minorUnits(buy)) / (UNIT * minorUnits(sell));
}

/** The price of buying `buyMinor`, rounded up. */
export function sellAmountOf(buyMinor: bigint, sell: string, buy: string, rate: bigint): bigint {
  const divisor = rate * minorUnits(buy);
  return (buyMinor * UNIT * minorUnits(sell) + divisor - 1n) / divisor;
}

export const orderRate = (rate: bigint): string => formatDecimal({ digits: rate, scale: ORDER_SCALE });

/** The rate in a quote, rounded half up, for display only: amounts are calculated with all ten decimals. */
export function quoteRate(rate: bigint): string {
  const step = 10n ** BigInt(ORDER_SCALE - QUOTE_SCALE);
  return formatDecimal({ digits: (rate + step / 2n) / step, scale: QUOTE_SCALE });
}

const minorUnits = (currency: string): bigint => 10n ** BigInt(currencyExponent(currency) ?? 2);

/** Exchanges are free, since the rate earns. */
const FEE = 0n;

/** `currency` is that of `amount`. The interface does not show which leg that may be, so both are accepted. */
type ExchangeTerms = z.infer<typeof fxQuoteQuery>;

/** A quote, which is not binding. Throws 2002, 2006, 2009. */
export function quoteExchange({ db, profile }: Books, terms: ExchangeTerms): FxQuote {
  const sell = requireAccount(db, terms.sell_account);
  const buy = requireAccount(db, terms.buy_account);
  const legs = reckonLegs(terms, sell, buy, profile.quoteDriftBasisPoints);
  return {
    sell_account: sell.account_id,
    buy_account: buy.account_id,
    sell_amount: formatMinor(legs.sellAmount, sell.currency),
    buy_amount: formatMinor(legs.buyAmount, buy.currency),
    fee: formatMinor(FEE, sell.currency),
    fee_currency: sell.currency,
    rate: quoteRate(legs.rate),
    sell_currency: sell.currency,
    buy_currency: buy.currency,
  };
}

/**
 * Exchanges between two accounts of one user; the transaction amount is what is sold. Throws 2002, 2003, 2006, 2007, 2009, 2010.
 */
export function exchange(books: Books, request: ExchangeTerms & OrderRequest & { type?: string | null }): PlacedOrder {
  if (request.type != null && request.type !== 'MARKET') throw new Refusal(2009, 'only MARKET is available');
  const { quoteDriftBasisPoints, fxDriftBasisPoints } = books.profile;
  return placeOrder(books, request, () => {
    const sell = requireUsableAccount(books.db, request.sell_account);
    const buy = requireUsableAccount(books.db, request.buy_account);
    const legs = reckonLegs(request, sell, buy, quoteDriftBasisPoints + fxDriftBasisPoints);
    return {
      type: 'FX',
      uid: sell.uid,
      payment_type: 'exchange',
      account_id: sell.account_id,
      currency: sell.currency,
      amount: legs.sellAmount,
      fee: FEE,
      counter_account: buy.account_id,
      buy_currency: buy.currency,
      buy_amount: legs.buyAmount,
      rate: orderRate(legs.rate),
    };
  });
}

function reckonLegs(
  { amount, currency }: ExchangeTerms,
  sell: AccountRow,
  buy: AccountRow,
  driftBasisPoints: number,
): { sellAmount: bigint; buyAmount: bigint; rate: bigint } {
  if (sell.uid !== buy.uid) throw new Refusal(2006);
  if (sell.currency === buy.currency) throw badRequest('buy_account: the same currency');
  if (currency !== sell.currency && currency !== buy.currency) throw badRequest('currency: neither leg');
  const rate = rateOf(sell.currency, buy.currency, driftBasisPoints);
  const minor = readAmount(amount, currency);
  const legs =
    currency === sell.currency
      ? { sellAmount: minor, buyAmount: buyAmountOf(minor, sell.currency, buy.currency, rate), rate }
      : { sellAmount: sellAmountOf(minor, sell.currency, buy.currency, rate), buyAmount: minor, rate };
  if (legs.buyAmount === 0n) throw badRequest('amount: buys less than the smallest unit');
  return legs;
}
