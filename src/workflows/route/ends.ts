import type { Prepared } from '../../activities/payout.ts';
import { besideExchange, paidEnd } from '../../domain/order-end.ts';
import type { EndState } from '../../domain/payout-state.ts';
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
  await main.view.close(state, besideExchange(reason, main.plan.earlier?.isBooked === true), main.settled);
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
  const { fee = null, feeCurrency = null } = end.read;
  Object.assign(view, { fee, feeCurrency });
  view.show('completed', paidEnd(end.read).reason);
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
