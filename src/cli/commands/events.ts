import { counted, groupedAmount, iso, isoOrNull, minuteOf } from '../../domain/display.ts';
import { isEventKind } from '../../domain/events-out.ts';
import { Problem } from '../../domain/problem.ts';
import { type LabelledText, labelledLines, widthOf } from '../../domain/wrap.ts';
import type { Subscription } from '../../platform/config/events.ts';
import type { OutboxEvent, RefusedEvent, Store, SubscriptionRecord } from '../../store/store.ts';
import { confirm } from '../confirm.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { type ConfirmedOptions, nameOf } from '../signer.ts';
import { table } from '../table.ts';

interface ListOptions {
  /** Position of the first event; absent: the newest are shown. */
  from?: number;
  kind?: string;
  limit: number;
}

/** `payouts events`: the events of the outbox, by position. It reads the store and boots nothing. */
export async function listEvents(session: Session, { from, kind, limit }: ListOptions): Promise<void> {
  const kinds = kind !== undefined && isEventKind(kind) ? [kind] : undefined;
  const store = await session.store();
  const head = await store.outboxHead();
  const after = from === undefined ? Math.max(0, head - limit) : from - 1;
  const found = await store.outboxEvents({ kinds, after, limit: limit + 1 });
  const events = found.slice(0, limit);
  const rows = events.map((event) => [
    `${event.position}`,
    minuteOf(event.at),
    event.kind,
    event.subject,
    event.uid ?? '',
  ]);
  const next = events.at(-1);
  const more = found.length > limit && next ? `\nThere are more: payouts events --from ${next.position + 1}` : '';
  const tail = await store.outboxTail();
  const before = from !== undefined && from <= tail ? `The events up to position ${tail} have been deleted.\n` : '';
  const listed =
    rows.length === 0 ? 'There are no events.' : table(['position', 'at', 'kind', 'subject', 'user'], rows);
  const text = `${before}${listed}${more}`;
  session.output.result({ head, tail, events: events.map(eventDocument), complete: more === '' }, text);
}

const eventDocument = ({ position, kind, subject, uid, at }: OutboxEvent): object => ({
  position,
  kind,
  subject,
  uid,
  at: iso(at),
});

interface ReplayOptions extends ConfirmedOptions {
  from: number;
  /** Name of the subscription. */
  to: string;
}

/** `payouts events replay`: delivers everything from a position on again to a subscription, as it stands now. */
export async function replayEvents(session: Session, { from, to: name, by, yes }: ReplayOptions): Promise<void> {
  const store = await session.store();
  const head = await store.outboxHead();
  if (from < 1 || from > head + 1) {
    throw new Problem(
      'usage',
      'position-unknown',
      `Positions are 1 to ${head}; use ${head + 1} to start after the last one.`,
      {
        hint: 'payouts events shows them.',
      },
    );
  }
  const tail = await store.outboxTail();
  if (from <= tail) throw deleted(tail);
  const known = (await store.subscriptions()).map((it) => it.name);
  if (!known.includes(name)) throw unknownSubscription(known);
  await confirm(`Send ${counted(head + 1 - from, 'event')} from position ${from} on to ${name} again?`, yes);
  const replayed = await store.replaySubscription({ name, from, by: nameOf(by), at: Date.now() });
  if (replayed === 'unknown') throw unknownSubscription(known);
  if (replayed === 'deleted') throw deleted(await store.outboxTail());
  const text = `A worker will send everything from position ${from} on to ${name}.`;
  session.output.result({ subscription: name, from, head }, text);
}

/** Delivered to every subscription, and older than `PAYOUTS_EVENTS_KEEP`. */
const deleted = (tail: number): Problem =>
  new Problem('usage', 'events-deleted', `The events up to position ${tail} were delivered and have been deleted.`, {
    hint: `payouts events replay --from ${tail + 1} --to NAME begins with the oldest one kept; payouts list finds earlier payouts.`,
  });

/** `payouts events forget`: drops a subscription that is no longer configured; until then its events are kept for it. */
export async function forgetEvents(session: Session, name: string, { by, yes }: ConfirmedOptions): Promise<void> {
  const store = await session.store();
  if (session.config.events.subscriptions.some((it) => it.name === name)) {
    throw new Problem('conflict', 'subscription-in-use', `PAYOUTS_EVENTS still names ${name}.`, {
      hint: 'Remove it from the file first, and restart the workers.',
    });
  }
  const known = (await store.subscriptions()).map((it) => it.name);
  if (!known.includes(name)) throw unknownSubscription(known);
  await confirm(`Forget ${name} and its position?`, yes);
  await store.forgetSubscription({ name, by: nameOf(by), at: Date.now() });
  session.output.result({ subscription: name, forgotten: true }, `${name} is forgotten.`);
}

const unknownSubscription = (known: readonly string[]): Problem =>
  new Problem('not-found', 'unknown-subscription', 'No worker has sent to a subscription of this name yet.', {
    hint:
      known.length === 0
        ? 'PAYOUTS_EVENTS names the subscriptions; a worker picks them up.'
        : `Known subscriptions: ${known.join(', ')}.`,
  });

/**
 * `payouts events status`: how far each subscription has been delivered, and why not further. Exit 5 if a subscription, or an
 * event of one, is parked.
 */
export async function eventsStatus(session: Session): Promise<ExitCode> {
  const store = await session.store();
  const head = await store.outboxHead();
  const { subscriptions } = session.config.events;
  const stored = await store.subscriptions();
  const configured = new Map(subscriptions.map((it) => [it.name, it]));
  const names = [...new Set([...configured.keys(), ...stored.map(({ name }) => name)])].sort();
  const all = await Promise.all(
    names.map((name) =>
      statusOf(store, head, {
        name,
        subscription: configured.get(name),
        record: stored.find((it) => it.name === name),
      }),
    ),
  );
  const documents = all.map(statusDocument);
  const none = 'No events are sent: PAYOUTS_EVENTS names no subscription.';
  const text = all.length === 0 ? none : all.map(statusText).join('\n\n');
  session.output.result({ head, subscriptions: documents }, text);
  return all.some(({ state, refused }) => state === 'parked' || refused.some(isParked))
    ? EXIT.exceptions
    : EXIT.completed;
}

interface SubscriptionStatus {
  name: string;
  /** An origin, or mail addresses; null: not in the configuration of this command. */
  to: string | null;
  state: 'new' | 'told' | 'behind' | 'failing' | 'parked';
  position: number;
  behind: number;
  record: SubscriptionRecord | undefined;
  refused: readonly RefusedEvent[];
}

async function statusOf(
  store: Store,
  head: number,
  { name, subscription, record }: Pick<SubscriptionStatus, 'name' | 'record'> & { subscription?: Subscription },
): Promise<SubscriptionStatus> {
  const position = record?.position ?? head;
  const behind = head - position;
  const refused = await store.refusedEvents(name);
  return { name, to: addressOf(subscription), state: stateOf(record, behind), position, behind, record, refused };
}

/** Without the path of a URL, which can contain a secret. */
function addressOf(subscription: Subscription | undefined): string | null {
  if (subscription === undefined) return null;
  const { to } = subscription;
  return to.kind === 'webhook' ? new URL(to.url).origin : to.addresses.join(', ');
}

function stateOf(record: SubscriptionRecord | undefined, behind: number): SubscriptionStatus['state'] {
  if (record === undefined) return 'new';
  if (record.parkedAt !== null) return 'parked';
  if (record.failingSince !== null) return 'failing';
  return behind > 0 ? 'behind' : 'told';
}

const isParked = ({ parkedAt }: RefusedEvent): boolean => parkedAt !== null;

function statusDocument({ record, refused, ...shown }: SubscriptionStatus): object {
  return {
    ...shown,
    failures: record?.failures ?? 0,
    why: record?.why ?? null,
    failingSince: isoOrNull(record?.failingSince),
    nextTryAt: isoOrNull(record?.nextTryAt),
    parkedAt: isoOrNull(record?.parkedAt),
    toldAt: isoOrNull(record?.toldAt),
    refused: refused.map((event) => ({
      ...event,
      since: iso(event.since),
      nextTryAt: event.parkedAt === null ? iso(event.nextTryAt) : null,
      parkedAt: isoOrNull(event.parkedAt),
    })),
  };
}

function statusText({ name, to, state, position, behind, record, refused }: SubscriptionStatus): string {
  const layout = { indent: 2, labelWidth: 'failing since  '.length, width: widthOf(process.stdout) };
  const moment = (at: number | null | undefined): string | undefined => (at == null ? undefined : minuteOf(at));
  const parked = refused.filter(isParked);
  const waiting = refused.filter((event) => !isParked(event));
  const isHalted = record?.parkedAt != null;
  const lines: LabelledText[] = [
    ['to', to ?? 'not in the configuration of this command'],
    ['position', record === undefined ? 'none: no worker has sent to it yet' : groupedAmount(position)],
    ['backlog', behind === 0 ? undefined : counted(behind, 'event')],
    ['sent last', moment(record?.toldAt)],
    ['failing since', moment(record?.failingSince)],
    ['why', record?.why],
    ['parked', moment(record?.parkedAt)],
    ['next try', isHalted ? undefined : moment(record?.nextTryAt)],
    ['refused', waiting.length === 0 ? undefined : refusedText(waiting)],
    ['parked events', parked.length === 0 ? undefined : refusedText(parked)],
    ['to do', isHalted ? `payouts events replay --from ${position + 1} --to ${name}` : undefined],
  ];
  return [`${name} [${state}]`, ...labelledLines(lines, layout)].join('\n');
}

const POSITIONS_SHOWN = 10;

function refusedText(events: readonly RefusedEvent[]): string {
  const shown = events.slice(0, POSITIONS_SHOWN).map(({ position, why }) => `${position} (${why})`);
  const rest = events.length - shown.length;
  return `${counted(events.length, 'event')}: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
