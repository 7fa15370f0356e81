import { compareDecimals, currencyExponent, formatDecimal, formatMinor, parseDecimal, type Sum } from './money.ts';
import type { Caps } from './policy.ts';

/** An account as the bank shows it. */
export interface ShownAccount {
  uid: string;
  currency: string;
}

export interface TransferPlan {
  source: ShownAccount;
  destination: ShownAccount;
}

/** Whether each row that sells another currency makes an exchange of its own, or one for each currency buys for all of a batch. */
export const EXCHANGES = ['per-row', 'per-batch'] as const;
export type Exchanges = (typeof EXCHANGES)[number];

export interface ExchangePlan {
  sellAccountId: string;
  buyAccountId: string;
  /** Amount to buy, in the payout currency: the payout, plus its fee if that is in the same currency. */
  buyAmount: string;
  buyCurrency: string;
  sellCurrency: string;
  /** Sell amount of the quote, with which the booked order is compared. */
  quotedSellAmount: string;
  /** Whether the quote buys exactly `buyAmount`; if not, the bank reads an exchange's `amount` and `currency` differently. */
  buysWhatWasAsked: boolean;
}

/**
 * The most that a transfer or a stand-alone exchange may cost, signed together with the instruction. Amounts are decimal strings.
 */
export interface AgreedCost {
  /** In the fee's own currency; absent: no cap. */
  feeAtMost?: string;
  /** Only for an exchange. */
  sellAtMost?: Sum;
}

/**
 * The caps, each raised to cover a reading that exceeds it: people are then asked again, and what they let through is bounded
 * too. `mostSold`: what was agreed to; absent: the quote is the first one.
 */
export function agreedCost(
  { fee, exchange, mostSold }: { fee?: string; exchange?: ExchangePlan; mostSold?: string },
  { feeCap, maxSlippage }: Caps,
): AgreedCost {
  const isAbove = feeCap !== undefined && fee !== undefined && compareDecimals(fee, feeCap) === 1;
  const feeAtMost = isAbove ? fee : feeCap;
  if (exchange === undefined) return { feeAtMost };
  const { sellCurrency: currency, quotedSellAmount: quoted } = exchange;
  const agreed = mostSold ?? withSlippage(quoted, maxSlippage);
  return { feeAtMost, sellAtMost: { currency, amount: sellAtMost(agreed, quoted, maxSlippage) } };
}

/** Step, as a fraction, by which the bound grows if the slippage cap is 0 and people let a worse quote through. */
const STEP_WITHOUT_CAP = '0.001';

/**
 * What was agreed to, or as many caps more as a worse quote takes: in whole steps, so that the bound does not change while the
 * rate moves within one.
 */
export function sellAtMost(agreed: string, quoted: string, cap: string): string {
  if (isSoldWithin(agreed, quoted)) return agreed;
  const [a, q, s] = [agreed, quoted, compareDecimals(cap, '0') === 0 ? STEP_WITHOUT_CAP : cap].map(parseDecimal);
  // A text that is not a decimal exceeds every cap, so the quote is returned as it is.
  if (a === undefined || q === undefined || s === undefined || a.digits <= 0n || s.digits <= 0n) return quoted;
  const scale = Math.max(a.scale + s.scale, q.scale);
  const at = (digits: bigint, of: number): bigint => digits * 10n ** BigInt(scale - of);
  const [base, oneStep] = [at(a.digits, a.scale), at(a.digits * s.digits, a.scale + s.scale)];
  return formatDecimal({ digits: base + dividedUp(at(q.digits, q.scale) - base, oneStep) * oneStep, scale });
}

/** False if one of the texts is not a plain decimal. */
export const isSoldWithin = (agreed: string, quoted: string): boolean => (compareDecimals(quoted, agreed) ?? 1) <= 0;

/** A quote plus one cap; a text that is not a decimal stays as it is. */
export function withSlippage(quoted: string, cap: string): string {
  const [q, c] = [parseDecimal(quoted), parseDecimal(cap)];
  if (q === undefined || c === undefined) return quoted;
  return formatDecimal({ digits: q.digits * (10n ** BigInt(c.scale) + c.digits), scale: q.scale + c.scale });
}

/** As many as a rate in an order record (interface section 2). */
const RATE_DECIMALS = 10;

/** The most that may be sold for one unit that is bought, from a quote and a cap; undefined if they are not positive decimals. */
export function maxRateOf(quote: { sellAmount: string; buyAmount: string }, cap: string): string | undefined {
  const [sold, bought] = [parseDecimal(withSlippage(quote.sellAmount, cap)), parseDecimal(quote.buyAmount)];
  if (sold === undefined || bought === undefined || sold.digits <= 0n || bought.digits <= 0n) return undefined;
  const digits = dividedUp(
    sold.digits * 10n ** BigInt(RATE_DECIMALS + bought.scale),
    bought.digits * 10n ** BigInt(sold.scale),
  );
  return formatDecimal({ digits, scale: RATE_DECIMALS });
}

/** The most that may be sold for an amount, rounded up to what `currency` has; "0" if a text is not a plain decimal. */
export function mostSoldFor(bought: string, { maxRate, currency }: { maxRate: string; currency: string }): string {
  const [b, r] = [parseDecimal(bought), parseDecimal(maxRate)];
  if (b === undefined || r === undefined) return '0';
  const scale = currencyExponent(currency) ?? 2;
  return formatMinor(dividedUp(b.digits * r.digits * 10n ** BigInt(scale), 10n ** BigInt(b.scale + r.scale)), currency);
}

/** Of positive numbers. */
const dividedUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;
