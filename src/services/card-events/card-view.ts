import { masked } from '../../api/card-mask.ts';
import type { CardPayment } from '../../api/cards.ts';
import type { CardPaymentView } from '../../domain/card-payment.ts';

/**
 * A payment as workflows may see it: without what nobody named, and without any text that holds a card number. Throws for an
 * id or a status that does; what it throws says nothing.
 */
export function viewOf({
  paymentId,
  status,
  nextAction,
  amount,
  currency,
  merchantRequestId,
}: CardPayment): CardPaymentView {
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
    ...(merchantRequestId === undefined || !isClean(merchantRequestId) ? {} : { merchantRequestId }),
  };
}

const isClean = (text: string): boolean => masked(text) === text;
