import { compareDecimals, exceedsSlippage, formatDecimal, parseDecimal } from './money.ts';
import type { ExchangePlan } from './order-plans.ts';
import type { Terms } from './policy.ts';

/** What a transfer or an exchange by itself costs at most: signed beside the instruction. Amounts are decimals. */
export interface AgreedCost {
  /** In the fee's own currency; absent: no cap. */
  feeAtMost?: string;
  /** Of an exchange. */
  sellAtMost?: { currency: string; amount: string };
}

/**
 * The caps, and where a reading is above one of them as much more as it takes: then people are asked anew, and what they let
 * through is bounded again.
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

/** Where no worsening is accepted, one that people let through is bounded in steps of this. */
const STEP_WITHOUT_CAP = '0.001';

/**
 * The first quote and the cap, or as many caps as a worse quote takes: a bound that stays as it is while the rate moves within it.
 */
export function sellAtMost(first: string, quoted: string, cap: string): string {
  const isWithin = !exceedsSlippage(first, quoted, cap);
  const step = compareDecimals(cap, '0') === 0 && !isWithin ? STEP_WITHOUT_CAP : cap;
  const [f, q, s] = [parseDecimal(first), parseDecimal(quoted), parseDecimal(step)];
  // What is no decimal is above every cap: it stands for itself.
  if (f === undefined || q === undefined || s === undefined || f.digits <= 0n || s.digits < 0n) return quoted;
  const scale = Math.max(f.scale + s.scale, q.scale);
  const at = (digits: bigint, of: number): bigint => digits * 10n ** BigInt(scale - of);
  const [base, oneStep] = [at(f.digits, f.scale), at(f.digits * s.digits, f.scale + s.scale)];
  const steps = isWithin ? 1n : (at(q.digits, q.scale) - base + oneStep - 1n) / oneStep;
  return formatDecimal({ digits: base + steps * oneStep, scale });
}
