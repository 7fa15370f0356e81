import type { Prepared } from '../../activities/payout/prepare.ts';
import type { TerminalMeaning } from '../../domain/order-status.ts';
import type { EndState, Reason } from '../../domain/payout-state.ts';
import { because, bookedAboveCap, type ReasonCode } from '../../domain/reasons.ts';
import type { LegResult, OrderLeg } from '../leg/order-leg.ts';
import type { BackToGates, Unpaid } from '../payout/gates.ts';
import type { PayoutView } from '../payout/view.ts';

/**
 * Result of a payout, a transfer or an exchange. Every business outcome is a return value; a workflow fails only for a bug or a
 * misuse.
 */
export type PayoutResult = Omit<Extract<Prepared, { kind: 'ended' }>, 'kind'>;

/** Ends the row of this order unpaid; throws (superseded) if something was sent that is not settled. */
export async function close(main: OrderLeg, { state, reason }: Unpaid): Promise<PayoutResult> {
  await main.view.close(state, withExchange(main, reason), main.settled);
  return resultOf(main.view, state);
}

/** Ends the row with the end of its order. An end already stored by the read of the order is only shown. */
export async function endedBy(main: OrderLeg, end: Exclude<LegResult, BackToGates>): Promise<PayoutResult> {
  const { view } = main;
  if (end.kind === 'unpaid' && !end.isStored) return close(main, end);
  if (end.kind === 'unpaid') {
    view.show(end.state, end.reason);
    return resultOf(view, end.state);
  }
  const { fee = null, feeCurrency = null, aboveCap } = end.read;
  Object.assign(view, { fee, feeCurrency });
  view.show('completed', aboveCap === true ? bookedAboveCap(end.read) : null);
  return resultOf(view, 'completed');
}

/** Shows an end that the store had before this run. */
export function earlierEnd(
  view: PayoutView,
  { reference, state, reason, orderId, fee, feeCurrency }: Extract<Prepared, { kind: 'ended' }>,
): PayoutResult {
  Object.assign(view, { orderId, fee, feeCurrency });
  view.show(state, reason);
  return { reference, state, reason, orderId, fee, feeCurrency };
}

function resultOf({ claim, reason, orderId, fee, feeCurrency }: PayoutView, state: EndState): PayoutResult {
  return { reference: claim.reference, state, reason, orderId, fee, feeCurrency };
}

/** What each end of the order that ends a payout means for it. */
export function endOfOrder(
  meaning: TerminalMeaning,
  leg: OrderLeg,
): { state: 'completed'; reason: null } | Omit<Unpaid, 'kind'> {
  const byCancel = isCancelDriven(leg);
  const unpaidBy = (state: Unpaid['state'], code: ReasonCode) => ({
    state,
    reason: withExchange(leg, because(code)),
  });
  switch (meaning) {
    case 'paid':
      return { state: 'completed', reason: null };
    case 'rejected':
      if (byCancel) return unpaidBy('cancelled', 'cancelled-by-request');
      return unpaidBy('rejected', isRejectionDriven(leg) ? 'approval-rejected' : 'bank-rejected');
    case 'cancelled':
      return unpaidBy('cancelled', byCancel ? 'cancelled-by-request' : 'bank-cancelled');
    case 'failed':
      return unpaidBy('failed', 'bank-failed');
  }
}

/** What each end of the exchange before a payment means for the payout. */
export const endOfExchange = (meaning: TerminalMeaning, leg: OrderLeg): Omit<Unpaid, 'kind'> =>
  isCancelDriven(leg)
    ? { state: 'cancelled', reason: because('cancelled-by-request') }
    : { state: 'failed', reason: because('exchange-failed', `order ${meaning}`) };

/** An exchange is never undone automatically: the reason for an unpaid end says that the money is in another currency. */
const withExchange = ({ plan: { earlier } }: OrderLeg, { code, message }: Reason): Reason =>
  earlier?.isBooked === true ? { code, message: `${message}; the exchange stays as booked` } : { code, message };

/** Whether a cancel had the order rejected at the bank: by this run or, as the store says, by an earlier one. */
const isCancelDriven = ({ view, rejectedAs }: OrderLeg): boolean =>
  view.inbox.cancelStage === 'driven' || rejectedAs === 'cancel';

const isRejectionDriven = ({ decision, rejectedAs }: OrderLeg): boolean =>
  decision?.decision === 'reject' || rejectedAs === 'reject';
