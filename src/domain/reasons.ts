import type { Reason } from './payout-state.ts';
import { CARD_REASONS } from './reasons/card-reasons.ts';
import { PAYOUT_REASONS } from './reasons/payout-reasons.ts';
import type { Remedy } from './remedy.ts';

export { SEARCHED_IN_VAIN } from './reasons/payout-reasons.ts';

export type ReasonCode = keyof typeof PAYOUT_REASONS | keyof typeof CARD_REASONS;

/**
 * Reason codes of a row that waits for someone, is held, or ended unpaid, and the text about each for people: in the report, the
 * UI, `explain`, `status`, `run`, `watch` and `inbox`.
 */
export const REASONS: Readonly<Record<ReasonCode, Remedy>> = { ...PAYOUT_REASONS, ...CARD_REASONS };

/** Also false for a code that only another build knows. */
export const isReasonCode = (code: string): code is ReasonCode => Object.hasOwn(REASONS, code);

const remedyOf = ({ code }: Reason): Remedy | undefined => (isReasonCode(code) ? REASONS[code] : undefined);

export const isSignalled = (reason: Reason): boolean => remedyOf(reason)?.isSignalled === true;

export const isOfAccount = (reason: Reason): boolean => remedyOf(reason)?.isOfAccount === true;

/** While a row is held for one of these reasons, its account sends no other row. */
export const ACCOUNT_HOLDS: readonly string[] = Object.entries(REASONS)
  .filter(([, remedy]) => remedy.isOfAccount)
  .map(([code]) => code);

/** The question a hold asks; it determines who may answer. */
export const questionOfHold = (reason: Reason): 'hold' | 'screening' =>
  remedyOf(reason)?.who === 'compliance' ? 'screening' : 'hold';

/** Reason of an exchange that was booked above the cap; `bookedRate`: what was booked compared with what was quoted. */
export const bookedAboveCap = ({ bookedRate = 'booked' }: { bookedRate?: string }): Reason =>
  because('slippage-above-cap', bookedRate);

/**
 * The reason for a code; `detail`, shown in brackets, is a fact without personal data ("fee 3.00 USD, cap 1.00", a bank's code).
 */
export function because(code: ReasonCode, detail?: string): Reason {
  const { says } = REASONS[code];
  return { code, message: detail === undefined ? says : `${says} (${detail})` };
}
