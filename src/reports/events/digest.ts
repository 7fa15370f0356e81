import { hash } from 'node:crypto';
import { counted, groupedAmount, totalsText } from '../../domain/display.ts';
import type { EventKind } from '../../domain/events-out.ts';
import { visible } from '../../domain/finding.ts';
import { totalsOf } from '../../domain/totals.ts';
import type { OutboxEvent } from '../../store/store.ts';
import { type BatchData, type CloudEvent, cloudEvent, type EventSource, type PayoutData } from './cloud-event.ts';

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
  const latest = new Map<string, CloudEvent>();
  for (const event of events) {
    const told = await cloudEvent(store, event);
    if (told !== undefined) latest.set(`${event.kind} ${event.subject}`, told);
  }
  const byKind = Map.groupBy(latest.values(), ({ type }) => type);
  const parts = (Object.keys(SECTIONS) as EventKind[]).flatMap((kind) => {
    const all = byKind.get(kind)?.map(({ data }) => data);
    return all === undefined ? [] : (SECTIONS[kind] as (all: CloudEvent['data'][]) => Section)(all);
  });
  if (parts.length === 0) return undefined;
  return {
    id: idOf(store, events),
    subject: `Payouts: ${parts.map(({ title }) => title).join(', ')}`,
    text: `${parts.map(({ title, lines }) => [`${title}`, ...lines.map((line) => `  ${line}`)].join('\n')).join('\n\n')}\n`,
  };
}

interface Section {
  title: string;
  lines: string[];
}

type DataOf<Kind extends EventKind> = Kind extends `batch.${string}` ? BatchData : PayoutData;

/** In the order of the mail. */
const SECTIONS: { readonly [Kind in EventKind]: (all: readonly DataOf<Kind>[]) => Section } = {
  'payout.attention': (rows) => ({
    title: `${counted(rows.length, 'payout')} ${rows.length === 1 ? 'needs' : 'need'} attention`,
    lines: [...listed(rows, (row) => rowText(row, why(row))), 'What to do: payouts inbox'],
  }),
  'batch.attention': (batches) => ({
    title: `${counted(batches.length, 'batch', 'batches')} paused`,
    lines: listed(batches, ({ batchId }) => `${batchId}: payouts status ${batchId}`),
  }),
  'payout.incident': (rows) => ({
    title: `${counted(rows.length, 'payout')} contradicted by the bank`,
    lines: [...listed(rows, (row) => rowText(row, contradictions(row))), 'What to do: payouts incidents --open'],
  }),
  'payout.returned': (rows) => ({
    title: `${counted(rows.length, 'payout')} with money that came back`,
    lines: listed(rows, (row) => rowText(row, `${returned(row)} came back`)),
  }),
  'payout.ended': (rows) => {
    const byState = Map.groupBy(rows, ({ state }) => state);
    const sums = [...byState].map(
      ([state, its]) => `${state}: ${counted(its.length, 'payout')}, ${totalsText(totalsOf(its))}`,
    );
    const unpaid = rows.filter(({ state }) => state !== 'completed');
    return {
      title: `${counted(rows.length, 'payout')} ended`,
      lines: [...sums, ...listed(unpaid, (row) => rowText(row, why(row)))],
    };
  },
  'batch.ended': (batches) => ({
    title: `${counted(batches.length, 'batch', 'batches')} ended`,
    lines: listed(batches, ({ batchId, state, counts: { completed, total } }) => {
      return `${batchId}  ${state}, ${groupedAmount(completed)} of ${groupedAmount(total)} completed`;
    }),
  }),
};

const returned = ({ returns }: PayoutData): string =>
  returns.map(({ amount, currency }) => `${groupedAmount(amount)} ${currency}`).join(', ');

const contradictions = ({ incidents }: PayoutData): string =>
  incidents.map(({ id, kind, acknowledged }) => `${kind} ${id}${acknowledged ? ' (acknowledged)' : ''}`).join(', ');

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
