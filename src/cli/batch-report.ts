import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type BatchReport, buildBatchReport } from '../erp/report/batch-report.ts';
import { renderSummary } from '../erp/report/render-summary.ts';
import { reportPaths, writeReports } from '../erp/report/write-reports.ts';
import type { Store } from '../store/store.ts';
import { workflowUrl } from '../temporal/ui-link.ts';
import { CommandError, EXIT, type ExitCode } from './exit.ts';

/** The report of a batch from the store, its files written. Throws a usage error for an unknown id. */
export async function reportBatch(config: Config, store: Store, batchId: string, ui: UiPlace): Promise<BatchReport> {
  const batch = await store.batch(batchId);
  if (batch === undefined) throw unknownId(batchId);
  const dir = join(config.home, 'reports');
  const rows = [];
  for await (const row of store.rows(batchId)) rows.push(row);
  const references = rows.map(({ reference }) => reference);
  const facts = { returns: await store.returnsOf(references), incidents: await store.incidentsOf(references) };
  const links = { workflowUrl: (workflowId: string) => workflowUrl(ui.url, ui.namespace, workflowId) };
  const report = await buildBatchReport(batch, rows, facts, links, reportPaths(dir, batchId));
  await writeReports(dir, report);
  return report;
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
