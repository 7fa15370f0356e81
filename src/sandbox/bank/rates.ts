import { currencyExponent } from '../../domain/currency.ts';
import { formatDecimal } from '../../domain/money.ts';
import { Refusal } from '../refusal.ts';

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
