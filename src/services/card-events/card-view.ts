import { masked } from '../../api/card-mask.ts';
import type { CardPayment } from '../../api/cards.ts';
import { isMerchantRequestId } from '../../domain/card-number.ts';
import type { CardPaymentView } from '../../domain/card-payment.ts';

/**
 * A payment as workflows may see it: without what nobody named, and without any text that holds a card number. Throws for an
 * id or a status that does; what it throws says nothing. One long number in ten has the check digit of a card: an id that was
 * asked for, or compared with the card itself, is `known` to be none.
 */
export function viewOf(
  { paymentId, status, nextAction, amount, currency, merchantRequestId }: CardPayment,
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

/** Ours is one that was taken at the door, or a UUID made from it. */
const isIdOfRequest = (text: string): boolean => holdsNone(text) || isMerchantRequestId(text);
