import { addDecimals, formatMinor } from '../domain/money.ts';
import {
  type BatchControl,
  type BatchState,
  batchState,
  countStates,
  PAYOUT_STATES,
  type PayoutState,
  type Reason,
  type StateCounts,
} from '../domain/payout-state.ts';
import { INCIDENTS, type IncidentKind } from '../domain/reconciliation.ts';
import type { BatchRecord, IncidentRecord, PayoutRecord, RefusedRow, ReturnRecord } from '../store/store.ts';

/** The report of a batch: the `--json` document. Contract: design, "Commands". */
export interface BatchReport {
  schemaVersion: 1;
  batchId: string;
  file: string;
  state: BatchState;
  /** What was asked of it; `paused` and `draining` are both shown as paused. */
  control: BatchControl;
  /** Why it was paused by itself; null: it was not. */
  controlReason: string | null;
  counts: StateCounts;
  /** One a currency, sorted by code. */
  totals: CurrencyTotal[];
  /** In the order of the file. */
  payouts: ReportedPayout[];
  /** What the bank shows against the stored end of a payout; by row. */
  incidents: ReportedIncident[];
  /** Rows of the file that were left out, with why; in its order. */
  refused: ReportedRefusal[];
  reports: ReportPaths;
}

/** A row that is no payout of this batch. */
export interface ReportedRefusal {
  row: number;
  line: number;
  findings: { column: string | null; rule: string; message: string }[];
}

export interface ReportedIncident {
  /** Null for a payout without a batch. */
  row: number | null;
  reference: string;
  orderId: string;
  kind: IncidentKind;
  message: string;
  /** For people to type. */
  id: string;
  /** Null: nobody has seen to it. `at`: ISO 8601, UTC. */
  acknowledged: { by: string; reason: string; at: string } | null;
}

/** Exact decimal sums: asked for, and paid. */
interface CurrencyTotal {
  currency: string;
  amount: string;
  completed: string;
}

export interface ReportedPayout {
  row: number;
  uid: string;
  id: string;
  reference: string;
  workflowId: string;
  state: PayoutState;
  orderId: string | null;
  amount: string;
  currency: string;
  /** Booked fee; null until known. */
  fee: string | null;
  feeCurrency: string | null;
  reason: Reason | null;
  /** Money that came back after the payout was completed. */
  returns: { orderId: string; amount: string; currency: string }[];
  url: string;
}

/** Absolute paths. */
export interface ReportPaths {
  csv: string;
  json: string;
  html: string;
  /** Rows that are proven unpaid or were refused, to be handed in again; only where there are any. */
  failed?: string;
  /** Answer to the pain.001 the batch came as, of the stage it stands at; only for such a batch. */
  pain002?: string;
  /** The answers of all stages so far, the latest last. */
  pain002Stages?: string[];
}

interface ReportLinks {
  /** Address of a workflow in the Temporal UI. */
  workflowUrl(workflowId: string): string;
}

/** What is known of payouts beside their rows. */
export interface Facts {
  returns: Iterable<ReturnRecord>;
  incidents: Iterable<IncidentRecord>;
  refused: Iterable<RefusedRow>;
}

/** Builds the report from what the store holds. Pure: the same records give the same report. */
export async function buildBatchReport(
  batch: BatchRecord,
  rows: Iterable<PayoutRecord> | AsyncIterable<PayoutRecord>,
  factsOf: (references: string[]) => Promise<Facts>,
  links: ReportLinks,
  reports: ReportPaths,
): Promise<BatchReport> {
  const payouts: ReportedPayout[] = [];
  for await (const record of rows) payouts.push(reportedPayout(record, links));
  payouts.sort((a, b) => a.row - b.row);
  const facts = await factsOf(payouts.map(({ reference }) => reference));
  const returned = Map.groupBy(facts.returns, ({ reference }) => reference);
  for (const payout of payouts) payout.returns = reportedReturns(returned.get(payout.reference) ?? []);
  const counts = countStates(payouts.map(({ state }) => state));
  return {
    schemaVersion: 1,
    batchId: batch.batchId,
    file: batch.file,
    state: batchState(counts, batch.control),
    control: batch.control,
    controlReason: batch.controlReason,
    counts,
    totals: totalsOf(payouts),
    payouts,
    incidents: reportedIncidents(facts.incidents, payouts),
    refused: Array.from(facts.refused, ({ row, line, findings }) => ({ row, line, findings })),
    reports,
  };
}

/** In the order of the file, and of one payout by order id. */
export function reportedIncidents(
  incidents: Iterable<IncidentRecord>,
  payouts: Iterable<{ reference: string; row: number | null }>,
): ReportedIncident[] {
  const rows = new Map(Array.from(payouts, ({ reference, row }) => [reference, row]));
  return Array.from(incidents, ({ reference, orderId, kind, id, acknowledged }) => ({
    row: rows.get(reference) ?? null,
    reference,
    orderId,
    kind,
    message: INCIDENTS[kind],
    id,
    acknowledged: acknowledged && { ...acknowledged, at: new Date(acknowledged.at).toISOString() },
  })).sort((a, b) => (a.row ?? 0) - (b.row ?? 0) || compare(a.orderId, b.orderId) || compare(a.kind, b.kind));
}

function reportedReturns(returns: readonly ReturnRecord[]): ReportedPayout['returns'] {
  return returns
    .map(({ orderId, amount, currency }) => ({ orderId, amount, currency }))
    .sort((a, b) => compare(a.orderId, b.orderId));
}

function reportedPayout(record: PayoutRecord, links: ReportLinks): ReportedPayout {
  return {
    row: record.row ?? 0,
    uid: record.uid,
    id: record.documentId,
    reference: record.reference,
    workflowId: record.workflowId,
    state: record.state,
    orderId: record.orderId,
    amount: record.amount,
    currency: record.currency,
    fee: record.fee,
    feeCurrency: record.feeCurrency,
    reason: record.reason,
    returns: [],
    url: links.workflowUrl(record.workflowId),
  };
}

function totalsOf(payouts: readonly ReportedPayout[]): CurrencyTotal[] {
  return [...Map.groupBy(payouts, ({ currency }) => currency)]
    .sort(([a], [b]) => compare(a, b))
    .map(([currency, group]) => ({
      currency,
      amount: sumOf(group, currency),
      completed: sumOf(
        group.filter(({ state }) => state === 'completed'),
        currency,
      ),
    }));
}

/** Amounts of one state and currency. */
export interface StateTotal {
  state: PayoutState;
  currency: string;
  payouts: number;
  amount: string;
}

/** Sums by currency and state: currencies by code, states in the order of a payout's life. */
export function totalsByState(payouts: readonly ReportedPayout[]): StateTotal[] {
  return [...Map.groupBy(payouts, ({ state, currency }) => `${currency} ${state}`).values()]
    .flatMap((group) => group.slice(0, 1).map(({ state, currency }) => totalOf(group, state, currency)))
    .sort((a, b) => compare(a.currency, b.currency) || PAYOUT_STATES.indexOf(a.state) - PAYOUT_STATES.indexOf(b.state));
}

function totalOf(group: readonly ReportedPayout[], state: PayoutState, currency: string): StateTotal {
  return { state, currency, payouts: group.length, amount: sumOf(group, currency) };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Starts from a zero at the currency's own scale, so that "10.5" and "7" add up to "17.50". */
function sumOf(payouts: readonly ReportedPayout[], currency: string): string {
  return payouts.reduce((sum, { amount }) => addDecimals(sum, amount), formatMinor(0n, currency));
}
