import { allot, currencyExponent, formatDecimal, parseDecimal } from '../domain/money.ts';
import type { ReportedExchange } from './report-document.ts';

/** What one payout has of an exchange that bought for all of its batch. */
export interface ExchangePart extends ReportedExchange {
  /** Of the parts of an exchange one is the first. */
  isFirst: boolean;
}

export interface Share {
  reference: string;
  /** Decimal string. */
  weight: string;
}

/**
 * By reference, in proportion to the weights. What was sold, bought, quoted and charged is allotted by largest remainder, so that
 * the parts add up to the whole. `currency`: that of the weights.
 */
export function partsOf(whole: ReportedExchange, currency: string, shares: readonly Share[]): [string, ExchangePart][] {
  const weights = shares.map(({ weight }) => digitsOf(weight, currencyExponent(currency) ?? 0));
  const sold = split(whole.soldAmount, whole.soldCurrency, weights);
  const bought = split(whole.boughtAmount, whole.boughtCurrency, weights);
  const quoted = split(whole.quotedAmount, whole.soldCurrency, weights);
  const fees = split(whole.fee, whole.feeCurrency ?? whole.soldCurrency, weights);
  return shares.map(({ reference }, at) => [
    reference,
    {
      ...whole,
      soldAmount: sold[at] ?? null,
      boughtAmount: bought[at] ?? whole.boughtAmount,
      quotedAmount: quoted[at] ?? whole.quotedAmount,
      fee: fees[at] ?? null,
      isFirst: at === 0,
    },
  ]);
}

/** With the decimals of its currency, or those that the bank shows if they are more; nothing if it is not known. */
function split(whole: string | null, currency: string, weights: readonly bigint[]): string[] {
  const shown = whole === null ? undefined : parseDecimal(whole);
  if (shown === undefined) return [];
  const scale = Math.max(shown.scale, currencyExponent(currency) ?? 0);
  const digits = shown.digits * 10n ** BigInt(scale - shown.scale);
  // Some banks show what leaves an account with a sign.
  const parts = allot(digits < 0n ? -digits : digits, weights);
  return parts.map((part) => formatDecimal({ digits: digits < 0n ? -part : part, scale }));
}

function digitsOf(amount: string, scale: number): bigint {
  const { digits, scale: own } = parseDecimal(amount) ?? { digits: 0n, scale: 0 };
  return own > scale ? digits : digits * 10n ** BigInt(scale - own);
}
