import type { ReasonCode } from '../domain/reasons.ts';
import type { IncidentKind } from '../domain/reconciliation.ts';

/**
 * Who may act on a row. `outside`: somebody at the bank, at the acquirer or with the account, by no command of ours; `nobody`: nobody
 * has to.
 */
export type Actor = 'approver' | 'compliance' | 'operator' | 'maker' | 'outside' | 'nobody';

/** What ends a wait without people: the patience for money, the life of our approval, that of the bank's audit, the day of the row. */
export type Deadline = 'funds' | 'approval' | 'bank-audit' | 'date';

/** What can be done about a kind of wait or end, and what happens if nobody does it. */
export interface Remedy {
  who: Actor;
  /** In words; commands stand between backticks, with `ID` for the payout and capitals for what has to be filled in. */
  todo: string;
  /** What happens by itself. */
  byItself: string;
  /** An approval lets nothing through: the bank is only read again. */
  approvalOnlyLooks?: true;
  until?: Deadline;
}

const OVER = 'Nothing: it has ended.';
const LOOKS_AGAIN = 'It checks again at least once an hour, and continues when the reason is gone.';
const ASKS_AGAIN = 'The provider is asked again at least once an hour; the payout continues when the answer allows it.';
const STAYS = 'Nothing: it waits until somebody decides.';
const KEEPS_LOOKING =
  'It keeps querying the bank, at growing intervals, and continues when an answer proves what happened.';

const CARD_ENDS = 'It ends without taking money if nothing happens in time.';

const waits = (todo: string, byItself: string, until?: Deadline): Remedy => ({ who: 'nobody', todo, byItself, until });
const held = (todo: string, byItself: string): Remedy => ({ who: 'approver', todo, byItself });
const screened = (todo: string, byItself: string): Remedy => ({ who: 'compliance', todo, byItself });
const onlyLooks = (todo: string, byItself: string): Remedy => ({ ...held(todo, byItself), approvalOnlyLooks: true });
const outside = (todo: string, byItself: string, until?: Deadline): Remedy => ({
  who: 'outside',
  todo,
  byItself,
  until,
});
const operator = (todo: string, byItself = KEEPS_LOOKING): Remedy => ({ who: 'operator', todo, byItself });
const over = (todo: string): Remedy => ({ who: 'nobody', todo, byItself: OVER });
const again = (todo: string): Remedy => ({ who: 'maker', todo, byItself: OVER });

/**
 * The one table of what people are told about each reason code: by `explain`, `status`, `run`, `watch` and `inbox`. The meaning of a
 * code is in `REASONS`.
 */
export const REMEDIES: Readonly<Record<ReasonCode, Remedy>> = {
  // waiting
  'beneficiary-pending': waits('Nothing.', 'It continues when the bank shows the payee.'),
  'bank-unreachable': waits(
    'If this lasts, `payouts doctor` shows what works and what does not.',
    'The bank is tried again, at growing intervals.',
  ),
  'not-yet-due': waits('`payouts cancel ID` withdraws it.', 'It is sent on its date.', 'date'),
  'insufficient-funds': outside(
    'Put money on the account, or `payouts cancel ID`.',
    'It continues when the money is there, and fails when the waiting time is over.',
    'funds',
  ),
  'approval-required': {
    who: 'approver',
    todo: '`payouts approve ID` approves it, `payouts reject ID --remark TEXT` ends it unpaid. The maker may not decide.',
    byItself: 'It ends unpaid if nobody approves it in time.',
    until: 'approval',
  },
  'bank-approval-required': {
    who: 'approver',
    todo: '`payouts approve ID` or `payouts reject ID --remark TEXT`: the decision is passed to the bank.',
    byItself: 'A decision taken at the bank counts too. The bank ends the order when its audit expires.',
    until: 'bank-audit',
  },
  'outcome-unknown': waits(
    'Nothing, and do not pay it another way: it may already be paid.',
    "It continues as soon as the bank's data proves what happened.",
  ),
  // held
  'fee-above-cap': held(
    '`payouts approve ID` accepts the fee, `payouts reject ID --remark TEXT` ends it unpaid.',
    'It checks again, and continues when the fee is within the cap.',
  ),
  'slippage-above-cap': held(
    '`payouts approve ID` accepts the rate, `payouts reject ID --remark TEXT` ends it unpaid.',
    'Until the exchange is booked it checks again, and continues when the rate is within the cap.',
  ),
  'exchange-quote-unclear': onlyLooks(
    'Ask the bank about its quote. Then `payouts approve ID` checks again at once; `payouts reject ID --remark TEXT` ends it unpaid.',
    LOOKS_AGAIN,
  ),
  'account-frozen': onlyLooks(
    'Have the bank unfreeze the account. Then `payouts approve ID` checks again at once; it pays nothing while the account is frozen. `payouts reject ID --remark TEXT` ends it unpaid.',
    LOOKS_AGAIN,
  ),
  'account-not-found': onlyLooks(
    'If the id is right, clarify with the bank; then `payouts approve ID` checks again at once. If it is wrong, `payouts reject ID --remark TEXT` and submit the row under a new document id.',
    LOOKS_AGAIN,
  ),
  'beneficiary-changed': onlyLooks(
    'Compare the payee at the bank with the instruction, and correct it at the bank. Then `payouts approve ID` checks again at once; it does not accept the change. `payouts reject ID --remark TEXT` ends it unpaid.',
    LOOKS_AGAIN,
  ),
  'beneficiary-not-found': onlyLooks(
    'If the id is right, clarify with the bank; then `payouts approve ID` checks again at once. If it is wrong, `payouts reject ID --remark TEXT` and submit the row under a new document id.',
    LOOKS_AGAIN,
  ),
  'beneficiary-conflict': onlyLooks(
    'Correct the payee at the bank; then `payouts approve ID` checks again at once. Or `payouts reject ID --remark TEXT` and submit a new row with the beneficiary_id.',
    LOOKS_AGAIN,
  ),
  'no-payout-account': onlyLooks(
    'Have the bank open an account in that currency; then `payouts approve ID` checks again at once. `payouts reject ID --remark TEXT` ends it unpaid.',
    LOOKS_AGAIN,
  ),
  'switched-off': onlyLooks(
    '`payouts switch list` shows who switched it off and why. `payouts approve ID` only checks again and lifts no switch. `payouts reject ID --remark TEXT` ends it unpaid.',
    'It continues when the switch is on again.',
  ),
  'look-alike': held(
    'Compare it with the earlier payout: `payouts approve ID` pays this one too, `payouts reject ID --remark TEXT` does not.',
    STAYS,
  ),
  'payee-close-match': held(
    'Compare the two names that `payouts status ID` shows: `payouts approve ID` pays the account anyway; `payouts reject ID --remark TEXT` ends it unpaid, so that you can submit it with the right name.',
    STAYS,
  ),
  'payee-no-match': held(
    'Confirm the account with the payee through another channel than the one the row came by: `payouts approve ID` pays it anyway, `payouts reject ID --remark TEXT` ends it unpaid.',
    STAYS,
  ),
  'payee-not-verified': held(
    'Verify the account another way: `payouts approve ID` pays it without a verification, `payouts reject ID --remark TEXT` ends it unpaid.',
    ASKS_AGAIN,
  ),
  'screening-hit': screened(
    'Review the case at the screening provider: `payouts approve ID` clears it for this payout, `payouts reject ID --remark TEXT` ends it unpaid.',
    STAYS,
  ),
  'screening-not-available': screened(
    '`payouts approve ID` pays it without a screening, `payouts reject ID --remark TEXT` ends it unpaid.',
    ASKS_AGAIN,
  ),
  'card-payment-open': waits(
    '`payouts card list` shows the state of the card payment.',
    'It continues when the card payment has succeeded, and ends unpaid if the card payment took no money.',
  ),
  'card-payment-not-captured': held(
    'Capture the money at the acquirer first; then `payouts approve ID` pays it. `payouts reject ID --remark TEXT` ends it unpaid.',
    STAYS,
  ),
  'card-payment-too-small': held(
    'Compare it with the card payment that `payouts card list` shows: `payouts approve ID` pays it anyway, `payouts reject ID --remark TEXT` ends it unpaid.',
    STAYS,
  ),
  'card-payment-contradicted': held(
    'Ask the acquirer which is true. `payouts card resolve PAYMENT --action confirm-end --evidence TEXT` confirms the stored end, `payouts reject ID --remark TEXT` ends the payout unpaid.',
    STAYS,
  ),
  'earlier-generation-open': onlyLooks(
    'If the earlier one was paid, `payouts reject ID --remark TEXT` ends this one unpaid. If not, `payouts incidents --open` shows what has to be cleared first. `payouts approve ID` only checks again.',
    LOOKS_AGAIN,
  ),
  'limit-reached': onlyLooks(
    'Wait, or have the policy changed; `payouts approve ID` only checks again. `payouts reject ID --remark TEXT` ends it unpaid.',
    'It continues when the limit of 24 hours allows it.',
  ),
  'maker-not-allowed': onlyLooks(
    'Give its maker the role `maker` again in the policy file, or reject it and have somebody else submit it. `payouts approve ID` only checks again; `payouts reject ID --remark TEXT` ends it unpaid.',
    'It continues when the policy allows it.',
  ),
  // ended unpaid
  'invalid-instruction': again('Correct the row and submit it under a new document id.'),
  'id-reused': again('Give the new payout a new document id; the earlier payout is not affected.'),
  unsupported: over('Pay it another way; nothing was sent.'),
  'refused-by-bank': again('Ask the bank what it refused, correct the row and submit it under a new document id.'),
  'account-not-own': again(
    'Under a new document id, use accounts of one user, as `payouts accounts UID` shows them. To pay another user, use `payouts run FILE`.',
  ),
  'account-currency': again(
    'Under a new document id, use accounts that `payouts accounts UID` shows: of one currency for a transfer, of two for an exchange.',
  ),
  'funds-patience-over': again('Put money on the account; `payouts retry ID` if it still has to be paid.'),
  'approval-rejected': over('Nothing was paid; `payouts audit show ID` shows the remark.'),
  'approval-expired': again('Nothing was paid; `payouts retry ID` if it still has to be paid.'),
  'bank-rejected': again('Ask the bank why; `payouts retry ID` if it still has to be paid.'),
  'bank-cancelled': again('Ask the bank why; `payouts retry ID` if it still has to be paid.'),
  'bank-failed': again('Ask the bank why; `payouts retry ID` if it still has to be paid.'),
  'exchange-failed': again('Nothing was exchanged or paid; `payouts retry ID` if it still has to be paid.'),
  'cancelled-by-request': again('Nothing was paid; `payouts retry ID` if it still has to be paid.'),
  'batch-cancelled': again('Nothing was paid; `payouts retry ID` if it still has to be paid.'),
  'closed-by-operator': over(
    "Nothing was paid, according to the operator's evidence; `payouts audit show ID` shows it.",
  ),
  'card-payment-unpaid': again('Collect the money another way, then submit the payout under a new document id.'),
  // needs an operator
  'order-not-found': operator(
    'Ask the bank whether it has the order. If so, `payouts resolve ID --action adopt-order --order ORDER --evidence TEXT` follows it; if not, `payouts resolve ID --action resend --evidence TEXT` sends it again, `payouts resolve ID --action close-as-not-paid --evidence TEXT` ends it unpaid.',
  ),
  'reference-conflict': operator(
    'Ask the bank what happened to the order under this reference; `payouts resolve ID --action keep-looking --evidence TEXT` checks again, `payouts resolve ID --action close-as-not-paid --evidence TEXT` ends it unpaid.',
  ),
  'duplicate-suspected': operator(
    'Have the bank recall the surplus order; then `payouts resolve ID --action adopt-order --order ORDER --evidence TEXT` follows the other one.',
  ),
  'status-unclear': operator(
    'Ask the bank what the status means; `payouts resolve ID --action close-as-not-paid --evidence TEXT` once it confirms that no money moved.',
  ),
  'status-stuck': operator(
    'Ask the bank why the order does not progress; `payouts resolve ID --action keep-looking --evidence TEXT` checks now.',
  ),
  'workflow-closed': operator(
    '`payouts resolve ID --action keep-looking --evidence TEXT` starts it again; it searches for its order before it sends anything.',
    'Nothing: it was closed repeatedly and is no longer restarted automatically.',
  ),
  // card payments: waiting
  'card-needed': outside('The cardholder enters a card on the checkout page, or your backend submits one.', CARD_ENDS),
  'another-card-needed': outside(
    'The cardholder enters another card on the checkout page, or `payouts card cancel ID` ends it.',
    CARD_ENDS,
  ),
  'card-refused': outside(
    'Ask the acquirer what it refused: names of fields are mapped by PAYOUTS_CARD_FIELDS. Then the cardholder enters a card again, or the command that gave it is run again with the same --id.',
    CARD_ENDS,
  ),
  'card-lost': outside('The cardholder enters the card again; nothing that takes money was sent.', CARD_ENDS),
  'acquirer-unreachable': waits(
    'If this lasts, `payouts doctor` shows what works and what does not.',
    'The acquirer is tried again.',
  ),
  'cardholder-needed': outside('The cardholder confirms the payment at the address of `next_action`.', CARD_ENDS),
  'verify-url-refused': outside(
    'If the address is right, add its host to PAYOUTS_CARD_VERIFY_HOSTS; a new card payment can then be confirmed.',
    CARD_ENDS,
  ),
  'payment-outcome-unknown': operator(
    'Ask the acquirer for the payment with this merchant_request_id. Then `payouts card resolve ID --action adopt-payment --payment-id PAYMENT --evidence TEXT` follows it; `payouts card resolve ID --action close-as-not-paid --evidence TEXT` ends it unpaid. Do not collect the money another way before that.',
    'It ends automatically when an event names the payment.',
  ),
  // card payments: ended unpaid
  'card-not-given': again('Nothing was taken. A new card payment needs a new merchant_request_id.'),
  'set-up-failed': again(
    'Nothing was taken. Ask the acquirer why; a new card payment needs a new merchant_request_id.',
  ),
  'never-sent': again('Nothing was taken. A new card payment needs a new merchant_request_id.'),
  'refused-by-acquirer': again('Ask the acquirer what it refused; a new card payment needs a new merchant_request_id.'),
  'card-declined': again('Ask for another card, under a new merchant_request_id.'),
  'challenge-abandoned': again('Nothing was taken. A new card payment needs a new merchant_request_id.'),
  // card payments: need an operator
  'status-contradicted': operator(
    'Ask the acquirer which is true; then `payouts card resolve ID --action adopt-payment --payment-id PAYMENT --evidence TEXT` or `payouts card resolve ID --action close-as-not-paid --evidence TEXT`.',
    'Nothing: it waits until somebody decides.',
  ),
  'amount-conflict': operator(
    'Ask the acquirer what was taken, and to refund any excess; then `payouts card resolve ID --action adopt-payment --payment-id PAYMENT --evidence TEXT` or `payouts card resolve ID --action close-as-not-paid --evidence TEXT`.',
    'Nothing: it waits until somebody decides.',
  ),
  'payment-conflict': operator(
    'Ask the acquirer whose payment it is; then `payouts card resolve ID --action adopt-payment --payment-id PAYMENT --evidence TEXT` or `payouts card resolve ID --action close-as-not-paid --evidence TEXT`.',
    'Nothing: it waits until somebody decides.',
  ),
  'status-stuck-at-acquirer': operator(
    'Ask the acquirer why the payment does not end; `payouts card resolve ID --action keep-looking --evidence TEXT` checks now.',
    'It is checked again, and ends automatically when the acquirer shows an end.',
  ),
};

/** What can be done about each kind of incident; its meaning is in `INCIDENTS`. */
export const INCIDENT_REMEDIES: Readonly<Record<IncidentKind, Remedy>> = {
  'second-order': operator(
    'Have the bank recall the surplus order; then `payouts acknowledge INCIDENT --reason TEXT` records that it was dealt with.',
    'Nothing: it stays open until somebody acknowledges it.',
  ),
  'order-after-end': operator(
    'Ask the bank what happened to the order, and do not pay the row again before you know; then `payouts acknowledge INCIDENT --reason TEXT`.',
    'Nothing: no retry of the payout is sent while the order may have moved money.',
  ),
  'end-contradicted': operator(
    'Ask the bank which is true; then `payouts acknowledge INCIDENT --reason TEXT`.',
    'Nothing: the stored end is kept, and the contradiction is reported beside it.',
  ),
};

/** The commands of a text, in its order. */
export const commandsIn = (text: string): string[] =>
  [...text.matchAll(/`(payouts [^`]+)`/g)].map(([, command = '']) => command);
