import {
  type DeliveryOutcome,
  type DeliveryRound,
  healthAfter,
  PARKED_AFTER_MS,
  waitBeforeRetry,
} from '../../domain/events-out.ts';
import { someAtOnce } from '../../domain/some-at-once.ts';
import type { Subscription } from '../../platform/config/events.ts';
import type { OutboxEvent, RefusedEvent, SubscriptionMove, SubscriptionRecord } from '../../store/store.ts';
import { type CloudEvent, cloudEvent } from './cloud-event.ts';
import { Lease, type LeaseDeps } from './lease.ts';

export interface SenderDeps extends LeaseDeps {
  /** Random number from 0 to 1. */
  draw: () => number;
  /** Once aborted, no delivery is begun. */
  signal: AbortSignal;
}

type Send = (event: CloudEvent) => Promise<DeliveryOutcome>;

const PAGE = 200;
/** The most concurrent deliveries, each of another subject; a failing receiver is tried with one. */
const LANES = 8;
/** With this many refused events, no further one is tried until one of them is accepted. */
export const REFUSED_MAX = 100;

/** Delivers to a subscription everything that is due; the events of a subject one by one, in order. */
export async function deliverEvents(deps: SenderDeps, subscription: Subscription, send: Send): Promise<void> {
  await using lease = new Lease(deps, subscription.name);
  while (!deps.signal.aborted) {
    const state = await lease.take();
    if (state === undefined || !isDue(state, deps.now())) return;
    const round = await Deliveries.read(deps, subscription, state);
    if (round === undefined) return;
    await round.run(send, lease);
    const move = round.move(deps.now(), deps.draw());
    if (!(await lease.move(state, move))) return;
  }
}

export const isDue = ({ parkedAt, nextTryAt }: SubscriptionRecord, now: number): boolean =>
  parkedAt === null && (nextTryAt === null || nextTryAt <= now);

interface RoundRead {
  known: readonly RefusedEvent[];
  page: readonly OutboxEvent[];
  again: readonly OutboxEvent[];
  /** The subscription's position once the whole page is done. */
  upTo: number;
  isFull: boolean;
}

/** One round: refused events that are due again, and a page of new ones, in lanes of one subject each. */
class Deliveries {
  readonly #deps: SenderDeps;
  readonly #state: SubscriptionRecord;
  readonly #read: RoundRead;
  /** Events refused earlier, by position. */
  readonly #known: ReadonlyMap<number, RefusedEvent>;
  readonly #lanes: OutboxEvent[][];
  readonly #settled = new Set<number>();
  readonly #refused = new Map<number, RefusedEvent>();
  readonly #round: DeliveryRound;

  private constructor(deps: SenderDeps, state: SubscriptionRecord, read: RoundRead) {
    this.#deps = deps;
    this.#state = state;
    this.#read = read;
    this.#known = new Map(read.known.map((event) => [event.position, event]));
    this.#lanes = [...Map.groupBy([...read.again, ...read.page], ({ subject }) => subject).values()];
    this.#round = { hasTaken: false, halt: undefined, refusedWhy: undefined, isFull: read.isFull };
  }

  /** Undefined if there is nothing to deliver. */
  static async read(
    deps: SenderDeps,
    { kinds, uids, name }: Subscription,
    state: SubscriptionRecord,
  ): Promise<Deliveries | undefined> {
    const { store } = deps;
    const now = deps.now();
    // Read before the page: events written after that belong to the next round.
    const head = await store.outboxHead();
    const known = (await store.refusedEvents(name)).filter(({ parkedAt }) => parkedAt === null);
    const isFull = known.length >= REFUSED_MAX;
    const { position: after } = state;
    const page = isFull ? [] : await store.outboxEvents({ kinds, uids, after, upTo: head, limit: PAGE });
    const due = known.filter(({ nextTryAt }) => nextTryAt <= now);
    const upTo = isFull ? after : page.length < PAGE ? head : (page.at(-1)?.position ?? head);
    if (due.length === 0 && upTo <= after) return undefined;
    const again = await store.outboxEventsAt(due.map(({ position }) => position));
    return new Deliveries(deps, state, { known, page, again, upTo, isFull });
  }

  async run(send: Send, lease: Lease): Promise<void> {
    const atOnce = this.#state.failingSince === null ? LANES : 1;
    await someAtOnce(this.#lanes.values(), atOnce, (lane) => this.#runLane(lane, send, lease));
  }

  async #runLane(lane: readonly OutboxEvent[], send: Send, lease: Lease): Promise<void> {
    const [first] = lane;
    const waiting = first && [...this.#known.values()].find(({ subject }) => subject === first.subject);
    // An earlier event of the subject was refused and is not due yet.
    if (waiting !== undefined && !this.#known.has(first?.position ?? 0)) return this.#putBehind(lane, waiting);
    for (const [index, event] of lane.entries()) {
      if (this.#round.halt !== undefined || this.#deps.signal.aborted || !(await lease.hold())) return;
      const outcome = await this.#tell(event, send);
      if (outcome === undefined || outcome.kind === 'taken') {
        this.#settled.add(event.position);
        continue;
      }
      if (outcome.kind !== 'refused') {
        // Aborted by us: that says nothing about the receiver.
        if (this.#deps.signal.aborted) return;
        this.#round.halt ??= outcome;
        return;
      }
      const refused = this.#refuse(event, outcome.why);
      if (refused.parkedAt === null) return this.#putBehind(lane.slice(index + 1), refused);
    }
  }

  /** Undefined if the event no longer holds. */
  async #tell(event: OutboxEvent, send: Send): Promise<DeliveryOutcome | undefined> {
    const told = await cloudEvent(this.#deps.store, event);
    if (told === undefined) return undefined;
    const outcome = await send(told);
    if (outcome.kind === 'taken') this.#round.hasTaken = true;
    return outcome;
  }

  #refuse({ position, subject }: OutboxEvent, why: string): RefusedEvent {
    const now = this.#deps.now();
    const before = this.#known.get(position);
    const failures = (before?.failures ?? 0) + 1;
    const since = before?.since ?? now;
    const nextTryAt = now + waitBeforeRetry(failures, this.#deps.draw());
    const parkedAt = now - since >= PARKED_AFTER_MS ? now : null;
    const refused = { position, subject, since, failures, why, nextTryAt, parkedAt };
    if (parkedAt !== null)
      this.#deps.log.error({ id: this.#state.name, reason: why }, 'an event is parked: it was refused for 3 days');
    this.#round.refusedWhy = why;
    this.#refused.set(position, refused);
    return refused;
  }

  /** Lets later events of a subject wait for its refused one. */
  #putBehind(events: readonly OutboxEvent[], { nextTryAt }: RefusedEvent): void {
    for (const { position, subject } of events) {
      const before = this.#known.get(position);
      const { since = this.#deps.now(), failures = 0 } = before ?? {};
      const behind = { position, subject, since, failures, why: 'behind-a-refused-one', nextTryAt, parkedAt: null };
      this.#refused.set(position, behind);
    }
  }

  /** How the round moves the subscription: up to the first event that was neither delivered nor refused. */
  move(now: number, draw: number): SubscriptionMove {
    const open = this.#read.page.find(({ position }) => !this.#settled.has(position) && !this.#refused.has(position));
    const position = open === undefined ? this.#read.upTo : open.position - 1;
    return {
      position,
      ...healthAfter(this.#state, this.#round, now, draw),
      ...(this.#round.hasTaken && { toldAt: now }),
      refused: [...this.#refused.values()].filter((event) => event.position <= position),
      settled: [...this.#settled].filter((it) => this.#known.has(it)),
    };
  }
}
