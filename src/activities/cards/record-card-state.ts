import { saysOfEnd } from '../../domain/card-judgement.ts';
import { type CardEvent, type CardPaymentView, endOfStatus, isCardEnd } from '../../domain/card-payment.ts';
import { compareDecimals } from '../../domain/money.ts';
import type { CardChange, CardRecord } from '../../store/card-store.ts';
import type { Caller } from '../../store/claimed-row.ts';
import { eventOfShown, readPaymentOf } from '../card-events/deliver.ts';
import type { ActivityDeps } from '../deps.ts';
import { type CardAsked, claimCard } from './claim-card.ts';
import { requestIdsOf } from './request-ids.ts';

export type StoredCardState = Pick<CardRecord, 'state' | 'reason' | 'paymentId'>;

/** `state` absent: unchanged, only the amount changes. */
export type RecordCardStateInput = Omit<CardChange, 'at'> & {
  merchantRequestId: string;
  asked: CardAsked;
};

export const stateOf = ({ state, reason, paymentId }: CardRecord): StoredCardState => ({ state, reason, paymentId });

/**
 * Stores the state for people and for payouts that wait for this payment. A stored end never changes. An older copy in the
 * store's place may have forgotten the payment, which is then claimed again, or whose the payment at the acquirer is.
 */
export async function recordCardState(
  deps: ActivityDeps,
  caller: Caller,
  { merchantRequestId, asked, ...change }: RecordCardStateInput,
): Promise<StoredCardState> {
  const { cards } = deps.store;
  const before = (await cards.get(merchantRequestId)) ?? (await claimCard(deps, caller, asked)).record;
  // Payouts go by an end as soon as it is stored: what contradicts it must be known by then.
  if (before !== undefined && !isCardEnd(before.state)) {
    const after = { ...before, ...change };
    if (after.state === 'succeeded') await hearOfSuccess(deps, after);
    await noteContradictions(deps, after);
  }
  const record = await cards.change(merchantRequestId, { ...change, at: deps.now() });
  if (isCardEnd(record.state)) {
    await noteContradictions(deps, record);
    const waiters = await cards.waiters(merchantRequestId);
    await Promise.all(waiters.map((workflowId) => deps.executions.lookAgain(workflowId)));
  }
  return stateOf(record);
}

/**
 * Whoever can write to a workflow can have it say anything: money counts as taken, and as no more, by a stored event or by what
 * the acquirer shows now. What it shows to the contrary is stored as an event.
 *
 * @throws Error if neither says anything of an end: asked again later
 */
async function hearOfSuccess(deps: ActivityDeps, record: CardRecord): Promise<void> {
  const { merchantRequestId, paymentId, amount, currency } = record;
  const { cards } = deps.store;
  const isTaken = (shown: CardEvent | CardPaymentView): boolean =>
    shown.paymentId === paymentId &&
    endOfStatus(shown.status) === 'succeeded' &&
    (shown.currency ?? currency) === currency &&
    compareDecimals(shown.amount ?? amount, amount) !== -1;
  const events = await cards.eventsOf(merchantRequestId);
  if (events.some((event) => event.kind === 'status' && event.trust === 'verified' && isTaken(event))) return;
  const found = paymentId === null ? undefined : await readPaymentOf(deps, { paymentId });
  const { create, resume } = requestIdsOf(merchantRequestId);
  const isOurs =
    [merchantRequestId, undefined].includes(found?.owner) &&
    [undefined, ...create, ...resume].includes(found?.payment.merchantRequestId);
  if (found === undefined || !isOurs) throw new Error('the acquirer shows no such payment of this intent');
  const { payment } = found;
  if (isTaken(payment)) return;
  if (saysOfEnd(record, payment, deps.settings.cardBackStatuses) !== 'contradicts')
    throw new Error('the acquirer does not show that the money was taken');
  await cards.receive(eventOfShown(payment, merchantRequestId, deps.now()));
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
