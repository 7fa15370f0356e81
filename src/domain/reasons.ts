import type { Reason } from './payout-state.ts';

/**
 * Reason codes of a row that waits for someone, is held, or ended unpaid: code -> the sentence shown in the report and
 * the UI. No sentence holds a value of the row; details go behind it in brackets (`because`).
 */
export const REASONS = {
  // waiting
  'beneficiary-pending': 'the beneficiary is being created at the bank',
  'bank-unreachable': 'the bank does not answer; trying again',
  'not-yet-due': 'waiting for its execution date',
  'insufficient-funds': 'the account does not hold enough money',
  'approval-required': 'waiting for internal approval',
  'bank-approval-required': 'waiting for approval of the bank order',
  'outcome-unknown': 'an answer of the bank was lost; searching for the order before anything else is sent',
  // held
  'fee-above-cap': 'the quoted fee is above the cap',
  'slippage-above-cap': 'the exchange rate moved by more than the cap',
  'exchange-quote-unclear': 'the exchange quote does not buy the requested amount',
  'account-frozen': 'the bank reports the account as frozen',
  'account-not-found': 'the bank does not know the account',
  'beneficiary-changed': 'the beneficiary at the bank differs from the instruction',
  'beneficiary-not-found': 'the bank does not know the beneficiary',
  'beneficiary-conflict': 'the bank has this beneficiary with other details',
  'no-payout-account': 'the user has no account in the payout currency',
  'switched-off': 'an operator has switched this off; continues when it is switched on again',
  'look-alike': 'same payee, amount and currency as an earlier payout',
  'payee-close-match': "the account is held under a name that is close to the payee's",
  'payee-no-match': 'the account is not held under the name of the payee',
  'payee-not-verified': 'whether the account is held under the name of the payee could not be verified',
  'screening-hit': 'the screening found the payee on a list',
  'screening-not-available': 'the payee could not be screened',
  'limit-reached': 'a limit of the policy would be exceeded; continues when the limit allows it',
  'maker-not-allowed': 'the policy does not allow its maker to submit it; continues when it does',
  'card-payment-open': 'waiting for the card payment it depends on',
  'card-payment-not-captured': 'the card payment it depends on has only reserved the money',
  'card-payment-too-small': 'the card payment it depends on does not cover it',
  'card-payment-contradicted': 'the acquirer has contradicted the end of the card payment it depends on',
  'earlier-generation-open': 'an earlier attempt to pay this document may have moved money',
  // ended unpaid
  'invalid-instruction': 'the instruction breaks a rule of the bank or of this product',
  'id-reused': 'this id was used before with different contents',
  unsupported: 'the bank does not support this payment',
  'refused-by-bank': 'the bank refused the request as invalid',
  'account-not-own': 'an account belongs to another user; money moves only between accounts of one user',
  'account-currency': 'the currency of an account is not the requested one',
  'funds-patience-over': 'the account did not receive enough money within the waiting time',
  'approval-rejected': 'an approver rejected the payout',
  'approval-expired': 'nobody approved it in time',
  'bank-rejected': 'the bank order was rejected',
  'bank-cancelled': 'the bank cancelled the order',
  'bank-failed': 'the bank reports the order as failed',
  'exchange-failed': 'the currency exchange ended without moving money',
  'cancelled-by-request': 'cancelled on request',
  'batch-cancelled': 'the batch was cancelled before this row was sent',
  'closed-by-operator': 'an operator closed it as not paid',
  'card-payment-unpaid': 'the card payment it depends on took no money',
  // needs an operator
  'order-not-found': 'no order was found under this reference and the settings forbid sending it again',
  'reference-conflict': 'the bank has another order under this reference',
  'duplicate-suspected': 'the bank shows more than one order under this reference',
  'status-unclear': 'the bank shows a status whose meaning is not known',
  'status-stuck': 'the order has not moved for longer than the age limit',
  'workflow-closed': 'the workflow was closed before the payout ended',
  // card payments: waiting
  'card-needed': 'waiting for the cardholder to enter a card',
  'another-card-needed': 'the card was declined and nothing was taken; waiting for another card',
  'card-refused': 'the acquirer refused the request as invalid and nothing was taken; waiting for a card again',
  'card-lost': 'the card is no longer in memory; the cardholder must enter it again',
  'acquirer-unreachable': 'the acquirer does not answer; trying again',
  'cardholder-needed': 'waiting for the cardholder to confirm the payment',
  'verify-url-refused': 'browsers may not be sent to the address for the confirmation',
  'payment-outcome-unknown': 'the answer of the acquirer was lost; waiting for an event that names the payment',
  // card payments: ended unpaid
  'card-not-given': 'no card was entered in time',
  'set-up-failed': 'the 3-D Secure set-up did not work in time; nothing that takes money was sent',
  'never-sent': 'the acquirer could not be reached in time; nothing that takes money was sent',
  'refused-by-acquirer': 'the acquirer refused the request as invalid',
  'card-declined': 'the acquirer reports the payment as failed',
  'challenge-abandoned': 'the cardholder did not confirm the payment in time',
  // card payments: need an operator
  'status-contradicted': 'the acquirer reports both that money was taken and that none was',
  'amount-conflict': 'the acquirer shows a different amount than requested',
  'payment-conflict': 'the acquirer shows this payment under another merchant_request_id',
  'status-stuck-at-acquirer': 'the payment has been open for longer than the age limit',
} as const;

/** Holds that are about the account and not about the row: other rows of the account would meet the same. */
export const ACCOUNT_HOLDS = [
  'account-frozen',
  'account-not-found',
] as const satisfies readonly (keyof typeof REASONS)[];

/** Holds that somebody may say are gone; who was killed before saying it does not. */
export const TOLD_HOLDS = [
  'switched-off',
  'earlier-generation-open',
  'card-payment-open',
  'card-payment-contradicted',
] as const satisfies readonly (keyof typeof REASONS)[];

/** Holds that nobody but who answers for screening lets through. */
const SCREENING_HOLDS = [
  'screening-hit',
  'screening-not-available',
] as const satisfies readonly (keyof typeof REASONS)[];

/** What a hold asks people; who may answer follows from it. */
export const questionOfHold = ({ code }: Reason): 'hold' | 'screening' =>
  SCREENING_HOLDS.some((held) => held === code) ? 'screening' : 'hold';

export type ReasonCode = keyof typeof REASONS;

/** Of an exchange that is done all the same; `bookedRate`: what was booked beside what was quoted. */
export const bookedAboveCap = ({ bookedRate = 'booked' }: { bookedRate?: string }): Reason =>
  because('slippage-above-cap', bookedRate);

/** The reason of a code; `detail` is a fact without personal data ("fee 3.00 USD, cap 1.00", the code of a bank). */
export function because(code: ReasonCode, detail?: string): Reason {
  return { code, message: detail === undefined ? REASONS[code] : `${REASONS[code]} (${detail})` };
}
