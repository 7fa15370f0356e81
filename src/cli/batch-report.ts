import { Problem } from '../domain/problem.ts';
import type { BatchReport } from '../reports/batch-report.ts';
import { renderSummary } from '../reports/render-summary.ts';
import { batchUrl, type TemporalUi } from '../temporal/ui-link.ts';
import { EXIT, type ExitCode } from './exit.ts';

export function summaryText(report: BatchReport, ui: TemporalUi): string {
  return [
    renderSummary(report).trimEnd(),
    '',
    `Report  ${report.reports.html}`,
    `        ${report.reports.csv}`,
    `        ${report.reports.json}`,
    ...(report.reports.pain002Stages ?? []).map((path) => `Answer  ${path}`),
    ...(report.reports.failed === undefined ? [] : [`Unpaid  ${report.reports.failed}  (payouts run takes it again)`]),
    `Temporal UI  ${batchUrl(ui, report.batchId)}`,
  ].join('\n');
}

/** The exit code that a batch's report stands for. */
export function exitOfReport(report: BatchReport): ExitCode {
  if (report.counts.open > 0) return EXIT.stillOpen;
  const isOpen = report.incidents.some(({ acknowledged }) => acknowledged === null);
  return report.state === 'completed' && !isOpen ? EXIT.completed : EXIT.exceptions;
}

export function unknownId(id: string): Problem {
  return new Problem('not-found', 'unknown-id', `Nothing is known under "${id}".`, {
    hint: 'An ID is a batch id, a reference, a workflow id, an order id or a document id; `payouts list` shows batches.',
  });
}
