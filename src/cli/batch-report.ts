import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type BatchReport, buildBatchReport, type Facts } from '../erp/report/batch-report.ts';
import { renderSummary } from '../erp/report/render-summary.ts';
import { writeStatusReports } from '../erp/report/status-report-files.ts';
import { columnsOf, failedCsv, unpaidLines } from '../erp/report/write-failed-csv.ts';
import { reportPaths, writeReports, writeWhole } from '../erp/report/write-reports.ts';
import type { Store } from '../store/store.ts';
import { workflowUrl } from '../temporal/ui-link.ts';
import { CommandError, EXIT, type ExitCode } from './exit.ts';

/** The report of a batch from the store, its files written. Throws a usage error for an unknown id. */
export async function reportBatch(
  config: Config,
  store: Store,
  batchId: string,
  ui: UiPlace,
  { dir, answerStem }: ReportPlace = { dir: join(config.home, 'reports') },
): Promise<BatchReport> {
  const batch = await store.batch(batchId);
  if (batch === undefined) throw unknownId(batchId);
  const factsOf = async (references: string[]): Promise<Facts> => ({
    returns: await store.returnsOf(references),
    incidents: await store.incidentsOf(references),
    refused: await Array.fromAsync(store.refusedRows(batchId)),
  });
  const links = { workflowUrl: (workflowId: string) => workflowUrl(ui.url, ui.namespace, workflowId) };
  const paths = reportPaths(dir, batchId);
  const report = await buildBatchReport(batch, store.rows(batchId), factsOf, links, paths);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const source = {
    batch,
    byState: await store.stateCounts(batchId),
    rows: () => store.rows(batchId),
    refused: () => store.refusedRows(batchId),
    payout: (reference: string) => store.payout(reference),
    incidents: new Map(report.incidents.map(({ reference, kind, message }) => [reference, { code: kind, message }])),
  };
  const answers = await writeStatusReports(dir, source, answerStem);
  if (answers.length > 0) Object.assign(report.reports, { pain002: answers.at(-1), pain002Stages: answers });
  const failed = await writeFailed(store, report);
  if (failed !== undefined) report.reports.failed = failed;
  await writeReports(dir, report);
  return report;
}

/** `failed.csv`, where there is a row for it. */
async function writeFailed(store: Store, { batchId, incidents, reports }: BatchReport): Promise<string | undefined> {
  const doubtful = new Set(incidents.map(({ reference }) => reference));
  const lines = (): ReturnType<typeof unpaidLines> =>
    unpaidLines(store.rows(batchId), store.refusedRows(batchId), doubtful);
  const columns = await columnsOf(lines());
  const path = reports.csv.replace(/\.csv$/, '.failed.csv');
  if (columns.length === 0) {
    // One of before named rows that are not proven unpaid any more.
    await rm(path, { force: true });
    return undefined;
  }
  await writeWhole(path, failedCsv(columns, lines()));
  return path;
}

/** Where the files of a report go. */
export interface ReportPlace {
  dir: string;
  /** What the names of answers to a bank message begin with; absent: the batch id. */
  answerStem?: string;
}

/** Where the Temporal UI is, for links. */
export interface UiPlace {
  url: string;
  namespace: string;
}

export function summaryText(report: BatchReport, ui: UiPlace): string {
  const list = `${ui.url}/namespaces/${ui.namespace}/workflows?query=${encodeURIComponent(`PayoutBatchId="${report.batchId}"`)}`;
  return [
    renderSummary(report).trimEnd(),
    '',
    `Report  ${report.reports.html}`,
    `        ${report.reports.csv}`,
    `        ${report.reports.json}`,
    ...(report.reports.pain002Stages ?? []).map((path) => `Answer  ${path}`),
    ...(report.reports.failed === undefined ? [] : [`Unpaid  ${report.reports.failed}  (payouts run takes it again)`]),
    `Temporal UI  ${list}`,
  ].join('\n');
}

/** The exit code that a batch's report stands for. */
export function exitOfReport(report: BatchReport): ExitCode {
  if (report.counts.open > 0) return EXIT.stillOpen;
  return report.state === 'completed' && report.incidents.length === 0 ? EXIT.completed : EXIT.exceptions;
}

export function unknownId(id: string): CommandError {
  return new CommandError(EXIT.usage, 'unknown-id', `Nothing is known under "${id}".`, {
    hint: 'An ID is a batch id, a reference, a workflow id, an order id or a document id; `payouts list` shows batches.',
  });
}
