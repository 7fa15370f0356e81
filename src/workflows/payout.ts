import type { PayoutInput } from '../domain/instruction.ts';
import { bookedAboveCap } from '../domain/reasons.ts';
import { mayHaveBeenSent } from '../domain/submission.ts';
import type { LegResult, OrderLeg } from './leg/order-leg.ts';
import { runLeg } from './leg/run-leg.ts';
import type { Unpaid } from './payout/gates.ts';
import { close, endedBy, type PayoutResult } from './route/ends.ts';
import type { Legs, Run } from './route/legs.ts';
import { type RunBefore, underClaim } from './route/under-claim.ts';

/**
 * One payout, from the instruction to a proven end: prepare, pass the gates, exchange if needed, send under the reference, follow
 * the order.
 */
export function payout(given: PayoutInput, before?: RunBefore): Promise<PayoutResult> {
  return underClaim('payout', given, before, lead);
}

/**
 * Resolves first whatever was sent and is in doubt; then the gates, the exchange, the gates again, the order that ends the row. A
 * transfer and a stand-alone exchange go the same way, with no exchange before their order.
 */
export async function lead(run: Run, legs: Legs): Promise<PayoutResult> {
  const { prepared, gates } = run;
  const { exchange, main } = legs;
  let found = prepared.assessment;
  /** The exchange's unpaid end, kept until a payment in doubt is resolved. */
  let exchangeEnd: Unpaid | undefined;
  for (;;) {
    const unsettled = unsettledOf(legs);
    if (unsettled === undefined) {
      const cleared = exchangeEnd ?? (await gates.clear(found));
      if (cleared.kind === 'unpaid') return close(main, cleared);
      found = cleared.found;
    }
    const next = found.exchange === undefined ? main : (exchange ?? main);
    const leg = unsettled ?? next;
    const result = await runLeg(leg);
    gates.progress.exchangeSent = mayHaveBeenSent(exchange?.known);
    if (result.kind === 'gates') {
      found = await gates.after(result, found);
    } else if (leg === main) {
      return endedBy(main, result);
    } else if (result.kind === 'paid') {
      booked(run, result);
      found = result.read.assessment ?? (await gates.assess());
    } else {
      if (!main.isInDoubt) return close(main, result);
      exchangeEnd = result;
    }
  }
}

/** The leg to resolve first: the exchange comes before the payment. */
function unsettledOf({ exchange, main }: Legs): OrderLeg | undefined {
  if (exchange?.isInDoubt) return exchange;
  return main.isInDoubt || main.parked !== null ? main : undefined;
}

/** The money is now in the payout currency: nothing decided about the exchange applies to the payment, which is another order. */
function booked({ view, gates }: Run, { read }: Extract<LegResult, { kind: 'paid' }>): void {
  gates.booked();
  const isToAccept = read.aboveCap === true && gates.passes.bookedRateAccepted !== true;
  gates.rateToAccept = isToAccept ? bookedAboveCap(read) : undefined;
  view.inbox.cancelStage = 'open';
  view.bankStatus = null;
}
