import { type DeliveryOutcome, type DeliveryRound, healthAfter } from '../../domain/events-out.ts';
import type { MailReceivers, Subscription } from '../../platform/config/events.ts';
import { isDue, type SenderDeps } from './deliver.ts';
import { type Digest, digestOf } from './digest.ts';
import { Lease } from './lease.ts';

/** The most events in one mail. */
const EVENTS_MAX = 5_000;

type MailSubscription = Subscription & { to: MailReceivers };

/** Sends what has accumulated as one mail, once the oldest event has waited long enough. */
export async function deliverDigest(
  deps: SenderDeps,
  { name, kinds, uids, to }: MailSubscription,
  send: (digest: Digest, addresses: readonly string[]) => Promise<DeliveryOutcome>,
): Promise<void> {
  const { store } = deps;
  await using lease = new Lease(deps, name);
  while (!deps.signal.aborted) {
    const state = await lease.take();
    if (state === undefined || !isDue(state, deps.now())) return;
    const head = await store.outboxHead();
    const events = await store.outboxEvents({ kinds, uids, after: state.position, upTo: head, limit: EVENTS_MAX });
    const [first] = events;
    if (first === undefined) {
      if (head > state.position) await lease.move(state, { position: head });
      return;
    }
    const looked = deps.now();
    // An event dated by a clock far ahead must not hold up the later ones until then.
    const dueAt = first.at > looked + to.everyMs ? looked : first.at + to.everyMs;
    if (looked < dueAt) {
      await lease.move(state, { nextTryAt: dueAt });
      return;
    }
    const digest = await digestOf(store, events);
    const outcome = digest && (await send(digest, to.addresses));
    const halt = outcome === undefined || outcome.kind === 'taken' || outcome.kind === 'refused' ? undefined : outcome;
    const round: DeliveryRound = { hasTaken: outcome?.kind === 'taken', halt, refusedWhy: undefined, isFull: false };
    const now = deps.now();
    const position = halt === undefined ? (events.at(-1) ?? first).position : state.position;
    const health = { nextTryAt: null, ...healthAfter(state, round, now, deps.draw()) };
    const moved = await lease.move(state, { position, ...health, ...(round.hasTaken && { toldAt: now }) });
    if (!moved || halt !== undefined) return;
  }
}
