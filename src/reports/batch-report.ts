import { type BatchControl, type BatchState, batchState } from '../domain/payout-state.ts';
import { INCIDENTS, type IncidentKind } from '../domain/reconciliation.ts';
import type { BatchRecord, IncidentRecord, PayoutRecord, RefusedRow } from '../store/store.ts';
import { type StepGroup, StepTally } from './next-step.ts';
import { ReportSums, type Sums } from './report-sums.ts';
import { compare, maskedPayout, type PayoutFacts, type ReportedPayout, reportedPayout } from './reported-payout.ts';

/** The report of a batch: the `--json` document. Fixed by test/e2e/documents.ts. */
export interface BatchReport extends Sums {
  schemaVersion: 1;
  batchId: string;
  file: string;
  /** Who handed it over, and when (ISO 8601, UTC). */
  by: string | null;
  handedOverAt: string;
  /** The newest change that it shows (ISO 8601, UTC): no clock is read, so that the same store gives the same bytes. */
  asOf: string;
  /** Names of payees and numbers of accounts are masked. */
  masked: boolean;
  state: BatchState;
  /** What was asked of it; `paused` and `draining` are both shown as paused. */
  control: BatchControl;
  /** Why it was paused by itself; null: it was not. */
  controlReason: string | null;
  /** In the order of the file. */
  payouts: ReportedPayout[];
  /** What the bank shows against the stored end of a payout; by row. */
  incidents: ReportedIncident[];
  /** Rows of the file that were left out, with why; in its order. */
  refused: ReportedRefusal[];
  reports: ReportPaths;
}

/** All of it but the rows, however many they are. */
export type BatchHead = Omit<BatchReport, 'payouts'>;

/** How a batch stands, once all its rows have passed. */
export interface BatchStanding {
  head: BatchHead;
  /** The first rows that are not paid. */
  unpaid: readonly ReportedPayout[];
  /** What waits or has ended unpaid, by kind; of each kind the first rows. */
  steps: readonly StepGroup[];
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

/** What the report of a batch is made from. */
export interface ReportSource {
  batch: BatchRecord;
  /** Its rows in the order of the file, a page at a time, with what is known beside them. */
  pages:
    | AsyncIterable<readonly (readonly [PayoutRecord, PayoutFacts])[]>
    | Iterable<readonly (readonly [PayoutRecord, PayoutFacts])[]>;
  refused: AsyncIterable<RefusedRow> | Iterable<RefusedRow>;
  /** Address of a workflow in the Temporal UI. */
  workflowUrl(workflowId: string): string;
  reports: ReportPaths;
  isMasked: boolean;
}

/** A report while it is made: pages of rows, and at last how the batch stands. */
export type ReportInPages = AsyncGenerator<readonly ReportedPayout[], BatchStanding, undefined>;

/** Unpaid rows that a summary names, and rows that each kind of them names. */
export const ROWS_NAMED = 10;

/**
 * The report from what the store holds, in one pass: sums, counts and rows are of the same reading, and no more than a page of rows
 * is in memory. Pure: the same records give the same report.
 */
export async function* batchReport(source: ReportSource): ReportInPages {
  const { batch, isMasked } = source;
  const sums = new ReportSums();
  const steps = new StepTally(ROWS_NAMED);
  const unpaid: ReportedPayout[] = [];
  const incidents: ReportedIncident[] = [];
  let asOf = Math.max(batch.createdAt, batch.endedAt ?? 0);
  for await (const page of source.pages) {
    const payouts = page.map(([record, facts]) => {
      const payout = reportedPayout(record, facts, source);
      sums.add(payout);
      steps.add(record, facts.step);
      incidents.push(...reportedIncidents(facts.incidents, [record]));
      asOf = Math.max(asOf, lastChange(record, facts));
      const shown = isMasked ? maskedPayout(payout) : payout;
      if (shown.state !== 'completed' && unpaid.length < ROWS_NAMED) unpaid.push(shown);
      return shown;
    });
    yield payouts;
  }
  const summed = sums.sums(isMasked);
  const head = {
    schemaVersion: 1,
    batchId: batch.batchId,
    file: batch.file,
    by: batch.by,
    handedOverAt: new Date(batch.createdAt).toISOString(),
    asOf: new Date(asOf).toISOString(),
    masked: isMasked,
    state: batchState(summed.counts, batch.control),
    control: batch.control,
    controlReason: batch.controlReason,
    ...summed,
    incidents,
    refused: await Array.fromAsync(source.refused, ({ row, line, findings }) => ({ row, line, findings })),
    reports: source.reports,
  } as const;
  return { head, unpaid, steps: steps.groups() };
}

function lastChange(record: PayoutRecord, { returns, incidents, approvals, booked }: PayoutFacts): number {
  return Math.max(
    record.createdAt,
    record.updatedAt,
    record.endedAt ?? 0,
    booked?.seenAt ?? 0,
    ...returns.map(({ seenAt }) => seenAt),
    ...incidents.map(({ seenAt, acknowledged }) => Math.max(seenAt, acknowledged?.at ?? 0)),
    ...approvals.map(({ at }) => at),
  );
}

/** How a batch stands, for whom the rows do not matter. */
export async function standingOf(report: ReportInPages): Promise<BatchStanding> {
  for (;;) {
    const next = await report.next();
    if (next.done === true) return next.value;
  }
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
    message: INCIDENTS[kind].says,
    id,
    acknowledged: acknowledged && { ...acknowledged, at: new Date(acknowledged.at).toISOString() },
  })).sort((a, b) => (a.row ?? 0) - (b.row ?? 0) || compare(a.orderId, b.orderId) || compare(a.kind, b.kind));
}
