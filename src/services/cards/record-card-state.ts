import { saysOfEnd } from '../../domain/card-judgement.ts';
import { type CardState, isCardEnd } from '../../domain/card-payment.ts';
import type { Reason } from '../../domain/payout-state.ts';
import type { CardChange, CardRecord } from '../../store/card-store.ts';
import type { ActivityDeps } from '../deps.ts';
import type { Caller } from '../sending/send-once.ts';
import { type CardAsked, claimCard } from './claim-card.ts';

/** Where a card payment stands in the store. */
export interface StoredCardState {
  state: CardState;
  reason: Reason | null;
  paymentId: string | null;
}

/** `state` absent: unchanged, only the amount changes. */
export type RecordCardStateInput = Omit<CardChange, 'at'> & {
  merchantRequestId: string;
  /** Absent in a run of an earlier release. */
  asked?: CardAsked;
};

export const stateOf = ({ state, reason, paymentId }: CardRecord): StoredCardState => ({ state, reason, paymentId });

/**
 * Stores the state for people and for payouts that wait for this payment. A stored end never changes. An older copy in the store's
 * place may have forgotten the payment, which is then claimed again, or whose the payment at the acquirer is.
 */
export async function recordCardState(
  deps: ActivityDeps,
  caller: Caller,
  { merchantRequestId, asked, ...change }: RecordCardStateInput,
): Promise<StoredCardState> {
  const { cards } = deps.store;
  const before = (await cards.get(merchantRequestId)) ?? (asked && (await claimCard(deps, caller, asked)).record);
  // Payouts go by an end as soon as it is stored: what contradicts it must be known by then.
  if (before !== undefined && !isCardEnd(before.state)) await noteContradictions(deps, { ...before, ...change });
  const record = await cards.change(merchantRequestId, { ...change, at: deps.now() });
  if (isCardEnd(record.state)) {
    await noteContradictions(deps, record);
    const waiters = await cards.waiters(merchantRequestId);
    await Promise.all(waiters.map((workflowId) => deps.executions.lookAgain(workflowId)));
  }
  return stateOf(record);
}

/** Records verified events that contradict the end, if it is one. The workflow had not heard them when it decided. */
async function noteContradictions({ store, settings, now }: ActivityDeps, record: CardRecord): Promise<void> {
  const { merchantRequestId, paymentId, state } = record;
  if (!isCardEnd(state)) return;
  if (paymentId !== null) await store.cards.linkPayment(paymentId, merchantRequestId, now());
  for (const event of await store.cards.eventsOf(merchantRequestId)) {
    if (event.kind !== 'status' || event.trust !== 'verified') continue;
    if (saysOfEnd(record, event, settings.cardBackStatuses) !== 'contradicts') continue;
    await store.cards.recordEventEffect(event, { merchantRequestId, effect: 'contradicts', at: now() });
  }
}
