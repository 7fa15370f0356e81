import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type BatchReport, buildBatchReport, type Facts } from '../reports/batch-report.ts';
import { writeStatusReports } from '../reports/status-report-files.ts';
import { columnsOf, failedCsv, unpaidLines } from '../reports/write-failed-csv.ts';
import { reportPaths, writeReports, writeWhole } from '../reports/write-reports.ts';
import { inPages, provenUnpaid } from '../services/sending/proven-unpaid.ts';
import type { Store } from '../store/store.ts';
import { type TemporalUi, workflowUrl } from '../temporal/ui-link.ts';

/**
 * The report of a batch from the store, its files written. The id is one of the store's. `answerStem`: what the names of answers
 * to a bank message begin with; absent: the batch id.
 */
export async function reportBatch(
  config: Config,
  store: Store,
  batchId: string,
  ui: TemporalUi,
  { dir, answerStem }: { dir: string; answerStem?: string } = { dir: join(config.home, 'reports') },
): Promise<BatchReport> {
  const batch = await store.batch(batchId);
  if (batch === undefined) throw new Error(`batch ${batchId} is not in the store`);
  const factsOf = async (references: string[]): Promise<Facts> => ({
    returns: await store.returnsOf(references),
    incidents: await store.incidentsOf(references),
    refused: await Array.fromAsync(store.refusedRows(batchId)),
  });
  const links = { workflowUrl: (workflowId: string) => workflowUrl(ui, workflowId) };
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
async function writeFailed(
  store: Store,
  { batchId, counts, refused, reports }: BatchReport,
): Promise<string | undefined> {
  const isPossible = counts.failed + counts.rejected + counts.cancelled + refused.length > 0;
  const unpaid = isPossible ? await unpaidRows(store, batchId) : new Set<string>();
  const lines = (): ReturnType<typeof unpaidLines> =>
    unpaidLines(store.rows(batchId), store.refusedRows(batchId), unpaid);
  const columns = !isPossible ? [] : await columnsOf(lines());
  const path = reports.csv.replace(/\.csv$/, '.failed.csv');
  if (columns.length === 0) {
    // One of before named rows that are not proven unpaid any more.
    await rm(path, { force: true });
    return undefined;
  }
  await writeWhole(path, failedCsv(columns, lines()));
  return path;
}

async function unpaidRows(store: Store, batchId: string): Promise<Set<string>> {
  const unpaid = new Set<string>();
  for await (const page of inPages(store.rows(batchId))) {
    for (const reference of await provenUnpaid(store, page)) unpaid.add(reference);
  }
  return unpaid;
}
