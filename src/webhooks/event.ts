import type { CardNotice } from '../api/cards.ts';
import type { CardEvent } from '../domain/card-payment.ts';

/** Ids and statuses are stored and logged: printable ASCII without blanks. */
const TOKEN = /^[\x21-\x7e]{1,128}$/;

export const isToken = (text: string): boolean => TOKEN.test(text);

/** What a notice says; undefined when it is about no payment and no 3-D Secure session, or names one as none is named. */
export function eventOf(notice: CardNotice): Pick<CardEvent, 'kind' | 'paymentId' | 'status'> | undefined {
  const { kind, paymentId = '', referenceId = '' } = notice;
  const status = kind === 'status' ? (notice.status ?? '') : referenceId;
  if (paymentId === '' && (kind === 'status' || status === '')) return undefined;
  const written = [paymentId, status].filter((text) => text !== '');
  return written.every(isToken) ? { kind, paymentId, status } : undefined;
}
