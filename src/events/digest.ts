import { hash } from 'node:crypto';
import { EVENT_KINDS, type EventKind } from '../domain/events-out.ts';
import { totalsOf } from '../domain/totals.ts';
import { counted, groupedAmount, totalsText } from '../reports/display.ts';
import { visible } from '../rules/finding.ts';
import type { OutboxEvent } from '../store/store.ts';
import { type BatchData, cloudEvent, type EventSource, type PayoutData } from './cloud-event.ts';

/** A mail about several events, grouped by what people have to do. */
export interface Digest {
  /** Same for the same events, so that a mail sent twice can be recognized. */
  id: string;
  subject: string;
  text: string;
}

/** The most lines of a section; the others are only counted. */
const LISTED_MAX = 50;

/** A digest of the events that still hold; undefined if none does. */
export async function digestOf(store: EventSource, events: readonly OutboxEvent[]): Promise<Digest | undefined> {
  const payouts = sections<PayoutData>();
  const batches = sections<BatchData>();
  for (const event of events) {
    const told = await cloudEvent(store, event);
    if (told === undefined) continue;
    const { data, type } = told;
    if ('reference' in data) payouts.get(type)?.set(event.subject, data);
    else batches.get(type)?.set(event.subject, data);
  }
  const of = (kind: EventKind): PayoutData[] => [...(payouts.get(kind)?.values() ?? [])];
  const batchesOf = (kind: EventKind): BatchData[] => [...(batches.get(kind)?.values() ?? [])];
  const parts = [
    attention(of('payout.attention')),
    paused(batchesOf('batch.attention')),
    incidents(of('payout.incident')),
    returned(of('payout.returned')),
    ended(of('payout.ended')),
    batchesEnded(batchesOf('batch.ended')),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return {
    id: idOf(store, events),
    subject: `Payouts: ${parts.map(({ title }) => title).join(', ')}`,
    text: `${parts.map(({ title, lines }) => [`${title}`, ...lines.map((line) => `  ${line}`)].join('\n')).join('\n\n')}\n`,
  };
}

const sections = <Data>(): Map<EventKind, Map<string, Data>> =>
  new Map((Object.keys(EVENT_KINDS) as EventKind[]).map((kind) => [kind, new Map()]));

interface Section {
  title: string;
  lines: string[];
}

function attention(rows: readonly PayoutData[]): Section | undefined {
  if (rows.length === 0) return undefined;
  const title = `${counted(rows.length, 'payout')} ${rows.length === 1 ? 'needs' : 'need'} attention`;
  return { title, lines: [...listed(rows, (row) => rowText(row, why(row))), 'What to do: payouts inbox'] };
}

function ended(rows: readonly PayoutData[]): Section | undefined {
  if (rows.length === 0) return undefined;
  const byState = Map.groupBy(rows, ({ state }) => state);
  const sums = [...byState].map(
    ([state, its]) => `${state}: ${counted(its.length, 'payout')}, ${totalsText(totalsOf(its))}`,
  );
  const unpaid = rows.filter(({ state }) => state !== 'completed');
  return {
    title: `${counted(rows.length, 'payout')} ended`,
    lines: [...sums, ...listed(unpaid, (row) => rowText(row, why(row)))],
  };
}

function returned(rows: readonly PayoutData[]): Section | undefined {
  if (rows.length === 0) return undefined;
  const back = ({ returns }: PayoutData): string =>
    `${returns.map(({ amount, currency }) => `${groupedAmount(amount)} ${currency}`).join(', ')} came back`;
  return {
    title: `${counted(rows.length, 'payout')} with money that came back`,
    lines: listed(rows, (row) => rowText(row, back(row))),
  };
}

function incidents(rows: readonly PayoutData[]): Section | undefined {
  if (rows.length === 0) return undefined;
  const which = (row: PayoutData): string =>
    row.incidents
      .map(({ id, kind, acknowledged }) => `${kind} ${id}${acknowledged ? ' (acknowledged)' : ''}`)
      .join(', ');
  return {
    title: `${counted(rows.length, 'payout')} contradicted by the bank`,
    lines: [...listed(rows, (row) => rowText(row, which(row))), 'What to do: payouts incidents --open'],
  };
}

function paused(batches: readonly BatchData[]): Section | undefined {
  if (batches.length === 0) return undefined;
  return {
    title: `${counted(batches.length, 'batch', 'batches')} paused`,
    lines: listed(batches, ({ batchId }) => `${batchId}: payouts status ${batchId}`),
  };
}

function batchesEnded(batches: readonly BatchData[]): Section | undefined {
  if (batches.length === 0) return undefined;
  const text = ({ batchId, state, counts }: BatchData): string =>
    `${batchId}  ${state}, ${groupedAmount(counts.completed)} of ${groupedAmount(counts.total)} completed`;
  return { title: `${counted(batches.length, 'batch', 'batches')} ended`, lines: listed(batches, text) };
}

const why = ({ state, reason }: PayoutData): string => (reason === null ? state : `${state}, ${reason}`);

const rowText = ({ id, uid, amount, currency, reference }: PayoutData, more: string): string =>
  `${visible(id)}  ${groupedAmount(amount)} ${currency}  of ${visible(uid)}  ${more}  (${reference})`;

function listed<Data>(all: readonly Data[], text: (one: Data) => string): string[] {
  const rest = all.length - LISTED_MAX;
  return [...all.slice(0, LISTED_MAX).map(text), ...(rest > 0 ? [`and ${groupedAmount(rest)} more`] : [])];
}

function idOf({ id }: EventSource, events: readonly OutboxEvent[]): string {
  const [first, last] = [events[0], events.at(-1)];
  return hash('sha256', JSON.stringify([id, first, last])).slice(0, 32);
}
