import { mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { iso } from '../domain/display.ts';
import type { BatchRecord } from '../store/store.ts';
import { type BatchHead, type BatchSummary, type ReportInPages, summaryOf } from './batch-report.ts';
import type { ReportedPayout, ReportPaths } from './report-document.ts';
import { wholeFile } from './whole-file.ts';
import { csvHead, csvLines } from './write-csv.ts';
import { htmlEnd, htmlRows, htmlStart } from './write-html.ts';

/** What the names of a batch's files are made from. */
export type NamedBatch = Pick<BatchRecord, 'batchId' | 'file' | 'createdAt'>;

const BASE_MAX = 60;

/** Of a batch id the random end: batches of the same moment begin alike. */
const ID_END = 12;

/**
 * Beginning of the names of a batch's files: `payroll-2026-11-28-cac1a96304dd`, from the name of its file, its day (UTC) and its id.
 * Throws a RangeError for an id or a time that cannot be in the name of a file.
 */
export function fileStem({ batchId, file, createdAt }: NamedBatch): string {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(batchId)) throw new RangeError('a batch id is letters, digits, "_" and "-"');
  const base = basename(file)
    .replace(/\.[^.]*$/, '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, BASE_MAX)
    .replace(/-+$/, '');
  const day = iso(createdAt).slice(0, 'YYYY-MM-DD'.length);
  return `${base || 'batch'}-${day}-${batchId.slice(-ID_END)}`;
}

/** Paths of a batch's reports; masked ones are beside the others. Throws as `fileStem` does. */
export function reportPaths(folder: string, batch: NamedBatch, isMasked = false): ReportPaths {
  const path = (extension: string): string =>
    resolve(join(folder, `${fileStem(batch)}-report${isMasked ? '-masked' : ''}.${extension}`));
  return { csv: path('csv'), json: path('json'), html: path('html') };
}

/** Name of the file with the rows to submit again. */
export const failedName = (batch: NamedBatch): string => `${fileStem(batch)}-failed.csv`;

/** Writes all three in one pass over the rows, so that they agree, each atomically. The same report gives the same bytes. */
export async function writeReports(
  folder: string,
  batch: NamedBatch,
  paths: ReportPaths,
  report: ReportInPages,
): Promise<BatchSummary> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await using csv = await wholeFile(paths.csv);
  await using json = await wholeFile(paths.json);
  await using html = await wholeFile(paths.html);
  // The page's sums precede its rows, but are known only after them.
  await using rows = await wholeFile(paths.html);
  await csv.write(csvHead());
  const pieces = jsonPieces(batch);
  await json.write(pieces.start);
  const summary = await summaryOf(report, async (payouts) => {
    await csv.write(csvLines(payouts));
    await json.write(pieces.lines(payouts));
    await rows.write(htmlRows(payouts));
  });
  await json.write(pieces.end(summary.head));
  await html.write(htmlStart(summary));
  for await (const piece of rows.pieces()) await html.write(piece);
  await html.write(htmlEnd());
  for (const it of [csv, json, html]) await it.put();
  return summary;
}

export async function writeWhole(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  await using file = await wholeFile(path);
  for await (const piece of pieces) await file.write(piece);
  await file.put();
}

/** The document of `--json` in pieces, in this order; what is summed up from the rows comes after them. */
function jsonPieces({ batchId, file }: NamedBatch) {
  let before = '\n';
  const line = (payout: ReportedPayout): string => {
    const text = before + JSON.stringify(payout);
    before = ',\n';
    return text;
  };
  return {
    start: `${JSON.stringify({ schemaVersion: 1, batchId, file }).slice(0, -1)},"payouts":[`,
    lines: (payouts: readonly ReportedPayout[]): string => payouts.map(line).join(''),
    end: ({ schemaVersion: _, batchId: __, file: ___, ...rest }: BatchHead): string =>
      `\n],${JSON.stringify(rest).slice(1)}\n`,
  };
}

/** The same as a stream: it is never completely in memory. */
export async function* jsonReport(batch: NamedBatch, report: ReportInPages): AsyncGenerator<string> {
  const json = jsonPieces(batch);
  yield json.start;
  let next = await report.next();
  for (; next.done !== true; next = await report.next()) yield json.lines(next.value);
  yield json.end(next.value.head);
}
