import { createReadStream } from 'node:fs';
import { SUMMARY } from '../channels/http/operations/progress.ts';
import { shortId, widthOf } from '../domain/display.ts';
import type { BatchHead, BatchSummary } from '../reports/batch-report.ts';
import { batchUrl } from '../reports/links.ts';
import { stepGroupsText } from '../reports/render-steps.ts';
import { renderSummary } from '../reports/render-summary.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Session } from './session.ts';

/** Report files just written. `liveUrl`: in the Temporal UI, if it answers. */
interface WrittenReport {
  summary: BatchSummary;
  liveUrl: string | null;
}

/** Writes the report files of a batch as it stands now. */
export async function writtenReport(session: Session, batchId: string, isMasked = false): Promise<WrittenReport> {
  if (session.gateway !== undefined) {
    const { receiveReport } = await import('./report-files.ts');
    return receiveReport(session, batchId, isMasked);
  }
  const summary = await session.report(batchId, isMasked);
  const live = await session.liveUi();
  return { summary, liveUrl: live === undefined ? null : batchUrl(live, batchId) };
}

/** Shows report files just written. With `--json`, streams the JSON file, which may be too large for memory. */
export async function printReport(
  session: Session,
  { summary, liveUrl }: WrittenReport,
  around: (summary: string) => string = (summary) => summary,
): Promise<void> {
  await session.output.stream(createReadStream(summary.head.reports.json, 'utf8'), async () =>
    around(summaryText(summary, liveUrl, true)),
  );
}

/** How a batch stands now, to be shown: from report files just written or, through a gateway, as it answers. */
export interface BatchShown {
  head: BatchHead;
  print(around?: (summary: string) => string): Promise<void>;
}

export async function showBatch(session: Session, batchId: string): Promise<BatchShown> {
  if (session.gateway === undefined) {
    const written = await writtenReport(session, batchId);
    return { head: written.summary.head, print: (around) => printReport(session, written, around) };
  }
  const { summary, liveUrl } = await session.ask(SUMMARY, { id: batchId });
  const print: BatchShown['print'] = (around = (text) => text) =>
    session.output.stream(session.document(batchId), async () => around(summaryText(summary, liveUrl, false)));
  return { head: summary.head, print };
}

/**
 * How a batch stands: its summary, who has to act, its files, and links that work. `liveUrl`: in the Temporal UI. `isWritten`: its
 * report files show exactly this summary.
 */
export function summaryText(summary: BatchSummary, liveUrl: string | null, isWritten: boolean): string {
  const { head, steps } = summary;
  const { reports, batchId } = head;
  const width = widthOf(process.stdout);
  return [
    renderSummary(summary, { width }).trimEnd(),
    ...(steps.length === 0 ? [] : ['', stepGroupsText(steps, { now: Date.now(), width })]),
    '',
    ...(isWritten
      ? [`Report  ${reports.html}`, `        ${reports.csv}`, `        ${reports.json}`]
      : [`Report  payouts report ${shortId(batchId)}  (writes the current state)`]),
    ...(reports.pain002Stages ?? []).map((path) => `Answer  ${path}`),
    ...(reports.failed === undefined ? [] : [`Unpaid  ${reports.failed}  (pay it again with payouts run)`]),
    ...(liveUrl === null ? [] : [`Temporal UI  ${liveUrl}`]),
  ].join('\n');
}

export function exitOfReport(report: Pick<BatchHead, 'counts' | 'incidents' | 'state'>): ExitCode {
  if (report.counts.open > 0) return EXIT.stillOpen;
  const isOpen = report.incidents.some(({ acknowledged }) => acknowledged === null);
  return report.state === 'completed' && !isOpen ? EXIT.completed : EXIT.exceptions;
}
