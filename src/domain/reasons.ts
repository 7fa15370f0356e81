import type { Reason } from './payout-state.ts';
import { CARD_REASONS } from './reasons/card-reasons.ts';
import { PAYOUT_REASONS } from './reasons/payout-reasons.ts';
import type { Remedy } from './remedy.ts';

export { SEARCHED_IN_VAIN } from './reasons/payout-reasons.ts';

export type ReasonCode = keyof typeof PAYOUT_REASONS | keyof typeof CARD_REASONS;

/**
 * Reason codes of a row that waits for someone, is held, or ended unpaid, and what people are told about each: by the report, the UI,
 * `explain`, `status`, `run`, `watch` and `inbox`.
 */
export const REASONS: Readonly<Record<ReasonCode, Remedy>> = { ...PAYOUT_REASONS, ...CARD_REASONS };

/** False also of a code that another build knows. */
export const isReasonCode = (code: string): code is ReasonCode => Object.hasOwn(REASONS, code);

const remedyOf = ({ code }: Reason): Remedy | undefined => (isReasonCode(code) ? REASONS[code] : undefined);

export const isTold = (reason: Reason): boolean => remedyOf(reason)?.isTold === true;

export const isOfAccount = (reason: Reason): boolean => remedyOf(reason)?.isOfAccount === true;

/** While a row is held for one of these, its account sends no other. */
export const ACCOUNT_HOLDS: readonly string[] = Object.entries(REASONS)
  .filter(([, remedy]) => remedy.isOfAccount)
  .map(([code]) => code);

/** What a hold asks people; who may answer follows from it. */
export const questionOfHold = (reason: Reason): 'hold' | 'screening' =>
  remedyOf(reason)?.who === 'compliance' ? 'screening' : 'hold';

/** Of an exchange that is done all the same; `bookedRate`: what was booked beside what was quoted. */
export const bookedAboveCap = ({ bookedRate = 'booked' }: { bookedRate?: string }): Reason =>
  because('slippage-above-cap', bookedRate);

/** The reason of a code; `detail` is a fact without personal data ("fee 3.00 USD, cap 1.00", the code of a bank). It stands in brackets. */
export function because(code: ReasonCode, detail?: string): Reason {
  const { says } = REASONS[code];
  return { code, message: detail === undefined ? says : `${says} (${detail})` };
}
