import { masked } from '../../bank/cards/card-mask.ts';
import { isMerchantRequestId } from '../../domain/card-number.ts';
import type { CardPaymentView } from '../../domain/card-payment.ts';

/**
 * A payment as workflows may see it: known fields only, and no text that holds a card number. Throws, without saying what it
 * found, if the payment id or the status holds one. One long number in ten passes the card check digit by chance, so `known`, an
 * id that was asked for or compared with the card itself, is accepted.
 */
export function viewOf(
  { paymentId, status, nextAction, amount, currency, merchantRequestId }: CardPaymentView,
  known: string,
): CardPaymentView {
  const isClean = (text: string): boolean => holdsNone(holdsNone(known) ? text : text.replaceAll(known, ' '));
  if (!isClean(paymentId) || !isClean(status)) throw new Error('the answer has no id that may be kept');
  const verifyUrl = nextAction?.verifyUrl ?? null;
  return {
    paymentId,
    status,
    nextAction:
      nextAction === null || !isClean(nextAction.type)
        ? null
        : { type: nextAction.type, verifyUrl: verifyUrl !== null && isClean(verifyUrl) ? verifyUrl : null },
    ...(amount === undefined || !isClean(amount) ? {} : { amount }),
    ...(currency === undefined || !isClean(currency) ? {} : { currency }),
    ...(merchantRequestId === undefined || !isIdOfRequest(merchantRequestId) ? {} : { merchantRequestId }),
  };
}

const holdsNone = (text: string): boolean => masked(text) === text;

/** A merchant_request_id of ours: accepted from a caller, or a UUID derived from such an id. */
const isIdOfRequest = (text: string): boolean => holdsNone(text) || isMerchantRequestId(text);
