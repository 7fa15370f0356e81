import { z } from 'zod';
import { EVENT_KINDS, type EventKind } from '../../../domain/events-out.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Subscription } from '../../../platform/config/events.ts';
import type { OutboxEvent, RefusedEvent, Store, SubscriptionRecord } from '../../../store/store.ts';
import { storableText } from '../documents.ts';
import { operation, type Place, shortText, wholeNumber } from '../operation.ts';
import type { CallerAccess } from '../route-access.ts';
import { nameOf } from './decision-operations.ts';

const TAG = 'events';
/** Events are of everybody's payouts. */
export const EVENTS_READING: CallerAccess = { roles: ['operator', 'auditor'], scope: 'whole' };
export const EVENTS_SETTING: CallerAccess = { roles: ['operator'], scope: 'whole' };
const SHOWN_MAX = 100_000;
const position = wholeNumber(0, Number.MAX_SAFE_INTEGER);

interface ListedEvents {
  /** Position of the newest event, and of the last one that was deleted. */
  head: number;
  tail: number;
  events: OutboxEvent[];
  /** Nothing follows them. */
  complete: boolean;
}

export const EVENTS = operation({
  method: 'GET',
  path: '/v1/events',
  tag: TAG,
  summary: 'Events of the outbox, by position: the newest, or those from a position',
  access: EVENTS_READING,
  input: z.strictObject({
    from: position.optional().describe('position of the first one'),
    kind: z.enum(Object.keys(EVENT_KINDS) as EventKind[]).optional(),
    limit: wholeNumber(0, SHOWN_MAX),
  }),
  answer: z.looseObject({ head: z.int(), tail: z.int(), events: z.array(z.looseObject({ position: z.int() })) }),
  async run({ store }, { from, kind, limit }): Promise<ListedEvents> {
    const head = await store.outboxHead();
    const after = from === undefined ? Math.max(0, head - limit) : from - 1;
    const found = await store.outboxEvents({ kinds: kind && [kind], after, limit: limit + 1 });
    const events = found.slice(0, limit);
    return { head, tail: await store.outboxTail(), events, complete: found.length <= limit };
  },
});

/** How far a subscription has been delivered, and why not further. */
export interface SubscriptionStatus {
  name: string;
  /** An origin, or mail addresses; null: not in the configuration of the process that answers. */
  to: string | null;
  state: 'new' | 'delivered' | 'behind' | 'failing' | 'parked';
  position: number;
  behind: number;
  /** Absent: no worker has sent to it yet. */
  record?: SubscriptionRecord;
  refused: readonly RefusedEvent[];
}

interface Outbox {
  head: number;
  tail: number;
  /** By name. */
  subscriptions: SubscriptionStatus[];
}

export const SUBSCRIPTIONS = operation({
  method: 'GET',
  path: '/v1/events/subscriptions',
  tag: TAG,
  summary: 'How far each subscription has been delivered',
  access: EVENTS_READING,
  input: z.strictObject({}),
  answer: z.looseObject({ head: z.int(), tail: z.int(), subscriptions: z.array(z.looseObject({ name: z.string() })) }),
  run: (place): Promise<Outbox> => outboxOf(place),
});

const by = storableText.optional();

export const REPLAY = operation({
  method: 'POST',
  path: '/v1/events/replay',
  tag: TAG,
  summary: 'Send everything from a position on to a subscription again',
  access: EVENTS_SETTING,
  input: z.strictObject({ from: position, name: shortText, by }),
  answer: z.looseObject({ head: z.int() }),
  async run(place, { from, name, by: given }): Promise<{ head: number }> {
    const { store, now } = place;
    const outbox = await outboxOf(place);
    assertReplayable(outbox, { from, name });
    const replayed = await store.replaySubscription({ name, from, by: nameOf(place, given, undefined), at: now() });
    if (replayed === 'unknown') throw unknownSubscription(outbox);
    if (replayed === 'deleted') throw deleted(await store.outboxTail());
    return { head: outbox.head };
  },
});

export const FORGET = operation({
  method: 'POST',
  path: '/v1/events/forget',
  tag: TAG,
  summary: 'Keep no events for a subscription that is no longer configured',
  access: EVENTS_SETTING,
  input: z.strictObject({ name: shortText, by }),
  answer: z.looseObject({ forgotten: z.literal(true) }),
  async run(place, { name, by: given }): Promise<{ forgotten: true }> {
    const { store, now } = place;
    const outbox = await outboxOf(place);
    assertForgettable(outbox, name);
    const asker = nameOf(place, given, undefined);
    if (!(await store.forgetSubscription({ name, by: asker, at: now() }))) throw unknownSubscription(outbox);
    return { forgotten: true };
  },
});

async function outboxOf({ config, store }: Place): Promise<Outbox> {
  const [head, tail, stored] = [await store.outboxHead(), await store.outboxTail(), await store.subscriptions()];
  const configured = new Map(config.events.subscriptions.map((it) => [it.name, it]));
  const names = [...new Set([...configured.keys(), ...stored.map(({ name }) => name)])].sort();
  const statuses = names.map((name) => {
    const record = stored.find((it) => it.name === name);
    return statusOf(store, head, { name, to: addressOf(configured.get(name)), record });
  });
  return { head, tail, subscriptions: await Promise.all(statuses) };
}

async function statusOf(
  store: Store,
  head: number,
  known: Pick<SubscriptionStatus, 'name' | 'to' | 'record'>,
): Promise<SubscriptionStatus> {
  const { name, to, record } = known;
  const at = record?.position ?? head;
  const behind = head - at;
  const refused = await store.refusedEvents(name);
  return { name, to, state: stateOf(record, behind), position: at, behind, record, refused };
}

/** Without the path of a URL, which can contain a secret. */
function addressOf(subscription: Subscription | undefined): string | null {
  if (subscription === undefined) return null;
  const { to } = subscription;
  if (to.kind === 'advice') return 'payees';
  return to.kind === 'webhook' ? new URL(to.url).origin : to.addresses.join(', ');
}

function stateOf(record: SubscriptionRecord | undefined, behind: number): SubscriptionStatus['state'] {
  if (record === undefined) return 'new';
  if (record.parkedAt !== null) return 'parked';
  if (record.failingSince !== null) return 'failing';
  return behind > 0 ? 'behind' : 'delivered';
}

/** Throws a `Problem` for a position or a subscription that there is not, and for a position whose event is deleted. */
export function assertReplayable(outbox: Outbox, { from, name }: { from: number; name: string }): void {
  const { head, tail } = outbox;
  if (from < 1 || from > head + 1) {
    const message = `Positions are 1 to ${head}; use ${head + 1} to start after the last one.`;
    throw new Problem('usage', 'position-unknown', message, { hint: 'payouts events shows them.' });
  }
  if (from <= tail) throw deleted(tail);
  assertStored(outbox, name);
}

/** Throws a `Problem` for a subscription that there is not, and for one that is configured. */
export function assertForgettable(outbox: Outbox, name: string): void {
  if (outbox.subscriptions.some((it) => it.name === name && it.to !== null)) {
    throw new Problem('conflict', 'subscription-in-use', `PAYOUTS_EVENTS still names ${name}.`, {
      hint: 'Remove it from the file first, and restart the workers.',
    });
  }
  assertStored(outbox, name);
}

function assertStored(outbox: Outbox, name: string): void {
  if (!storedNames(outbox).includes(name)) throw unknownSubscription(outbox);
}

const storedNames = ({ subscriptions }: Outbox): string[] =>
  subscriptions.filter(({ record }) => record !== undefined).map(({ name }) => name);

/** Delivered to every subscription, and older than `PAYOUTS_EVENTS_KEEP`. */
const deleted = (tail: number): Problem =>
  new Problem('usage', 'events-deleted', `The events up to position ${tail} were delivered and have been deleted.`, {
    hint: `payouts events replay --from ${tail + 1} --to NAME begins with the oldest one kept; payouts list finds earlier payouts.`,
  });

function unknownSubscription(outbox: Outbox): Problem {
  const known = storedNames(outbox);
  return new Problem('not-found', 'unknown-subscription', 'No worker has sent to a subscription of this name yet.', {
    hint:
      known.length === 0
        ? 'PAYOUTS_EVENTS names the subscriptions; a worker picks them up.'
        : `Known subscriptions: ${known.join(', ')}.`,
  });
}
