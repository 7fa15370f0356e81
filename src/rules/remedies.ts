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
const LOOKS_AGAIN = 'It looks again, at least once an hour, and goes on when the reason is gone.';
const ASKS_AGAIN = 'The provider is asked again, at least once an hour; it goes on when the answer lets it pass.';
const STAYS = 'Nothing: it waits until somebody decides.';
const KEEPS_LOOKING = 'It keeps looking at the bank, ever more rarely, and goes on when a look proves what happened.';

const CARD_ENDS = 'It ends without money when nothing comes in time.';

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
  'beneficiary-pending': waits('Nothing.', 'It goes on when the bank shows the payee.'),
  'bank-unreachable': waits(
    'If it lasts, `payouts doctor` says what works.',
    'The bank is asked again, ever more rarely.',
  ),
  'not-yet-due': waits('`payouts cancel ID` takes it back.', 'It is sent on its date.', 'date'),
  'insufficient-funds': outside(
    'Put money on the account, or `payouts cancel ID`.',
    'It goes on when the money is there, and fails when the patience is over.',
    'funds',
  ),
  'approval-required': {
    who: 'approver',
    todo: '`payouts approve ID` lets it go, `payouts reject ID --remark TEXT` ends it unpaid; not by who handed the file over.',
    byItself: 'It ends unpaid when no approval has come in time.',
    until: 'approval',
  },
  'bank-approval-required': {
    who: 'approver',
    todo: '`payouts approve ID` or `payouts reject ID --remark TEXT`: the decision is passed to the bank.',
    byItself: 'A decision taken at the bank counts too. The bank ends its order when its time is over.',
    until: 'bank-audit',
  },
  'outcome-unknown': waits(
    'Nothing, and never pay it another way: it may be paid.',
    'It goes on as soon as a look at the bank proves what happened.',
  ),
  // held
  'fee-above-cap': held(
    '`payouts approve ID` pays the fee, `payouts reject ID --remark TEXT` ends it unpaid.',
    'It looks again, and goes on when the fee is within the cap.',
  ),
  'slippage-above-cap': held(
    '`payouts approve ID` takes the rate, `payouts reject ID --remark TEXT` ends it unpaid.',
    'Before the exchange is booked it looks again, and goes on when the rate is within the cap.',
  ),
  'exchange-quote-unclear': onlyLooks(
    'Ask the bank about its quote; then `payouts approve ID` looks again at once, `payouts reject ID --remark TEXT` ends it unpaid.',
    LOOKS_AGAIN,
  ),
  'account-frozen': onlyLooks(
    'Have the bank unfreeze it; then `payouts approve ID` looks again at once, and pays nothing while it is frozen. `payouts reject ID --remark TEXT` ends it unpaid.',
    LOOKS_AGAIN,
  ),
  'account-not-found': onlyLooks(
    'If the id is right, clear it with the bank; then `payouts approve ID` looks again at once. If it is wrong, `payouts reject ID --remark TEXT` and hand it over under a new id.',
    LOOKS_AGAIN,
  ),
  'beneficiary-changed': onlyLooks(
    'Compare the payee at the bank with the instruction, and put it right there; then `payouts approve ID` looks again at once, and accepts no change. `payouts reject ID --remark TEXT` ends it unpaid.',
    LOOKS_AGAIN,
  ),
  'beneficiary-not-found': onlyLooks(
    'If the id is right, clear it with the bank; then `payouts approve ID` looks again at once. If it is wrong, `payouts reject ID --remark TEXT` and hand it over under a new id.',
    LOOKS_AGAIN,
  ),
  'beneficiary-conflict': onlyLooks(
    'Put the payee right at the bank; then `payouts approve ID` looks again at once. Or `payouts reject ID --remark TEXT` and hand over a new row that names its id.',
    LOOKS_AGAIN,
  ),
  'no-payout-account': onlyLooks(
    'Have the bank open an account in that currency; then `payouts approve ID` looks again at once. `payouts reject ID --remark TEXT` ends it unpaid.',
    LOOKS_AGAIN,
  ),
  'switched-off': onlyLooks(
    '`payouts switch list` says who switched it off and why; `payouts approve ID` looks again and lifts no switch. `payouts reject ID --remark TEXT` ends it unpaid.',
    'It goes on when the switch is on again.',
  ),
  'look-alike': held(
    'Compare it with the earlier payout: `payouts approve ID` pays it too, `payouts reject ID --remark TEXT` does not.',
    STAYS,
  ),
  'payee-close-match': held(
    'Compare the two names, which `payouts status ID` shows: `payouts approve ID` pays the account all the same, `payouts reject ID --remark TEXT` ends it unpaid, to be handed over with the right name.',
    STAYS,
  ),
  'payee-no-match': held(
    'Ask the payee for the account again, another way than this row came: `payouts approve ID` pays it all the same, `payouts reject ID --remark TEXT` ends it unpaid.',
    STAYS,
  ),
  'payee-not-verified': held(
    'Make sure of the account another way: `payouts approve ID` pays it without a verification, `payouts reject ID --remark TEXT` ends it unpaid.',
    ASKS_AGAIN,
  ),
  'screening-hit': screened(
    'Look at the case at the provider of the screening: `payouts approve ID` clears it for this payout, `payouts reject ID --remark TEXT` ends it unpaid.',
    STAYS,
  ),
  'screening-not-available': screened(
    '`payouts approve ID` pays it without a screening, `payouts reject ID --remark TEXT` ends it unpaid.',
    ASKS_AGAIN,
  ),
  'card-payment-open': waits(
    '`payouts card list` shows where the card payment stands.',
    'It goes on when that card payment has succeeded, and ends unpaid when that took no money.',
  ),
  'card-payment-not-captured': held(
    'Take the money at the acquirer first; then `payouts approve ID` pays it, `payouts reject ID --remark TEXT` does not.',
    STAYS,
  ),
  'card-payment-too-small': held(
    'Compare it with the card payment, which `payouts card list` shows: `payouts approve ID` pays it all the same, `payouts reject ID --remark TEXT` does not.',
    STAYS,
  ),
  'card-payment-contradicted': held(
    'The acquirer must say what is true; `payouts card resolve PAYMENT --action confirm-end --evidence TEXT` lets the end stand, `payouts reject ID --remark TEXT` ends the payout unpaid.',
    STAYS,
  ),
  'earlier-generation-open': onlyLooks(
    'If the earlier one was paid, `payouts reject ID --remark TEXT` ends this one unpaid; if not, `payouts incidents --open` says how to clear what speaks against it. `payouts approve ID` only looks again.',
    LOOKS_AGAIN,
  ),
  'limit-reached': onlyLooks(
    'Wait, or have the policy changed; `payouts approve ID` only looks again. `payouts reject ID --remark TEXT` ends it unpaid.',
    'It goes on when it fits within 24 hours.',
  ),
  'maker-not-allowed': onlyLooks(
    'Give its maker the role `maker` again in the policy file, or reject it and have somebody else hand it over; `payouts approve ID` only looks again. `payouts reject ID --remark TEXT` ends it unpaid.',
    'It goes on when the policy allows it.',
  ),
  // ended unpaid
  'invalid-instruction': again('Correct the row and hand it over under a new id.'),
  'id-reused': again('Give a new payout a new id; the earlier one is untouched.'),
  unsupported: over('Pay it another way; nothing was sent.'),
  'refused-by-bank': again('Ask the bank what it refused, correct the row and hand it over under a new id.'),
  'account-not-own': again(
    'Name accounts of one user, as `payouts accounts UID` shows them, under a new id; pay another user with `payouts run FILE`.',
  ),
  'account-currency': again(
    'Name accounts as `payouts accounts UID` shows them: of one currency for a transfer, of two for an exchange; under a new id.',
  ),
  'funds-patience-over': again('Put money on the account; `payouts retry ID` if it is still to be paid.'),
  'approval-rejected': over('Nothing was paid; `payouts audit show ID` has the remark.'),
  'approval-expired': again('`payouts retry ID` if it is still to be paid.'),
  'bank-rejected': again('Ask the bank why; `payouts retry ID` if it is still to be paid.'),
  'bank-cancelled': again('Ask the bank why; `payouts retry ID` if it is still to be paid.'),
  'bank-failed': again('Ask the bank why; `payouts retry ID` if it is still to be paid.'),
  'exchange-failed': again('Nothing was exchanged or paid; `payouts retry ID` if it is still to be paid.'),
  'cancelled-by-request': again('Nothing was paid; `payouts retry ID` if it is still to be paid.'),
  'batch-cancelled': again('Nothing was paid; `payouts retry ID` if it is still to be paid.'),
  'closed-by-operator': over('Nothing was paid, as the operator proved; `payouts audit show ID` has the evidence.'),
  'card-payment-unpaid': again('Collect the money another way, then hand the payout over under a new id.'),
  // needs an operator
  'order-not-found': operator(
    'Ask the bank whether it has the order. If so, `payouts resolve ID --action adopt-order --order ORDER --evidence TEXT` follows it; if not, `payouts resolve ID --action resend --evidence TEXT` sends it again, `payouts resolve ID --action close-as-not-paid --evidence TEXT` ends it unpaid.',
  ),
  'reference-conflict': operator(
    'The bank must say what happened to the order under this reference; `payouts resolve ID --action keep-looking --evidence TEXT` looks again, `payouts resolve ID --action close-as-not-paid --evidence TEXT` ends it unpaid.',
  ),
  'duplicate-suspected': operator(
    'Call back the order that is too many at the bank; then `payouts resolve ID --action adopt-order --order ORDER --evidence TEXT` follows the other one.',
  ),
  'status-unclear': operator(
    'Ask the bank what the status means; `payouts resolve ID --action close-as-not-paid --evidence TEXT` once it says that no money moved.',
  ),
  'status-stuck': operator(
    'Ask the bank why the order does not move; `payouts resolve ID --action keep-looking --evidence TEXT` looks now.',
  ),
  'workflow-closed': operator(
    '`payouts resolve ID --action keep-looking --evidence TEXT` starts it again; it looks before it sends anything.',
    'Nothing: it was closed again and again, and is not started by itself any more.',
  ),
  // card payments: waiting
  'card-needed': outside('The cardholder enters a card on the checkout page, or your backend gives one.', CARD_ENDS),
  'another-card-needed': outside(
    'The cardholder enters another card on the checkout page, or `payouts card cancel ID` ends it.',
    CARD_ENDS,
  ),
  'card-refused': outside(
    'Ask the acquirer what it refused: names of fields are mapped by PAYOUTS_CARD_FIELDS. Then the cardholder enters a card again, or the command that gave it is run again with the same --id.',
    CARD_ENDS,
  ),
  'card-lost': outside('The cardholder enters the card again; nothing was sent that takes money.', CARD_ENDS),
  'acquirer-unreachable': waits('If it lasts, `payouts doctor` says what works.', 'The acquirer is asked again.'),
  'cardholder-needed': outside('The cardholder confirms the payment at the address of `next_action`.', CARD_ENDS),
  'verify-url-refused': outside(
    'If the address is right, add its host to PAYOUTS_CARD_VERIFY_HOSTS; a new card payment can then be confirmed.',
    CARD_ENDS,
  ),
  'payment-outcome-unknown': operator(
    'Ask the acquirer for the payment of this merchant_request_id; then `payouts card resolve ID --action adopt-payment --payment-id PAYMENT --evidence TEXT` follows it, `payouts card resolve ID --action close-as-not-paid --evidence TEXT` ends it unpaid. Never collect it another way before that.',
    'It ends by itself when an event names the payment.',
  ),
  // card payments: ended unpaid
  'card-not-given': again('Nothing was taken. A new card payment needs a new merchant_request_id.'),
  'set-up-failed': again(
    'Nothing was taken. Ask the acquirer why; a new card payment needs a new merchant_request_id.',
  ),
  'never-sent': again('Nothing was taken. A new card payment needs a new merchant_request_id.'),
  'refused-by-acquirer': again('Ask the acquirer what it refused; a new card payment needs a new merchant_request_id.'),
  'card-declined': again('Invite another card, under a new merchant_request_id.'),
  'challenge-abandoned': again('Nothing was taken. A new card payment needs a new merchant_request_id.'),
  // card payments: need an operator
  'status-contradicted': operator(
    'The acquirer must say which is true; then `payouts card resolve ID --action adopt-payment --payment-id PAYMENT --evidence TEXT` or `payouts card resolve ID --action close-as-not-paid --evidence TEXT`.',
    'Nothing: it stays until somebody decides.',
  ),
  'amount-conflict': operator(
    'The acquirer must say what was taken, and give back what is too much; then `payouts card resolve ID --action adopt-payment --payment-id PAYMENT --evidence TEXT` or `payouts card resolve ID --action close-as-not-paid --evidence TEXT`.',
    'Nothing: it stays until somebody decides.',
  ),
  'payment-conflict': operator(
    'The acquirer must say whose payment it is; then `payouts card resolve ID --action adopt-payment --payment-id PAYMENT --evidence TEXT` or `payouts card resolve ID --action close-as-not-paid --evidence TEXT`.',
    'Nothing: it stays until somebody decides.',
  ),
  'status-stuck-at-acquirer': operator(
    'Ask the acquirer why the payment does not end; `payouts card resolve ID --action keep-looking --evidence TEXT` looks now.',
    'It is looked at again, and ends by itself when the acquirer shows an end.',
  ),
};

/** What can be done about each kind of incident; its meaning is in `INCIDENTS`. */
export const INCIDENT_REMEDIES: Readonly<Record<IncidentKind, Remedy>> = {
  'second-order': operator(
    'Call back the order that is too many at the bank; then `payouts acknowledge INCIDENT --reason TEXT` says that it was seen to.',
    'Nothing: it counts as open until somebody has seen to it.',
  ),
  'order-after-end': operator(
    'Ask the bank what became of the order, and never pay the row again before that; then `payouts acknowledge INCIDENT --reason TEXT`.',
    'Nothing: no later generation of the payout is sent while it may have taken money.',
  ),
  'end-contradicted': operator(
    'Ask the bank which is true; then `payouts acknowledge INCIDENT --reason TEXT`.',
    'Nothing: the stored end stays, and this is reported beside it.',
  ),
};

/** The commands of a text, in its order. */
export const commandsIn = (text: string): string[] =>
  [...text.matchAll(/`(payouts [^`]+)`/g)].map(([, command = '']) => command);
