import { createTransport } from 'nodemailer';
import { Agent, buildConnector } from 'undici';
import { lookupPublic } from '../../bank/private-addresses.ts';
import { type HttpProxy, throughProxy } from '../../bank/proxy.ts';
import { signedHeaders } from '../../bank/webhooks/verifier.ts';
import { causeOf } from '../../domain/causes.ts';
import {
  type DeliveryOutcome,
  type DeliveryRound,
  EVENT_KINDS,
  type EventFilter,
  type EventKind,
  healthAfter,
  outcomeOf,
  PARKED_AFTER_MS,
  retryAfter,
  waitBeforeRetry,
} from '../../domain/events-out.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import type { Log, WorkerSettings } from '../../domain/settings.ts';
import { DAY_MS, dayIn, nextAt } from '../../domain/time.ts';
import type { MailReceivers, MailServer, Subscription, WebhookReceiver } from '../../platform/config/events.ts';
import type { OutboxEvent, RefusedEvent, Store, SubscriptionMove, SubscriptionRecord } from '../../store/store.ts';
import { type CloudEvent, cloudEvent } from './cloud-event.ts';
import { type Digest, digestOf } from './mail-text.ts';
import { ofReader, whatWaits } from './remind.ts';

/** Longer than two deliveries may take: if the process dies, another one follows after this time. */
const LEASE_MS = 60_000;

interface LeaseDeps {
  store: Store;
  /** Address of the pages, for links; undefined: there are none. */
  pages: string | undefined;
  log: Log;
  /** Epoch ms. */
  now: () => number;
  /** Different in each process. */
  owner: string;
}

/** The right to deliver to a subscription, held by one process at a time. */
export class Lease implements AsyncDisposable {
  readonly #deps: LeaseDeps;
  readonly #name: string;
  #renewAt = 0;
  #renewing: Promise<SubscriptionRecord | undefined> | undefined;

  constructor(deps: LeaseDeps, name: string) {
    this.#deps = deps;
    this.#name = name;
  }

  /** Takes or renews the lease. The state of the subscription; undefined if another process has the lease. */
  take(): Promise<SubscriptionRecord | undefined> {
    this.#renewing ??= this.#take().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #take(): Promise<SubscriptionRecord | undefined> {
    const { store, owner, now } = this.#deps;
    const at = now();
    const state = await store.leaseSubscription({ name: this.#name, owner, now: at, until: at + LEASE_MS });
    this.#renewAt = state === undefined ? 0 : at + LEASE_MS / 3;
    return state;
  }

  /** Whether the lease still covers a delivery that begins now. */
  async hold(): Promise<boolean> {
    return this.#deps.now() < this.#renewAt || (await this.take()) !== undefined;
  }

  /** Stores the progress made since `before`; false if another process took over, or a replay was requested. */
  async move(before: SubscriptionRecord, move: SubscriptionMove): Promise<boolean> {
    const { store, owner, log } = this.#deps;
    const { name, position } = before;
    if (!(await store.recordDeliveryProgress({ name, owner, from: position }, move))) return false;
    if (move.parkedAt != null) {
      log.error({ id: name, reason: move.why }, 'events are parked: nothing is sent until payouts events replay');
    } else if (move.why != null && before.failingSince === null) {
      log.warn({ id: name, reason: move.why }, 'events are not accepted; trying again');
    }
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deps.store.releaseSubscription({ name: this.#name, owner: this.#deps.owner });
  }
}

interface MailTransport {
  /**
   * Sends one mail to all addresses. Taken once the server has accepted it for every one; sent again, it goes only to the
   * remaining ones, as far as this process knows. Never throws.
   */
  send(digest: Digest & { replyTo?: string | undefined }, addresses: readonly string[]): Promise<DeliveryOutcome>;
  close(): void;
}

export function mailTransport({ url, from, isRemote }: MailServer): MailTransport {
  const { hostname, port, protocol, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const transport = createTransport({
    host: hostname,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: isRemote && !secure,
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: ANSWER_WITHIN_MS,
    greetingTimeout: ANSWER_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  let partly = { id: '', taken: new Set<unknown>() };
  return {
    async send({ id, subject, text, replyTo }, addresses) {
      if (partly.id !== id) partly = { id, taken: new Set() };
      const { taken } = partly;
      try {
        const { accepted, rejected } = await transport.sendMail({
          from,
          to: addresses.filter((address) => !taken.has(address)),
          subject,
          text,
          ...(replyTo !== undefined && { replyTo }),
          messageId: `<${id}@durable-payouts>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        // sendMail resolves if at least one address was accepted.
        for (const address of accepted) taken.add(address);
        return rejected.length === 0 ? { kind: 'taken' } : { kind: 'unavailable', why: 'mail-partly-refused' };
      } catch (error) {
        return { kind: 'unavailable', why: whyNotMailed(error), isOfMail: isOfMail(error) };
      }
    },
    close: () => transport.close(),
  };
}

/** Whether the server works, and does not take this mail or its address. */
const isOfMail = (error: unknown): boolean =>
  error instanceof Error && 'command' in error && (error.command === 'RCPT TO' || error.command === 'DATA');

/** A code instead of the server's text, which can repeat an address. */
function whyNotMailed(error: unknown): string {
  if (!(error instanceof Error)) return 'mail-refused';
  if ('responseCode' in error && typeof error.responseCode === 'number') return `smtp-${error.responseCode}`;
  if ('code' in error && typeof error.code === 'string') return `mail-${error.code.toLowerCase()}`;
  return 'mail-refused';
}

/** From connecting to the end of the answer. */
const ANSWER_WITHIN_MS = 15_000;
/** Answers are not read; the connection is closed after a longer one. */
const ANSWER_BYTES_MAX = 65_536;

export interface WebhookEndpoint {
  /** One POST, without retries or redirects. Never throws. */
  send(event: CloudEvent): Promise<DeliveryOutcome>;
  /** Aborts what is under way. */
  close(): Promise<void>;
}

/**
 * Signs and sends events to one receiver, over persistent connections. Through a proxy it is the proxy that resolves the name, and
 * so decides which networks it leads to.
 */
export function webhookEndpoint(
  { url, secrets, privateNetwork }: WebhookReceiver,
  now: () => number,
  proxy?: HttpProxy,
): WebhookEndpoint {
  const { origin, pathname, search, hostname } = new URL(url);
  const isHere = hostname === 'localhost';
  const lookup = privateNetwork || isHere ? {} : { lookup: lookupPublic };
  const direct = buildConnector({ timeout: ANSWER_WITHIN_MS, allowH2: false, ...lookup });
  const agent = new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: proxy === undefined ? direct : throughProxy(direct, proxy, ANSWER_WITHIN_MS),
  });
  return {
    async send(event) {
      const at = now();
      const body = Buffer.from(JSON.stringify(event));
      try {
        const answer = await agent.request({
          origin,
          path: `${pathname}${search}`,
          method: 'POST',
          headers: {
            'content-type': 'application/cloudevents+json; charset=utf-8',
            'user-agent': 'durable-payouts',
            ...signedHeaders(secrets.reveal(), { id: event.id, at, body }),
          },
          body,
          signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        });
        // The status is what counts, even if the body is lost.
        await answer.body.dump({ limit: ANSWER_BYTES_MAX }).catch(() => {});
        const after = answer.headers['retry-after'];
        return outcomeOf(answer.statusCode, retryAfter(typeof after === 'string' ? after : undefined, at));
      } catch (error) {
        return { kind: 'unavailable', why: whyOf(error) };
      }
    },
    close: () => agent.destroy(),
  };
}

/** The name of a cause instead of the HTTP client's message, which can contain parts of the answer. */
const whyOf = (error: unknown): string => causeOf(error, 'receiver')?.name ?? 'not-reached';

/** The most events in one mail. */
const EVENTS_MAX = 5_000;

type MailSubscription = Subscription & { to: MailReceivers };

/** Sends what has accumulated as one mail, once it is due. */
export async function deliverDigest(
  deps: SenderDeps,
  subscription: MailSubscription,
  send: (digest: Digest, addresses: readonly string[]) => Promise<DeliveryOutcome>,
): Promise<void> {
  const { store } = deps;
  const { name, uids, to } = subscription;
  const kinds = kindsOf(subscription);
  await using lease = new Lease(deps, name);
  while (!deps.signal.aborted) {
    const state = await lease.take();
    if (state === undefined || !isDue(state, deps.now())) return;
    const head = await store.outboxHead();
    const events = await store.outboxEvents({ kinds, uids, after: state.position, upTo: head, limit: EVENTS_MAX });
    const [first] = events;
    if (first === undefined && to.daily === undefined) {
      if (head > state.position) await lease.move(state, { position: head });
      return;
    }
    const startedAt = deps.now();
    const dueAt = mailDueAt(deps, to, { since: first?.at ?? startedAt, state });
    if (startedAt < dueAt) {
      await lease.move(state, { nextTryAt: dueAt });
      return;
    }
    const digest = await mailOf(deps, subscription, events);
    const outcome = digest && (await send(digest, to.addresses));
    const halt = outcome === undefined || outcome.kind === 'taken' || outcome.kind === 'refused' ? undefined : outcome;
    const round: DeliveryRound = { hasTaken: outcome?.kind === 'taken', halt, refusedWhy: undefined, isFull: false };
    const now = deps.now();
    const last = events.length === EVENTS_MAX ? events.at(-1)?.position : undefined;
    const position = halt === undefined ? (last ?? head) : state.position;
    const nextTryAt = to.daily === undefined ? null : nextAt(to.daily, now, deps.settings.timeZone);
    const health = { nextTryAt, ...healthAfter(state, round, now, deps.draw()) };
    if (halt === undefined) health.nextTryAt = nextTryAt;
    const moved = await lease.move(state, { position, ...health, ...(round.hasTaken && { deliveredAt: now }) });
    if (!moved || halt !== undefined) return;
  }
}

/** A mail of the day lists what waits, instead of when it began to. */
function kindsOf({ kinds, to }: MailSubscription): EventFilter['kinds'] {
  if (to.daily === undefined) return kinds;
  const all = kinds ?? (Object.keys(EVENT_KINDS) as EventKind[]);
  return all.filter((kind) => !ABOUT_WAITING.includes(kind));
}

const ABOUT_WAITING: readonly EventKind[] = ['payout.attention', 'payout.reminder'];

/** When the next mail is sent, epoch ms. */
function mailDueAt(
  { now, settings }: SenderDeps,
  { daily, everyMs }: MailReceivers,
  { since, state }: { since: number; state: SubscriptionRecord },
): number {
  // The day's mail is due at the time that was noted for it.
  if (daily !== undefined) return state.nextTryAt ?? nextAt(daily, now(), settings.timeZone);
  // An event dated by a clock far ahead must not hold up the later ones until then.
  return since > now() + everyMs ? now() : since + everyMs;
}

async function mailOf(
  deps: SenderDeps,
  { name, uids, to: { person, daily } }: MailSubscription,
  events: readonly OutboxEvent[],
): Promise<Digest | undefined> {
  if (daily !== undefined) {
    const waits = await whatWaits(deps, { person, uids });
    return digestOf(deps, { events, waits, name: `${name} ${dayIn(deps.now(), deps.settings.timeZone)}` });
  }
  const kept = await Promise.all(events.map((event) => isForReader(deps, person, event)));
  const its = events.filter((_, index) => kept[index]);
  return digestOf(deps, { events: its, name: JSON.stringify([name, events[0], events.at(-1)]) });
}

/** Whether an event goes into the mails of this person: of what waits, only what they can decide now. */
async function isForReader(deps: SenderDeps, person: string | undefined, { kind, subject }: OutboxEvent) {
  if (person === undefined) return true;
  if (kind === 'payout.comment') return isAddressed(deps, person, subject);
  if (!ABOUT_WAITING.includes(kind)) return true;
  const row = await deps.store.payout(subject);
  return row !== undefined && (await ofReader(deps, person, [row])).length > 0;
}

const COMMENTS_MAX = 500;
const COMMENTS_MS = 30 * DAY_MS;

/** Whether somebody else has commented last on a payout that the person has made or commented on. */
async function isAddressed({ store, now }: SenderDeps, person: string, reference: string): Promise<boolean> {
  const comments = await store.commentsFor({ name: person, since: now() - COMMENTS_MS, limit: COMMENTS_MAX });
  const last = comments.find(({ subject }) => subject === reference);
  return last !== undefined && last.actor !== person;
}

export interface SenderDeps extends LeaseDeps {
  settings: WorkerSettings;
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
  readonly #resolved = new Set<number>();
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
      const outcome = await this.#deliver(event, send);
      if (outcome === undefined || outcome.kind === 'taken') {
        this.#resolved.add(event.position);
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
  async #deliver(event: OutboxEvent, send: Send): Promise<DeliveryOutcome | undefined> {
    const made = await cloudEvent(this.#deps, event);
    if (made === undefined) return undefined;
    const outcome = await send(made);
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
    const open = this.#read.page.find(({ position }) => !this.#resolved.has(position) && !this.#refused.has(position));
    const position = open === undefined ? this.#read.upTo : open.position - 1;
    return {
      position,
      ...healthAfter(this.#state, this.#round, now, draw),
      ...(this.#round.hasTaken && { deliveredAt: now }),
      refused: [...this.#refused.values()].filter((event) => event.position <= position),
      resolved: [...this.#resolved].filter((it) => this.#known.has(it)),
    };
  }
}

/** Events deleted in one transaction. */
const BATCH = 500;
/** The most transactions at a time: others can write in between, and a year of events is still deleted within hours. */
const BATCHES_MAX = 20;

/** Deletes events older than `keepMs` that every subscription has received. Returns how many positions were processed. */
export async function pruneEvents(store: Store, keepMs: number, now: number): Promise<number> {
  let pruned = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const some = await store.pruneOutbox({ before: now - keepMs, limit: BATCH });
    pruned += some;
    if (some < BATCH) break;
  }
  return pruned;
}
