import type { PayoutInput } from '../domain/instruction.ts';
import { besideExchange, paidEnd } from '../domain/order-judgement.ts';
import { bookedAboveCap } from '../domain/reasons.ts';
import { mayHaveBeenSent } from '../domain/submission.ts';
import { type Run, type RunBefore, underClaim } from './payout/claim.ts';
import type { OrderEnd, Unpaid } from './payout/order-state.ts';
import type { PayoutResult } from './payout/view.ts';

export type { PayoutResult };

/**
 * One payout, from the instruction to a proven end: claim, gates, exchange if needed, gates, payment under the reference, end.
 */
export function payout(given: PayoutInput, before?: RunBefore): Promise<PayoutResult> {
  return underClaim('payout', given, before, pay);
}

/** One transfer between two accounts of one currency: `account_id` pays `amount` into `to_account_id`. */
export function internalTransfer(given: PayoutInput, before?: RunBefore): Promise<PayoutResult> {
  return underClaim('transfer', given, before, pay);
}

/** One stand-alone exchange: buys `amount` of `currency` into `to_account_id`, paid from `account_id`. */
export function currencyExchange(given: PayoutInput, before?: RunBefore): Promise<PayoutResult> {
  return underClaim('exchange', given, before, pay);
}

/**
 * Resolves first what was sent and is in doubt; then the gates, the exchange, the gates again, the order that ends the row. A
 * transfer and a stand-alone exchange go the same way, with no exchange before their order.
 */
async function pay(run: Run): Promise<PayoutResult> {
  const { prepared, gates, exchange, main } = run;
  let found = prepared.assessment;
  /** The exchange's unpaid end, kept until a payment in doubt is resolved. */
  let exchangeEnd: Unpaid | undefined;
  for (;;) {
    // The exchange comes before the payment.
    const unresolved = [exchange, main].find((order) => order?.isUnresolved);
    if (unresolved === undefined) {
      const cleared = exchangeEnd ?? (await gates.clear(found));
      if (cleared.kind === 'unpaid') return close(run, cleared);
      found = cleared.found;
    }
    const next = found.exchange === undefined ? main : (exchange ?? main);
    const order = unresolved ?? next;
    const result = await order.run(gates);
    gates.progress.exchangeSent = mayHaveBeenSent(exchange?.known);
    if (result.kind === 'gates') {
      found = await gates.after(result, found);
    } else if (order === main) {
      return end(run, result);
    } else if (result.kind === 'paid') {
      booked(run, result);
      found = result.read.assessment ?? (await gates.assess());
    } else {
      if (!main.isInDoubt) return close(run, result);
      exchangeEnd = result;
    }
  }
}

/** The money is now in the payout currency. */
function booked({ gates }: Run, { read }: Extract<OrderEnd, { kind: 'paid' }>): void {
  gates.booked();
  const isToAccept = read.aboveCap === true && gates.passes.bookedRateAccepted !== true;
  gates.rateToAccept = isToAccept ? bookedAboveCap(read) : undefined;
}

/** Ends the row unpaid; throws (superseded) if something was sent that is not resolved. */
function close({ view, exchange, main }: Run, { state, reason }: Unpaid): Promise<PayoutResult> {
  return view.close(state, besideExchange(reason, exchange?.isBooked === true), main.resolved);
}

/** Ends the row with the end of its order. An end already stored by the read of the order is only shown. */
function end(run: Run, result: OrderEnd): PayoutResult | Promise<PayoutResult> {
  const { view } = run;
  if (result.kind === 'paid') return view.paid(result.read, paidEnd(result.read).reason);
  return result.isStored ? view.ended(result.state, result.reason) : close(run, result);
}
