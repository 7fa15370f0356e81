import { holdsCardNumber } from '../../domain/card-number.ts';
import type { CardEvent } from '../../domain/card-payment.ts';
import { isToken } from '../../domain/token.ts';
import type { CardNotice } from '../cards/cards.ts';

/** What cannot be kept as it was said: a sum is then nobody's, a status concludes nothing. */
const UNREADABLE = '?';

/** The event in a notification; undefined if it names no payment and no 3-D Secure session, or names one by an impossible id. */
export function eventOf(
  notice: CardNotice,
): Pick<CardEvent, 'kind' | 'paymentId' | 'status' | 'amount' | 'currency'> | undefined {
  const { kind, paymentId = '', referenceId = '' } = notice;
  // Ids of payments and sessions may be all digits, so that some look like card numbers; without them nothing is followed.
  const status = kind === 'status' ? withoutCardNumber(notice.status ?? '') : referenceId;
  if (paymentId === '' && (kind === 'status' || status === '')) return undefined;
  const written = [paymentId, status].filter((text) => text !== '');
  if (!written.every(isToken)) return undefined;
  const { amount, currency } = notice;
  return {
    kind,
    paymentId,
    status,
    ...(amount !== undefined && { amount: kept(amount) }),
    ...(currency !== undefined && { currency: kept(currency) }),
  };
}

const kept = (text: string): string => (isToken(text) ? withoutCardNumber(text) : UNREADABLE);

const withoutCardNumber = (text: string): string => (holdsCardNumber(text) ? UNREADABLE : text);
