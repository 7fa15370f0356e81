import type { ReasonCode } from '../domain/reasons.ts';

/** What people can do about each reason code; its meaning is in `REASONS`. Shown by `payouts explain CODE`. */
export const REMEDIES: Readonly<Record<ReasonCode, string>> = {
  // waiting
  'beneficiary-pending': 'Nothing: the payout goes on when the bank shows the beneficiary.',
  'bank-unreachable': 'Nothing: it is asked again. If it lasts, see `payouts doctor`.',
  'not-yet-due': 'Nothing: it is sent on its date. `payouts cancel ID` takes it back.',
  'insufficient-funds': 'Put money on the account; waiting rows go on by themselves.',
  'approval-required':
    '`payouts approve ID` or `payouts reject ID --remark TEXT`, by somebody who did not hand over the file.',
  'bank-approval-required':
    '`payouts approve ID` or `payouts reject ID --remark TEXT`: the decision is passed to the bank.',
  'outcome-unknown':
    'Nothing, and never pay it another way: it may be paid. It is decided as soon as a look at the bank proves it.',
  // held
  'fee-above-cap': '`payouts approve ID` pays the fee; `payouts reject ID --remark TEXT` ends it unpaid.',
  'slippage-above-cap': '`payouts approve ID` takes the rate; `payouts reject ID --remark TEXT` ends it unpaid.',
  'exchange-quote-unclear': 'Ask the bank about its quote; then approve, reject or cancel the payout.',
  'account-frozen': 'Clear it with the bank; its rows look again by themselves.',
  'account-not-found':
    'If the id is right, clear it with the bank and the row goes on; else cancel it and hand over a new row.',
  'beneficiary-changed':
    'Compare the beneficiary at the bank with the instruction; put it right there, or reject the payout.',
  'beneficiary-not-found':
    'If the id is right, clear it with the bank and the row goes on; else cancel it and hand over a new row.',
  'beneficiary-conflict':
    'Put the beneficiary right at the bank, or cancel the row and hand over a new one that names its id.',
  'no-payout-account': 'Let the bank open an account in that currency; the row looks again by itself.',
  'switched-off': '`payouts switch list` says who switched it off and why; the row goes on when it is on again.',
  'look-alike':
    'Compare it with the earlier payout: `payouts approve ID` pays it too, `payouts reject ID --remark TEXT` does not.',
  'card-payment-open':
    'Nothing: it is released when that card payment succeeded; `payouts card show ID` says where it stands.',
  'card-payment-contradicted':
    'The acquirer must say what is true; `payouts card resolve ID --action confirm-end --evidence TEXT` lets the end stand, `payouts reject ID --remark TEXT` ends the payout unpaid.',
  'earlier-generation-open':
    'If the earlier one was paid, `payouts reject ID --remark TEXT` ends this one unpaid; if not, `payouts incidents` says how to clear what speaks against it.',
  'limit-reached':
    'Wait until it fits within 24 hours, or have the policy changed; `payouts reject ID --remark TEXT` ends it unpaid.',
  // ended unpaid
  'invalid-instruction': 'Correct the row and hand it over under a new id.',
  'id-reused': 'Give a new payout a new id; the earlier one is untouched.',
  unsupported: 'Pay it another way; nothing was sent.',
  'refused-by-bank': 'Ask the bank what it refused, correct the row and hand it over under a new id.',
  'account-not-own':
    'Name accounts of one user, as `payouts accounts UID` shows them, under a new id; pay another user with `payouts run`.',
  'account-currency':
    'Name accounts as `payouts accounts UID` shows them: of one currency for a transfer, of two for an exchange; under a new id.',
  'funds-patience-over': 'Put money on the account; `payouts retry ID` if it is still to be paid.',
  'approval-rejected': 'Nothing was paid. The remark says why.',
  'approval-expired': '`payouts retry ID` if it is still to be paid.',
  'bank-rejected': 'Ask the bank why; `payouts retry ID` if it is still to be paid.',
  'bank-cancelled': 'Ask the bank why; `payouts retry ID` if it is still to be paid.',
  'bank-failed': 'Ask the bank why; `payouts retry ID` if it is still to be paid.',
  'exchange-failed': 'Nothing was exchanged or paid; `payouts retry ID` if it is still to be paid.',
  'cancelled-by-request': 'Nothing was paid.',
  'batch-cancelled': 'Nothing was paid; `payouts retry ID` if it is still to be paid.',
  'closed-by-operator': 'Nothing was paid, as the operator proved; the evidence is in the audit of the store.',
  'card-payment-unpaid': 'Collect the money another way, then hand the payout over under a new id.',
  // needs an operator
  'order-not-found':
    'Ask the bank, then `payouts resolve ID`: resend, adopt-order or close-as-not-paid, with the evidence.',
  'reference-conflict':
    'The bank must say what happened to the order under this reference; `payouts resolve ID --action keep-looking` looks again.',
  'duplicate-suspected':
    'Call back the order that is too many at the bank, then `payouts resolve ID --action adopt-order --order ORDER`.',
  'status-unclear':
    'Ask the bank what the status means; `payouts resolve ID --action close-as-not-paid` once it says that no money moved.',
  'status-stuck': 'Ask the bank why the order does not move; it is still looked at, and goes on by itself.',
  'workflow-closed':
    'Its workflow was closed again and again; `payouts resolve ID --action keep-looking` starts it again at the look-up.',
  // card payments: waiting
  'card-needed': 'The cardholder enters a card on the checkout page, or your backend gives one.',
  'card-lost': 'The cardholder enters the card again; nothing was sent that takes money.',
  'acquirer-unreachable': 'Nothing: it is asked again. If it lasts, see `payouts doctor`.',
  'cardholder-needed': 'The cardholder confirms the payment at the address of `next_action`.',
  'verify-url-refused':
    'If the address is right, add its host to PAYOUTS_CARD_VERIFY_HOSTS; a new card payment can then be confirmed.',
  'payment-outcome-unknown':
    'Ask the acquirer for the payment of this merchant_request_id, then `payouts card resolve ID`: adopt-payment or close-as-not-paid, with the evidence. Never collect it another way before that.',
  // card payments: ended unpaid
  'card-not-given': 'Nothing was taken. A new card payment needs a new merchant_request_id.',
  'set-up-failed': 'Nothing was taken. Ask the acquirer why; a new card payment needs a new merchant_request_id.',
  'never-sent': 'Nothing was taken. A new card payment needs a new merchant_request_id.',
  'refused-by-acquirer': 'Ask the acquirer what it refused; a new card payment needs a new merchant_request_id.',
  'card-declined': 'Invite another card, under a new merchant_request_id.',
  'challenge-abandoned': 'Nothing was taken. A new card payment needs a new merchant_request_id.',
  // card payments: need an operator
  'status-contradicted':
    'The acquirer must say which is true; then `payouts card resolve ID`: adopt-payment or close-as-not-paid, with the evidence.',
  'amount-conflict':
    'The acquirer must say what was taken, and give back what is too much; then `payouts card resolve ID`.',
  'payment-conflict': 'The acquirer must say whose payment it is; then `payouts card resolve ID`.',
  'status-stuck-at-acquirer':
    'Ask the acquirer why the payment does not end; it is looked at again, and ends by itself.',
};
