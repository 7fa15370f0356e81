import { batchState } from '../domain/payout-state.ts';
import { incidentText } from '../domain/reconciliation.ts';
import type { BatchRecord, IncidentRecord, PayoutRecord, RefusedRow } from '../store/store.ts';
import type { BatchReport, ReportedIncident, ReportedPayout, ReportPaths } from './report-document.ts';
import { ReportSums } from './report-sums.ts';
import { compare, maskedPayout, type PayoutFacts, reportedPayout } from './reported-payout.ts';
import { type StepGroup, StepTally } from './step-groups.ts';

export type BatchHead = Omit<BatchReport, 'payouts'>;

/** The state of a batch; known after all its rows were read. */
export interface BatchSummary {
  head: BatchHead;
  /** The first rows that were not paid. */
  unpaid: readonly ReportedPayout[];
  /** Rows that wait or have ended unpaid, by kind, with the first rows of each. */
  steps: readonly StepGroup[];
}

export interface ReportSource {
  batch: BatchRecord;
  /** Its rows in the order of the file, in pages, with what else is known about them. */
  pages:
    | AsyncIterable<readonly (readonly [PayoutRecord, PayoutFacts])[]>
    | Iterable<readonly (readonly [PayoutRecord, PayoutFacts])[]>;
  refused: AsyncIterable<RefusedRow> | Iterable<RefusedRow>;
  /** URL of a workflow in the Temporal UI. */
  workflowUrl(workflowId: string): string;
  reports: ReportPaths;
  isMasked: boolean;
}

/** A report in the making: pages of rows, then the state of the batch. */
export type ReportInPages = AsyncGenerator<readonly ReportedPayout[], BatchSummary, undefined>;

/** The most unpaid rows named in a summary, and the most rows named for each kind. */
export const ROWS_NAMED = 10;

/**
 * Makes the report in one pass over the store's records: sums, counts and rows come from the same reading, and only a page of
 * rows is in memory. Pure: the same records give the same report.
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
      sums.add(payout, facts.part?.isFirst);
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

function lastChange(record: PayoutRecord, { returns, incidents, approvals, booked, step }: PayoutFacts): number {
  return Math.max(
    record.createdAt,
    record.updatedAt,
    record.endedAt ?? 0,
    booked?.seenAt ?? 0,
    step?.since ?? 0,
    ...returns.map(({ seenAt }) => seenAt),
    ...incidents.map(({ seenAt, acknowledged }) => Math.max(seenAt, acknowledged?.at ?? 0)),
    ...approvals.map(({ at }) => at),
  );
}

/** The state of the batch, after `onRows` was given all its rows, page by page. */
export async function summaryOf(
  report: ReportInPages,
  onRows: (payouts: readonly ReportedPayout[]) => Promise<void> = async () => {},
): Promise<BatchSummary> {
  let next = await report.next();
  for (; next.done !== true; next = await report.next()) await onRows(next.value);
  return next.value;
}

/** In the order of the file; for each payout by order id. */
export function reportedIncidents(
  incidents: Iterable<IncidentRecord>,
  payouts: Iterable<{ reference: string; row: number | null }>,
): ReportedIncident[] {
  const rows = new Map(Array.from(payouts, ({ reference, row }) => [reference, row]));
  return Array.from(incidents, ({ reference, orderId, kind, differs, id, acknowledged }) => ({
    row: rows.get(reference) ?? null,
    reference,
    orderId,
    kind,
    message: incidentText({ kind, differs }),
    id,
    acknowledged: acknowledged && { ...acknowledged, at: new Date(acknowledged.at).toISOString() },
  })).sort(
    (a, b) =>
      (a.row ?? 0) - (b.row ?? 0) || compare(a.orderId, b.orderId) || compare(a.kind, b.kind) || compare(a.id, b.id),
  );
}
