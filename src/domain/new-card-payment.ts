import { isMerchantRequestId } from './card-number.ts';
import type { CardState } from './card-payment.ts';
import type { ReasonCode } from './reasons.ts';

/** Upper limit of `PAYOUTS_CARD_TRIES`: the number is one digit of the id. */
export const TRIES_MAX = 9;

const NUMBERED = /^(.+)~([2-9])$/;

/** Whether an id is kept for a payment that a page asked for; callers may not choose such an id. */
export const isNumbered = (merchantRequestId: string): boolean => NUMBERED.test(merchantRequestId);

/**
 * Ends after which the acquirer has nothing that could still take money. A challenge that was not completed in time may still be
 * confirmed; what people have closed is for people.
 */
const TOOK_NOTHING: readonly ReasonCode[] = [
  'card-declined',
  'refused-by-acquirer',
  'card-not-given',
  'set-up-failed',
  'never-sent',
];

/**
 * merchant_request_id of the payment that a cardholder's page may ask for after this one: `order~2` after `order`, `order~3` after
 * that. Undefined if this one has not ended without taking money, or `tries` payments were made for the purchase.
 */
export function newPaymentId(
  {
    merchantRequestId,
    state,
    reason,
    contradictedAt,
  }: {
    merchantRequestId: string;
    state: CardState;
    reason: { code: string } | null;
    contradictedAt: number | null;
  },
  tries: number,
): string | undefined {
  const isOver = state === 'failed' && contradictedAt === null;
  if (!isOver || !(TOOK_NOTHING as readonly string[]).includes(reason?.code ?? '')) return undefined;
  const [, first = merchantRequestId, number = '1'] = NUMBERED.exec(merchantRequestId) ?? [];
  const next = Number(number) + 1;
  const id = `${first}~${next}`;
  return next <= tries && isMerchantRequestId(id) ? id : undefined;
}
