import { exchangeProgress } from '../domain/exchange-progress.ts';
import type { PayoutInput } from '../domain/instruction.ts';
import type { TerminalMeaning } from '../domain/order-status.ts';
import type { Reason } from '../domain/payout-state.ts';
import { because, bookedAboveCap } from '../domain/reasons.ts';
import { mayHaveBeenSent } from '../domain/submission.ts';
import type { SettledLegs } from '../services/payout/close.ts';
import { type LegResult, OrderLeg } from './leg/order-leg.ts';
import { runLeg } from './leg/run-leg.ts';
import type { Gates, Unpaid } from './payout/gates.ts';
import type { PayoutView } from './payout/view.ts';
import { close, endedBy, endOfOrder, isCancelDriven, type PayoutResult } from './route/ends.ts';
import { type PayoutRoute, type Run, type RunBefore, sharedPlan, startOf, underClaim } from './route/under-claim.ts';

/**
 * One payout, from the instruction to a proven end: prepare, pass the gates, exchange if needed, send under the reference, follow
 * the order.
 */
export function payout(given: PayoutInput, before?: RunBefore): Promise<PayoutResult> {
  return underClaim(given, before, PAYOUT);
}

type Legs = { exchange: OrderLeg; payment: OrderLeg };

const PAYOUT: PayoutRoute<Legs> = {
  kind: 'payout',
  progress: exchangeProgress,
  legs: legsOf,
  orders: ({ exchange, payment }) => [exchange, payment],
  lead,
};

/** Resolves first whatever was sent and is in doubt; then the gates, the exchange, the gates again, the payment. */
async function lead({ prepared, view, gates }: Run, legs: Legs): Promise<PayoutResult> {
  const { exchange, payment } = legs;
  let found = prepared.assessment;
  /** The exchange's unpaid end, kept until a payment in doubt is resolved. */
  let exchangeEnd: Unpaid | undefined;
  for (;;) {
    const unsettled = unsettledOf(legs);
    if (unsettled === undefined) {
      const cleared = exchangeEnd ?? (await gates.clear(found));
      if (cleared.kind === 'unpaid') return closeBoth(view, legs, cleared);
      found = cleared.found;
    }
    const leg = unsettled ?? (found.exchange === undefined ? payment : exchange);
    const result = await runLeg(leg);
    gates.exchangeSent = mayHaveBeenSent(exchange.known);
    if (result.kind === 'gates') {
      found = await gates.after(result, found);
    } else if (leg === payment) {
      return result.kind === 'unpaid' && !result.isStored
        ? closeBoth(view, legs, result)
        : endedBy(view, result, payment.settled);
    } else if (result.kind === 'paid') {
      booked(view, gates, result);
      found = result.read.assessment ?? (await gates.assess());
    } else {
      if (!payment.isInDoubt) return closeBoth(view, legs, result);
      exchangeEnd = result;
    }
  }
}

/** The leg to resolve first: the exchange comes before the payment. */
function unsettledOf({ exchange, payment }: Legs): OrderLeg | undefined {
  if (exchange.isInDoubt) return exchange;
  return payment.isInDoubt || payment.parked !== null ? payment : undefined;
}

/** The money is now in the payout currency: nothing decided about the exchange applies to the payment, which is another order. */
function booked(view: PayoutView, gates: Gates, { read }: Extract<LegResult, { kind: 'paid' }>): void {
  gates.booked();
  const isToAccept = read.aboveCap === true && gates.passes.bookedRateAccepted !== true;
  gates.rateToAccept = isToAccept ? bookedAboveCap(read) : undefined;
  view.inbox.cancelStage = 'open';
  view.bankStatus = null;
}

function legsOf(run: Run, before: RunBefore['legs']): Legs {
  const { input, prepared, view } = run;
  const { terms, parked } = prepared;
  const { currency = '', amount = '' } = input;
  // `parked` is about the leg that is in doubt; about a payment that was never sent nothing can be decided.
  const asksOfExchange =
    startOf(prepared, 'exchange').submission?.tainted === true &&
    startOf(prepared, 'payment').submission?.tainted !== true;
  const exchange: OrderLeg = new OrderLeg(
    { view, terms, parked: asksOfExchange ? parked : null, others: () => ({}) },
    startOf(prepared, 'exchange'),
    {
      ...sharedPlan(run, 'submitExchange', `buys ${currency} for ${amount} and the fee`),
      kind: 'exchange',
      submitting: 'converting',
      following: 'converting',
      cancellable: false,
      endBy: exchangeEnd,
      endsPayout: false,
      thenAssess: { exchanged: true, exchangeSent: true },
    },
    before.exchange,
  );
  const payment = new OrderLeg(
    { view, terms, parked: asksOfExchange ? null : parked, others: (): SettledLegs => exchange.settled },
    startOf(prepared, 'payment'),
    {
      ...sharedPlan(run, 'submitPayment', `pays ${currency} ${amount}`),
      kind: 'payment',
      submitting: 'submitting',
      following: 'processing',
      cancellable: true,
      endBy: (meaning, leg) => paymentEnd(meaning, leg, exchange.isBooked),
      endsPayout: true,
    },
    before.payment,
  );
  return { exchange, payment };
}

/** What each end of the payment's order means for the payout. */
function paymentEnd(meaning: TerminalMeaning, leg: OrderLeg, isExchanged: boolean) {
  const end = endOfOrder(meaning, leg);
  return end.reason === null ? end : { ...end, reason: withExchange(isExchanged, end.reason) };
}

function exchangeEnd(meaning: TerminalMeaning, leg: OrderLeg): { state: Unpaid['state']; reason: Reason } {
  return isCancelDriven(leg)
    ? { state: 'cancelled', reason: because('cancelled-by-request') }
    : { state: 'failed', reason: because('exchange-failed', `order ${meaning}`) };
}

/** An exchange is never undone automatically: the reason for an unpaid end says that the money is in another currency. */
function withExchange(isBooked: boolean, { code, message }: Reason): Reason {
  return isBooked ? { code, message: `${message}; the exchange stays as booked` } : { code, message };
}

function closeBoth(view: PayoutView, { exchange, payment }: Legs, unpaid: Unpaid): Promise<PayoutResult> {
  return close(view, { ...unpaid, reason: withExchange(exchange.isBooked, unpaid.reason) }, payment.settled);
}
