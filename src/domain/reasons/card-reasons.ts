import { forMaker, forNobody, forOperator, forOutside, type Remedy, STAYS, toResolve } from '../remedy.ts';

const resolve = (action: string): string => toResolve('card resolve', action);

const ANEW = 'A new card payment needs a new merchant_request_id.';

const forCardholder = (says: string, todo: string): Remedy =>
  forOutside(says, todo, 'It ends without taking money if nothing happens in time.');

/** Reasons of a card payment that waits for someone, or ended without taking money. */
export const CARD_REASONS = {
  // waiting
  'card-needed': forCardholder(
    'waiting for the cardholder to enter a card',
    'The cardholder enters a card on the checkout page, or your backend submits one.',
  ),
  'card-lost': forCardholder(
    'the card is no longer in memory; the cardholder must enter it again',
    'The cardholder enters the card again; nothing that takes money was sent.',
  ),
  'acquirer-unreachable': forNobody(
    'the acquirer does not answer; trying again',
    'If this lasts, `payouts doctor` shows what works and what does not.',
    'The acquirer is tried again.',
  ),
  'cardholder-needed': forCardholder(
    'waiting for the cardholder to confirm the payment',
    'The cardholder confirms the payment at the address of `next_action`.',
  ),
  'verify-url-refused': forCardholder(
    'browsers may not be sent to the address for the confirmation',
    'If the address is right, add its host to PAYOUTS_CARD_VERIFY_HOSTS; a new card payment can then be confirmed.',
  ),
  'payment-outcome-unknown': forOperator(
    'the answer of the acquirer was lost or cannot be used; waiting for an event that names the payment',
    `Ask the acquirer for the payment with this merchant_request_id. Then ${resolve('adopt-payment')} follows it; ${resolve('close-as-not-paid')} ends it unpaid. Do not collect the money another way before that.`,
    'It ends automatically when an event names the payment.',
  ),
  // ended unpaid
  'card-not-given': forMaker('no card was entered in time', `Nothing was taken. ${ANEW}`),
  'set-up-failed': forMaker(
    'the 3-D Secure set-up did not work in time; nothing that takes money was sent',
    `Nothing was taken. Ask the acquirer why. ${ANEW}`,
  ),
  'never-sent': forMaker(
    'the acquirer could not be reached in time; nothing that takes money was sent',
    `Nothing was taken. ${ANEW}`,
  ),
  'refused-by-acquirer': forMaker(
    'the acquirer refused the request as invalid',
    `Nothing was taken. Ask the acquirer what it refused: PAYOUTS_CARD_FIELDS maps names of fields. ${ANEW}`,
  ),
  'card-declined': forMaker(
    'the acquirer reports the payment as failed',
    'Nothing was taken. A payment with another card needs a new merchant_request_id.',
  ),
  'challenge-abandoned': forMaker('the cardholder did not confirm the payment in time', `Nothing was taken. ${ANEW}`),
  // need an operator
  'status-contradicted': forOperator(
    'the acquirer reports both that money was taken and that none was',
    `Ask the acquirer which is true; then ${resolve('adopt-payment')} or ${resolve('close-as-not-paid')}.`,
    STAYS,
  ),
  'amount-conflict': forOperator(
    'the acquirer shows a different amount than requested',
    `Ask the acquirer what was taken, and to refund any excess; then ${resolve('adopt-payment')} or ${resolve('close-as-not-paid')}.`,
    STAYS,
  ),
  'payment-conflict': forOperator(
    'the acquirer shows this payment under another merchant_request_id',
    `Ask the acquirer whose payment it is; then ${resolve('adopt-payment')} or ${resolve('close-as-not-paid')}.`,
    STAYS,
  ),
  'status-stuck-at-acquirer': forOperator(
    'the payment has been open for longer than the age limit',
    `Ask the acquirer why the payment does not end; ${resolve('keep-looking')} checks now. If the acquirer has never shown it, two people may close it, one after the other: ${resolve('close-as-not-paid')}.`,
    'It is checked again, and ends automatically when the acquirer shows an end.',
  ),
} satisfies Record<string, Remedy>;
