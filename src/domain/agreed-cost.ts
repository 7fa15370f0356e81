import { compareDecimals, exceedsSlippage, formatDecimal, parseDecimal } from './money.ts';
import type { Terms } from './policy.ts';

/** An account as the bank shows it. */
export interface ShownAccount {
  uid: string;
  currency: string;
}

export interface TransferPlan {
  source: ShownAccount;
  destination: ShownAccount;
}

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
  sellAtMost?: { currency: string; amount: string };
}

/**
 * The caps, each raised to cover a reading that exceeds it: people are then asked again, and what they let through is bounded
 * too.
 */
export function agreedCost(
  { fee, exchange, firstSellAmount }: { fee?: string; exchange?: ExchangePlan; firstSellAmount?: string },
  { feeCap, maxSlippage }: Pick<Terms, 'feeCap' | 'maxSlippage'>,
): AgreedCost {
  const isAbove = feeCap !== undefined && fee !== undefined && compareDecimals(fee, feeCap) === 1;
  const feeAtMost = isAbove ? fee : feeCap;
  if (exchange === undefined) return { feeAtMost };
  const { sellCurrency: currency, quotedSellAmount: quoted } = exchange;
  return { feeAtMost, sellAtMost: { currency, amount: sellAtMost(firstSellAmount ?? quoted, quoted, maxSlippage) } };
}

/** Step, as a fraction, by which the bound grows if the slippage cap is 0 and people let a worse quote through. */
const STEP_WITHOUT_CAP = '0.001';

/**
 * The first quote plus one cap, or plus as many as a worse quote takes: in whole steps, so that the bound does not change while
 * the rate moves within one.
 */
export function sellAtMost(first: string, quoted: string, cap: string): string {
  const isWithin = !exceedsSlippage(first, quoted, cap);
  const step = compareDecimals(cap, '0') === 0 && !isWithin ? STEP_WITHOUT_CAP : cap;
  const [f, q, s] = [parseDecimal(first), parseDecimal(quoted), parseDecimal(step)];
  // A text that is not a decimal exceeds every cap, so the quote is returned as it is.
  if (f === undefined || q === undefined || s === undefined || f.digits <= 0n || s.digits < 0n) return quoted;
  const scale = Math.max(f.scale + s.scale, q.scale);
  const at = (digits: bigint, of: number): bigint => digits * 10n ** BigInt(scale - of);
  const [base, oneStep] = [at(f.digits, f.scale), at(f.digits * s.digits, f.scale + s.scale)];
  const steps = isWithin ? 1n : (at(q.digits, q.scale) - base + oneStep - 1n) / oneStep;
  return formatDecimal({ digits: base + steps * oneStep, scale });
}
