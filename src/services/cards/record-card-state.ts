import { contradictsEnd } from '../../domain/card-judgement.ts';
import { type CardState, isCardEnd } from '../../domain/card-payment.ts';
import type { Reason } from '../../domain/payout-state.ts';
import type { CardChange, CardRecord } from '../../store/card-store.ts';
import type { ActivityDeps } from '../deps.ts';

/** Where a card payment stands in the store. */
export interface StoredCardState {
  state: CardState;
  reason: Reason | null;
  paymentId: string | null;
}

/** `state` absent: as it is, with a changed amount. */
export type RecordCardStateInput = { merchantRequestId: string } & Omit<CardChange, 'at'>;

export const stateOf = ({ state, reason, paymentId }: CardRecord): StoredCardState => ({ state, reason, paymentId });

/** Where the payment stands, for people and for the payouts that wait for it. A stored end is never left. */
export async function recordCardState(
  deps: ActivityDeps,
  { merchantRequestId, ...change }: RecordCardStateInput,
): Promise<StoredCardState> {
  const { cards } = deps.store;
  const record = await cards.change(merchantRequestId, { ...change, at: deps.now() });
  if (isCardEnd(record.state)) {
    await noteContradictions(deps, record);
    const waiters = await cards.waiters(merchantRequestId);
    await Promise.all(waiters.map((workflowId) => deps.executions.lookAgain(workflowId)));
  }
  return stateOf(record);
}

/** What was told to the workflow in the moment of its end, and says something else. */
async function noteContradictions({ store, now }: ActivityDeps, record: CardRecord): Promise<void> {
  const { merchantRequestId } = record;
  for (const event of await store.cards.eventsOf(merchantRequestId)) {
    if (event.kind !== 'status' || event.trust !== 'verified' || !contradictsEnd(record, event)) continue;
    await store.cards.recordEventEffect(event, { merchantRequestId, effect: 'contradicts', at: now() });
  }
}
