import { hash } from 'node:crypto';
import { counted, iso, stateWords, totalsText, wrap } from '../../domain/display.ts';
import type { EventKind } from '../../domain/events-out.ts';
import { visible } from '../../domain/finding.ts';
import { groupedAmount, totalsOf } from '../../domain/money.ts';
import { isUnpaid } from '../../domain/payout-state.ts';
import { isReasonCode, REASONS } from '../../domain/reasons.ts';
import { INCIDENTS } from '../../domain/reconciliation.ts';
import type { OutboxEvent } from '../../store/store.ts';
import { STATES } from '../state-texts.ts';
import {
  type BatchData,
  type CloudEvent,
  cloudEvent,
  type EventSource,
  type PayoutData,
  payoutNow,
} from './cloud-event.ts';
import type { WhatWaits } from './remind.ts';

/** A mail about several events, grouped by what people have to do. */
export interface Digest {
  /** Same for the same events, so that a mail sent twice can be recognized. */
  id: string;
  subject: string;
  text: string;
}

/** The most rows of a section; the others are only counted. */
const LISTED_MAX = 50;
/** Mail programs on phones show about as many columns without breaking lines. */
const WIDTH = 60;

/** What a mail is made from. */
interface DigestOf {
  events: readonly OutboxEvent[];
  /** Everything that waits for the reader, in place of events about it. */
  waits?: WhatWaits;
  /** The same for every attempt to send this mail. */
  name: string;
}

/** A digest of the events that still hold, and of what waits; undefined if there is neither. */
export async function digestOf(source: EventSource, { events, waits, name }: DigestOf): Promise<Digest | undefined> {
  const latest = new Map<string, { kind: EventKind; data: CloudEvent['data'] }>();
  for (const event of events) {
    const made = await cloudEvent(source, event);
    if (made !== undefined) latest.set(`${event.kind} ${event.subject}`, { kind: event.kind, data: made.data });
  }
  const byKind = Map.groupBy(latest.values(), ({ kind }) => kind);
  const parts = (Object.keys(SECTIONS) as EventKind[]).flatMap((kind) => {
    const all = byKind.get(kind)?.map(({ data }) => data);
    return all === undefined ? [] : (SECTIONS[kind] as (all: CloudEvent['data'][]) => Section)(all);
  });
  if (waits !== undefined && waits.rows.length > 0) parts.unshift(await waitingSection(source, waits));
  if (parts.length === 0) return undefined;
  return {
    id: hash('sha256', JSON.stringify([source.store.id, name])).slice(0, 32),
    subject: `Payouts: ${parts.map(({ title }) => title).join(', ')}`,
    text: `${parts.map((part) => sectionText(part, source)).join('\n\n')}\n`,
  };
}

interface Section {
  title: string;
  lines: string[];
  /** Where people go on: a path of the pages, or without pages a command. */
  goOn?: { page: string; command: string };
}

const sectionText = ({ title, lines, goOn }: Section, { pages }: EventSource): string => {
  const next = goOn && (pages === undefined ? `What to do: ${goOn.command}` : `All of them: ${pages}${goOn.page}`);
  return [title, '', ...lines, ...(next === undefined ? [] : ['', next])].join('\n');
};

type DataOf<Kind extends EventKind> = Kind extends `batch.${string}` ? BatchData : PayoutData;

/** In the order of the mail. */
const SECTIONS: { readonly [Kind in EventKind]: (all: readonly DataOf<Kind>[]) => Section } = {
  'payout.attention': (rows) => ({
    title: `${counted(rows.length, 'payout')} ${rows.length === 1 ? 'needs' : 'need'} attention`,
    lines: listed(rows, (row) => rowLines(row, why(row))),
    goOn: { page: '/', command: 'payouts inbox' },
  }),
  'payout.reminder': (rows) => ({
    title: `${counted(rows.length, 'payout')} whose time to decide ends soon`,
    lines: listed(rows, (row) => rowLines(row, `${why(row)}; until ${momentText(row.decideBy ?? '')}`)),
    goOn: { page: '/', command: 'payouts inbox' },
  }),
  'payout.comment': (rows) => ({
    title: `${counted(rows.length, 'payout')} with a new comment`,
    lines: listed(rows, (row) => rowLines(row, 'somebody has written a comment; its page shows it')),
    goOn: { page: '/', command: 'payouts audit show ID' },
  }),
  'batch.attention': (batches) => ({
    title: `${counted(batches.length, 'batch', 'batches')} paused`,
    lines: listed(batches, (batch) => batchLines(batch, 'it was paused automatically; somebody has to decide')),
    goOn: { page: '/batches', command: 'payouts status BATCH' },
  }),
  'payout.incident': (rows) => ({
    title: `${counted(rows.length, 'payout')} contradicted by the bank`,
    lines: listed(rows, (row) => rowLines(row, contradictions(row))),
    goOn: { page: '/incidents', command: 'payouts incidents --open' },
  }),
  'payout.returned': (rows) => ({
    title: `${counted(rows.length, 'payout')} with money that came back`,
    lines: listed(rows, (row) => rowLines(row, `${returned(row)} came back; its page says how to pay it again`)),
    goOn: { page: '/payouts?returned=yes', command: 'payouts list --returned' },
  }),
  'payout.rejected': (rows) => ({
    title: `${counted(rows.length, 'payout')} rejected`,
    lines: listed(rows, (row) => rowLines(row, why(row))),
  }),
  'payout.approved': (rows) => ({
    title: `${counted(rows.length, 'payout')} approved`,
    lines: [totalsText(totalsOf(rows))],
  }),
  'payout.submitted': (rows) => ({
    title: `${counted(rows.length, 'payout')} submitted to the bank`,
    lines: [totalsText(totalsOf(rows))],
  }),
  'payout.ended': (rows) => {
    const byState = Map.groupBy(rows, ({ state }) => state);
    const sums = [...byState].map(
      ([state, its]) => `${stateWords(state)}: ${counted(its.length, 'payout')}, ${totalsText(totalsOf(its))}`,
    );
    const unpaid = rows.filter(({ state }) => isUnpaid(state));
    return {
      title: `${counted(rows.length, 'payout')} ended`,
      lines: [...sums, ...(unpaid.length === 0 ? [] : ['']), ...listed(unpaid, (row) => rowLines(row, why(row)))],
    };
  },
  'batch.ended': (batches) => ({
    title: `${counted(batches.length, 'batch', 'batches')} ended`,
    lines: listed(batches, (batch) => {
      const { completed, total } = batch.counts;
      return batchLines(
        batch,
        `${stateWords(batch.state)}, ${groupedAmount(completed)} of ${groupedAmount(total)} completed`,
      );
    }),
  }),
};

async function waitingSection(source: EventSource, { rows, isCut, ends }: WhatWaits): Promise<Section> {
  const lines: string[] = [];
  for (const { reference } of rows.slice(0, LISTED_MAX)) {
    const data = await payoutNow(source, { kind: 'payout.attention', subject: reference });
    const until = ends.get(reference);
    const end = until === undefined ? '' : `; until ${momentText(iso(until))}`;
    if (data !== undefined) lines.push(...rowLines(data, `${why(data)}${end}`));
  }
  const rest = rows.length - LISTED_MAX;
  if (rest > 0) lines.push(`and ${groupedAmount(rest)} more`);
  return {
    title: `${isCut ? 'at least ' : ''}${counted(rows.length, 'payout')} ${rows.length === 1 ? 'waits' : 'wait'} for a decision`,
    lines,
    goOn: { page: '/', command: 'payouts inbox' },
  };
}

const returned = ({ returns }: PayoutData): string =>
  returns
    .map(({ amount, currency, why }) => `${groupedAmount(amount)} ${currency}${why === undefined ? '' : ` (${why})`}`)
    .join(', ');

const contradictions = ({ incidents }: PayoutData): string =>
  incidents
    .map(({ id, kind, acknowledged }) => `${INCIDENTS[kind].says} (${id}${acknowledged ? ', acknowledged' : ''})`)
    .join('; ');

/** What a payout waits for, or how it has ended, without values of its row. */
const why = ({ state, reason }: PayoutData): string =>
  reason !== null && isReasonCode(reason) ? REASONS[reason].says : STATES[state].meaning;

/** `2026-03-02T08:00:00.000Z` -> `2026-03-02 08:00 UTC`. */
const momentText = (at: string): string => `${at.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')} UTC`;

const rowLines = ({ id, uid, amount, currency, reference, page }: PayoutData, text: string): string[] => [
  `${visible(id)}  ${groupedAmount(amount)} ${currency}  of ${visible(uid)}`,
  ...indented(text),
  `  ${page ?? reference}`,
];

const batchLines = ({ batchId, page }: BatchData, text: string): string[] => [
  ...(page === null ? [batchId] : []),
  ...indented(text),
  ...(page === null ? [] : [`  ${page}`]),
];

const indented = (text: string): string[] => wrap(text, WIDTH - 2).map((line) => `  ${line}`);

function listed<Data>(all: readonly Data[], text: (one: Data) => string[]): string[] {
  const rest = all.length - LISTED_MAX;
  return [...all.slice(0, LISTED_MAX).flatMap(text), ...(rest > 0 ? [`and ${groupedAmount(rest)} more`] : [])];
}
