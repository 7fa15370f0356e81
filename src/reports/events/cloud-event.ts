import { hash } from 'node:crypto';
import { z } from 'zod';
import { iso } from '../../domain/display.ts';
import { EVENT_TYPES, type EventKind, eventType } from '../../domain/events-out.ts';
import { PAYOUT_KINDS } from '../../domain/names.ts';
import {
  BATCH_CONTROLS,
  BATCH_STATES,
  batchState,
  countRows,
  needsAttention,
  SHOWN_STATES,
} from '../../domain/payout-state.ts';
import { INCIDENTS, type IncidentKind } from '../../domain/reconciliation.ts';
import { shownStateOf } from '../../domain/returned.ts';
import { returnReasonText } from '../../domain/statements/return-reasons.ts';
import type { BatchRecord, OutboxEvent, Store } from '../../store/store.ts';

/**
 * Bodies of events: an envelope of CloudEvents 1.0 around the state of the subject at the time of delivery. They contain no name,
 * no account number, and of what people type only ids.
 */

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const currency = z.string();
const moment = z.iso.datetime();

const returned = z.strictObject({
  ...{ orderId: z.string(), amount: decimal, currency, seenAt: moment },
  reason: z.string().optional().describe('Code of the bank (ISO 20022); absent: it gives none'),
  why: z.string().optional().describe('The same in words'),
});
const difference = z.strictObject({
  field: z.string(),
  ours: z.string().describe('As sent, booked or agreed; account ids are masked'),
  shown: z.string().describe('As the bank shows it now'),
});
const incident = z.strictObject({
  id: z.string(),
  kind: z.enum(Object.keys(INCIDENTS) as IncidentKind[]),
  orderId: z.string(),
  differs: difference.nullable().describe('Null where the order itself is the incident'),
  seenAt: moment,
  acknowledged: z.boolean(),
});

const page = z.string().nullable().describe('Its page for people; null: there are no pages');

export const payoutData = z.strictObject({
  reference: z.string().describe('Reference of the payout, the same for its whole life'),
  kind: z.enum(PAYOUT_KINDS),
  page,
  id: z.string().describe('Document id, as submitted'),
  uid: z.string(),
  batchId: z.string().nullable(),
  row: z.int().nullable().describe('Row of the file, from 1'),
  state: z.enum(SHOWN_STATES),
  reason: z.string().nullable().describe('Reason code'),
  needsAttention: z.boolean().describe('People have to act'),
  amount: decimal,
  currency,
  fee: decimal.nullable(),
  feeCurrency: currency.nullable(),
  orderId: z.string().nullable().describe("Id of the bank's order"),
  createdAt: moment,
  updatedAt: moment,
  endedAt: moment.nullable(),
  decideBy: moment.nullable().describe('In a reminder: when the time to act ends'),
  returns: z.array(returned).describe('Money that came back, oldest first'),
  incidents: z.array(incident).describe('Contradictions between the bank and what was sent or stored, oldest first'),
});

export const batchData = z.strictObject({
  batchId: z.string(),
  page,
  state: z.enum(BATCH_STATES),
  control: z.enum(BATCH_CONTROLS),
  counts: z.strictObject({
    total: z.int(),
    completed: z.int(),
    failed: z.int(),
    rejected: z.int(),
    cancelled: z.int(),
    returned: z.int().describe('Completed, and all of the money came back'),
    needsOperator: z.int(),
    open: z.int(),
  }),
  createdAt: moment,
  endedAt: moment.nullable(),
});

export const envelope = z.strictObject({
  specversion: z.literal('1.0'),
  id: z.string().describe('The same for every delivery of this event; also the header webhook-id'),
  source: z.string().describe('urn:uuid: and the id of the store'),
  type: z.enum(EVENT_TYPES),
  subject: z.string().describe('payout/REFERENCE or batch/BATCH'),
  time: moment.describe('When it happened'),
  sequence: z
    .string()
    .regex(/^\d{16}$/)
    .describe('Position of the event, with leading zeros'),
  datacontenttype: z.literal('application/json'),
});

export type PayoutData = z.infer<typeof payoutData>;
export type BatchData = z.infer<typeof batchData>;
export type CloudEvent = z.infer<typeof envelope> & { data: PayoutData | BatchData };

/** What event bodies are made from. */
export interface EventSource {
  store: Store;
  /** Address of the pages; undefined: there are none. */
  pages: string | undefined;
}

/** An event with the current state of its subject; undefined if it no longer holds and need not be delivered. */
export async function cloudEvent(source: EventSource, event: OutboxEvent): Promise<CloudEvent | undefined> {
  const { store } = source;
  const { kind, subject, at, position } = event;
  const isBatch = kind.startsWith('batch.');
  const data = isBatch ? await batchNow(source, event) : await payoutNow(source, event);
  if (data === undefined) return undefined;
  return {
    specversion: '1.0',
    id: eventId(store, event),
    source: `urn:uuid:${store.id}`,
    type: eventType(kind),
    subject: `${isBatch ? 'batch' : 'payout'}/${subject}`,
    time: iso(at),
    sequence: `${position}`.padStart(16, '0'),
    datacontenttype: 'application/json',
    data,
  };
}

/** Derived from the content, not only the position: a restored store assigns its positions again. */
export function eventId({ id }: Pick<Store, 'id'>, { position, kind, subject, at }: OutboxEvent): string {
  return `evt_${hash('sha256', JSON.stringify([id, position, kind, subject, at])).slice(0, 32)}`;
}

/** Of the pages at this path; null: there are none. */
const pageOf = ({ pages }: EventSource, path: string): string | null =>
  pages === undefined ? null : `${pages.replace(/\/$/, '')}/${path}`;

/** A payout as it is now; undefined if an event of this kind about it no longer holds. */
export async function payoutNow(
  source: EventSource,
  { kind, subject }: Pick<OutboxEvent, 'kind' | 'subject'>,
): Promise<PayoutData | undefined> {
  const { store } = source;
  const row = await store.payout(subject);
  if (row === undefined) return undefined;
  const isAsk = kind === 'payout.attention' || kind === 'payout.reminder';
  if (isAsk && !needsAttention(row.state, row.reason)) return undefined;
  const reminder = kind === 'payout.reminder' ? await store.reminderOf(subject) : undefined;
  // It may wait for something else by now, with an end of its own.
  if (kind === 'payout.reminder' && reminder?.stateSince !== row.stateSince) return undefined;
  const { state, reason } = shownStateOf(row);
  const returns = await store.returnsOf([subject]);
  const incidents = await store.incidentsOf([subject]);
  return {
    reference: row.reference,
    kind: row.kind,
    page: pageOf(source, `payouts/${encodeURIComponent(row.reference)}`),
    id: row.documentId,
    uid: row.uid,
    batchId: row.batchId,
    row: row.row,
    state,
    reason: reason?.code ?? null,
    needsAttention: needsAttention(row.state, row.reason),
    amount: row.instruction.amount,
    currency: row.instruction.currency,
    fee: row.fee,
    feeCurrency: row.feeCurrency,
    orderId: row.orderId,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    endedAt: row.endedAt === null ? null : iso(row.endedAt),
    decideBy: reminder === undefined ? null : iso(reminder.until),
    returns: returns.map(({ orderId, amount, currency: its, reasonCode, seenAt }) => ({
      ...{ orderId, amount, currency: its, seenAt: iso(seenAt) },
      ...(reasonCode !== null && { reason: reasonCode, why: returnReasonText({ code: reasonCode }) }),
    })),
    incidents: incidents.map(({ id, kind: its, orderId, differs = null, seenAt, acknowledged }) => ({
      id,
      kind: its,
      orderId,
      differs,
      seenAt: iso(seenAt),
      acknowledged: acknowledged !== null,
    })),
  };
}

async function batchNow(source: EventSource, { kind, subject }: OutboxEvent): Promise<BatchData | undefined> {
  const { store } = source;
  const batch = await store.batch(subject);
  if (batch === undefined || !stillHolds(kind, batch)) return undefined;
  const { batchId, control, createdAt, endedAt } = batch;
  const counts = countRows(await store.stateCounts(batchId));
  return {
    batchId,
    page: pageOf(source, `batches/${encodeURIComponent(batchId)}`),
    state: batchState(counts, control),
    control,
    counts,
    createdAt: iso(createdAt),
    endedAt: endedAt === null ? null : iso(endedAt),
  };
}

const stillHolds = (kind: EventKind, { endedAt, controlReason }: BatchRecord): boolean =>
  kind === 'batch.ended' ? endedAt !== null : controlReason !== null && endedAt === null;
