import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { linesOf, noGateway } from '../channels/http/operation.ts';
import {
  ERP_FILE,
  type ErpEnd,
  type FilesLine,
  REPORT,
  type ReportEnd,
} from '../channels/http/operations/report-operations.ts';
import { SUMMARY } from '../channels/http/operations/state-operations.ts';
import { shortId, widthOf } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import type { BatchHead, BatchSummary, ReportInPages } from '../reports/batch-report.ts';
import { type ErpFile, writeErpFile } from '../reports/erp-file.ts';
import type { ErpFormat } from '../reports/erp-formats.ts';
import { batchUrl } from '../reports/links.ts';
import type { Unclear } from '../reports/movements.ts';
import { stepGroupsText } from '../reports/render-steps.ts';
import { renderSummary } from '../reports/render-summary.ts';
import { reportFolder } from '../reports/report-batch.ts';
import type { ReportPaths } from '../reports/report-document.ts';
import { wholeFile } from '../reports/whole-file.ts';
import { failedName, type NamedBatch, reportPaths, writeReports } from '../reports/write-reports.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Session } from './session.ts';
import { findBatch } from './targets.ts';

const SHOWN_MAX = 10;

/** `payouts report ID --format pain002|camt054|journal`: writes a file for other software and prints its path. */
export async function erpFile(session: Session, id: string, format: ErpFormat): Promise<void> {
  const batchId = await findBatch(session, id);
  const { path, unclear, answer } =
    session.gateway === undefined
      ? await writeErpFile({ config: session.config, store: await session.store() }, batchId, format)
      : await receiveErpFile(session, batchId, format);
  if (unclear.length > 0) session.output.notify(unclearText(unclear));
  if (answer !== null) session.output.say(answerText(answer));
  const reported = answer === null ? { unclear } : answer;
  session.output.result({ batchId, format, path, ...reported }, path);
}

function unclearText(unclear: readonly Unclear[]): string {
  const shown = unclear
    .slice(0, SHOWN_MAX)
    .map(({ documentId, kind, why }) => `  ${visible(documentId)}: ${kind}: ${why}`);
  const more = unclear.length > SHOWN_MAX ? [`  and ${unclear.length - SHOWN_MAX} more; --json lists all of them`] : [];
  return ['Check these manually: it is not known what moved, or the bank contradicts it.', ...shown, ...more].join(
    '\n',
  );
}

const answerText = ({ messageId, stage, version, supersedes }: NonNullable<ErpFile['answer']>): string =>
  supersedes === null
    ? `Answer ${messageId}, stage ${stage}`
    : `Answer ${messageId}, stage ${stage}, version ${version}: supersedes ${supersedes}`;

// Files of a batch that a gateway sends, written on this machine as the same command in place writes them.

/** Writes the current reports of a batch. */
export async function receiveReport(
  session: Session,
  batchId: string,
  isMasked: boolean,
): Promise<{ summary: BatchSummary; liveUrl: string | null }> {
  const folder = await folderOf(session);
  const lines = linesOf<FilesLine<ReportEnd>>(await session.pieces(REPORT, { id: batchId, mask: isMasked }));
  const { paths, line } = await filesFrom(lines, folder);
  if (!('batch' in line) || !isNamed(line.batch)) throw noGateway();
  const batch = { batchId, ...line.batch };
  const reports = reportPaths(folder, batch, isMasked);
  if (!isMasked) await nameOthers(reports, paths, resolve(folder, failedName(batch)));
  let liveUrl: string | null = null;
  async function* report(): ReportInPages {
    let next = await following(lines);
    for (; 'rows' in next; next = await following(lines)) yield next.rows;
    const { summary, ...end } = endOf(next);
    liveUrl = end.liveUrl;
    return { ...summary, head: { ...summary.head, reports } };
  }
  const summary = await writeReports(folder, batch, reports, report());
  return { summary, liveUrl };
}

/** Writes a file for other software. */
export async function receiveErpFile(session: Session, batchId: string, format: ErpFormat): Promise<ErpFile> {
  const folder = await folderOf(session);
  const lines = linesOf<FilesLine<ErpEnd>>(await session.pieces(ERP_FILE, { id: batchId, format }));
  const { paths, line } = await filesFrom(lines, folder);
  const path = paths.at(-1);
  if (path === undefined) throw noGateway();
  return { path, ...endOf(line) };
}

/** Whether a name can be made of what the gateway says. */
const isNamed = ({ file, createdAt }: Readonly<Record<keyof Omit<NamedBatch, 'batchId'>, unknown>>): boolean =>
  typeof file === 'string' && typeof createdAt === 'number' && !Number.isNaN(new Date(createdAt).getTime());

async function folderOf({ config }: Session): Promise<string> {
  const folder = reportFolder(config);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Names the files beside the reports, in the order of the same command in place; an earlier one that no longer holds is removed. */
async function nameOthers(reports: ReportPaths, paths: readonly string[], failed: string): Promise<void> {
  const answers = paths.filter((path) => path !== failed);
  if (answers.length > 0) Object.assign(reports, { pain002: answers.at(-1), pain002Stages: answers });
  if (paths.includes(failed)) reports.failed = failed;
  else await rm(failed, { force: true });
}

/** Writes the files that come first, each as a whole or not at all; their paths, and the line after them. */
async function filesFrom<End>(
  lines: AsyncIterator<FilesLine<End>>,
  folder: string,
): Promise<{ paths: string[]; line: Exclude<FilesLine<End>, { file: string }> }> {
  const paths: string[] = [];
  let line = await following(lines);
  while ('file' in line) {
    const { file } = line;
    const path = pathIn(folder, file);
    await using it = await wholeFile(path);
    for (; 'file' in line && line.file === file; line = await following(lines)) await it.write(line.text);
    await it.put();
    paths.push(path);
  }
  return { paths, line };
}

/** What a batch has beside its reports. */
const NAMES =
  /^[A-Za-z0-9_-]{1,128}(?:-failed\.csv|-camt054\.xml|-journal\.csv|\.(?:received|validated|sent|final)(?:\.\d{1,6})?\.pain002\.xml)$/;

/** Throws a `Problem` for any other name: a gateway writes nothing else on this machine, and nothing elsewhere. */
function pathIn(folder: string, file: string): string {
  if (!NAMES.test(file)) throw noGateway();
  return resolve(join(folder, file));
}

function endOf<End>(line: FilesLine<End>): End {
  if ('end' in line) return line.end;
  throw noGateway();
}

async function following<End>(lines: AsyncIterator<FilesLine<End>>): Promise<FilesLine<End>> {
  const { done, value } = await lines.next();
  if (done === true) throw noGateway();
  return value;
}

/** Report files just written. `liveUrl`: in the Temporal UI, if it answers. */
interface WrittenReport {
  summary: BatchSummary;
  liveUrl: string | null;
}

/** Writes the current report files of a batch. */
export async function writtenReport(session: Session, batchId: string, isMasked = false): Promise<WrittenReport> {
  if (session.gateway !== undefined) {
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

/** The current state of a batch, to be shown: from report files just written or, through a gateway, as it answers. */
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
 * The state of a batch: its summary, who has to act, its files, and links that work. `liveUrl`: in the Temporal UI. `isWritten`: its
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
