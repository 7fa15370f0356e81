import {
  assertForgettable,
  assertReplayable,
  EVENTS,
  FORGET,
  REPLAY,
  SUBSCRIPTIONS,
  type SubscriptionStatus,
} from '../channels/http/operations/event-operations.ts';
import { counted, iso, isoOrNull, type LabelledText, labelledLines, minuteOf, widthOf } from '../domain/display.ts';
import { isEventKind } from '../domain/events-out.ts';
import { groupedAmount } from '../domain/money.ts';
import type { OutboxEvent, RefusedEvent } from '../store/store.ts';
import { confirm } from './confirm.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { table } from './output.ts';
import type { Session } from './session.ts';
import { type ConfirmedOptions, nameAsking } from './signer.ts';

interface ListOptions {
  /** Position of the first event; absent: the newest are shown. */
  from?: number;
  kind?: string;
  limit: number;
}

/** `payouts events`: the events of the outbox, by position. It reads the store and boots nothing. */
export async function listEvents(session: Session, { from, kind, limit }: ListOptions): Promise<void> {
  const known = kind !== undefined && isEventKind(kind) ? kind : undefined;
  const { head, tail, events, complete } = await session.ask(EVENTS, { from, kind: known, limit });
  const rows = events.map((event) => [
    `${event.position}`,
    minuteOf(event.at),
    event.kind,
    event.subject,
    event.uid ?? '',
  ]);
  const next = events.at(-1);
  const more = !complete && next ? `\nThere are more: payouts events --from ${next.position + 1}` : '';
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

/** `payouts events replay`: delivers everything from a position on again to a subscription, with the current state. */
export async function replayEvents(session: Session, { from, to: name, by, yes }: ReplayOptions): Promise<void> {
  const outbox = await session.ask(SUBSCRIPTIONS, {});
  assertReplayable(outbox, { from, name });
  const count = counted(outbox.head + 1 - from, 'event');
  await confirm(`Send ${count} from position ${from} on to ${name} again?`, yes);
  const { head } = await session.ask(REPLAY, { from, name, by: await nameAsking(session, by) });
  const text = `A worker will send everything from position ${from} on to ${name}.`;
  session.output.result({ subscription: name, from, head }, text);
}

/** `payouts events forget`: drops a subscription that is no longer configured; until then its events are kept for it. */
export async function forgetEvents(session: Session, name: string, { by, yes }: ConfirmedOptions): Promise<void> {
  const outbox = await session.ask(SUBSCRIPTIONS, {});
  assertForgettable(outbox, name);
  const behind = outbox.subscriptions.find((it) => it.name === name)?.behind ?? 0;
  if (!yes) session.output.notify(`${name} was not sent ${counted(behind, 'event')}. No worker may name it any more.`);
  await confirm(`Forget ${name} and its position?`, yes);
  await session.ask(FORGET, { name, by: await nameAsking(session, by) });
  session.output.result({ subscription: name, forgotten: true }, `${name} is forgotten.`);
}

/**
 * `payouts events status`: how far each subscription has been delivered, and why not further. Exit 5 if a subscription, or an
 * event of one, is parked.
 */
export async function eventsStatus(session: Session): Promise<ExitCode> {
  const { head, subscriptions } = await session.ask(SUBSCRIPTIONS, {});
  const whose = session.gateway === undefined ? 'this command' : 'the gateway';
  const none = `No events are sent: PAYOUTS_EVENTS of ${whose} names no subscription.`;
  const text = subscriptions.length === 0 ? none : subscriptions.map((it) => statusText(it, whose)).join('\n\n');
  session.output.result({ head, subscriptions: subscriptions.map(statusDocument) }, text);
  return subscriptions.some(({ state, refused }) => state === 'parked' || refused.some(isParked))
    ? EXIT.exceptions
    : EXIT.completed;
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
    deliveredAt: isoOrNull(record?.deliveredAt),
    refused: refused.map((event) => ({
      ...event,
      since: iso(event.since),
      nextTryAt: event.parkedAt === null ? iso(event.nextTryAt) : null,
      parkedAt: isoOrNull(event.parkedAt),
    })),
  };
}

function statusText({ name, to, state, position, behind, record, refused }: SubscriptionStatus, whose: string): string {
  const layout = { indent: 2, labelWidth: 'failing since  '.length, width: widthOf(process.stdout) };
  const moment = (at: number | null | undefined): string | undefined => (at == null ? undefined : minuteOf(at));
  const parked = refused.filter(isParked);
  const waiting = refused.filter((event) => !isParked(event));
  const isHalted = record?.parkedAt != null;
  const lines: LabelledText[] = [
    ['to', to ?? `not in the configuration of ${whose}`],
    ['position', record === undefined ? 'none: no worker has sent to it yet' : groupedAmount(position)],
    ['backlog', behind === 0 ? undefined : counted(behind, 'event')],
    ['sent last', moment(record?.deliveredAt)],
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
