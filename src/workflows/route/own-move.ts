import type { LegKind } from '../../domain/names.ts';
import { type LegMemory, OrderLeg } from '../leg/order-leg.ts';
import { runLeg } from '../leg/run-leg.ts';
import { close, endedBy, endOfOrder, type PayoutResult } from './ends.ts';
import { type PayoutRoute, type Run, type sharedPlan, startOf } from './under-claim.ts';

/** A route whose only order moves money between the owner's accounts: the gates around one leg. */
export function ownMove(
  kind: 'transfer' | 'exchange',
  plan: (run: Run) => ReturnType<typeof sharedPlan>,
): PayoutRoute<OrderLeg> {
  return {
    kind,
    progress: () => ({ exchanged: false, exchangeSent: false }),
    legs: (run, before) => legOf(run, kind, plan(run), before[kind]),
    orders: (leg) => [leg],
    lead,
  };
}

function legOf(
  { prepared, view }: Run,
  kind: LegKind,
  plan: ReturnType<typeof sharedPlan>,
  before: LegMemory | undefined,
): OrderLeg {
  const { terms, parked } = prepared;
  return new OrderLeg(
    { view, terms, parked, others: () => ({}) },
    startOf(prepared, kind),
    {
      ...plan,
      kind,
      submitting: 'submitting',
      following: 'processing',
      cancellable: true,
      endBy: endOfOrder,
      endsPayout: true,
    },
    before,
  );
}

/** Resolves first whatever was sent and is in doubt; then the gates, and the order. */
async function lead({ prepared, view, gates }: Run, leg: OrderLeg): Promise<PayoutResult> {
  let found = prepared.assessment;
  for (;;) {
    if (!leg.isInDoubt && leg.parked === null) {
      const cleared = await gates.clear(found);
      if (cleared.kind === 'unpaid') return close(view, cleared, leg.settled);
      found = cleared.found;
    }
    const done = await runLeg(leg);
    if (done.kind !== 'gates') return endedBy(view, done, leg.settled);
    found = await gates.after(done, found);
  }
}
