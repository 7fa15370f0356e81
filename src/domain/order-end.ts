import type { PaidOrder } from './order-judgement.ts';
import type { NoMoney } from './order-status.ts';
import type { Reason, UnpaidState } from './payout-state.ts';
import { because, bookedAboveCap, type ReasonCode } from './reasons.ts';

/** How people had an order rejected at the bank through us: by a rejection, or by a cancel, which is passed on as one. */
export type RejectedAs = 'reject' | 'cancel';

/** What the end of its order means for a payout, a transfer or an exchange: paid. One booked above the cap says so. */
export const paidEnd = (order: PaidOrder) => ({
  state: 'completed' as const,
  reason: order.aboveCap === true ? bookedAboveCap(order) : null,
});

/** The same without money. `ofExchange`: of the exchange before a payment. */
export function unpaidEnd(
  { meaning, rejectedAs }: { meaning: NoMoney; rejectedAs?: RejectedAs },
  ofExchange: boolean,
): { state: UnpaidState; reason: Reason } {
  const end = (state: UnpaidState, code: ReasonCode, detail?: string) => ({ state, reason: because(code, detail) });
  if (rejectedAs === 'cancel' && (ofExchange || meaning !== 'failed')) return end('cancelled', 'cancelled-by-request');
  if (ofExchange) return end('failed', 'exchange-failed', `order ${meaning}`);
  switch (meaning) {
    case 'rejected':
      return end('rejected', rejectedAs === 'reject' ? 'approval-rejected' : 'bank-rejected');
    case 'cancelled':
      return end('cancelled', 'bank-cancelled');
    case 'failed':
      return end('failed', 'bank-failed');
  }
}

/** An exchange is never undone automatically: the reason for an unpaid end says that the money is in another currency. */
export const besideExchange = ({ code, message }: Reason, isBooked: boolean): Reason =>
  isBooked ? { code, message: `${message}; the exchange stays as booked` } : { code, message };
