import { saysOfEnd } from '../../domain/card-judgement.ts';
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

/** `state` absent: unchanged, only the amount changes. */
export type RecordCardStateInput = { merchantRequestId: string } & Omit<CardChange, 'at'>;

export const stateOf = ({ state, reason, paymentId }: CardRecord): StoredCardState => ({ state, reason, paymentId });

/** Stores the state for people and for payouts that wait for this payment. A stored end never changes. */
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

/** Records verified events that reached the workflow as it ended and contradict its end. */
async function noteContradictions({ store, settings, now }: ActivityDeps, record: CardRecord): Promise<void> {
  const { merchantRequestId } = record;
  for (const event of await store.cards.eventsOf(merchantRequestId)) {
    if (event.kind !== 'status' || event.trust !== 'verified') continue;
    if (saysOfEnd(record, event, settings.cardBackStatuses) !== 'contradicts') continue;
    await store.cards.recordEventEffect(event, { merchantRequestId, effect: 'contradicts', at: now() });
  }
}
