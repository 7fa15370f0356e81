import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BatchHead, type BatchSummary, type ReportInPages, summaryOf } from './batch-report.ts';
import type { ReportPaths } from './report-document.ts';
import { wholeFile } from './whole-file.ts';
import { csvHead, csvLines } from './write-csv.ts';
import { htmlEnd, htmlRows, htmlStart } from './write-html.ts';
import { jsonPieces } from './write-json.ts';

/** Paths of a batch's reports; masked ones are beside the others. Throws a RangeError for an id that cannot be a file name. */
export function reportPaths(folder: string, batchId: string, isMasked = false): ReportPaths {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(batchId)) throw new RangeError('a batch id is letters, digits, "_" and "-"');
  const path = (extension: string): string =>
    resolve(join(folder, `${batchId}${isMasked ? '.masked' : ''}.${extension}`));
  return { csv: path('csv'), json: path('json'), html: path('html') };
}

/** Writes all three in one pass over the rows, so that they agree, each atomically. The same report gives the same bytes. */
export async function writeReports(
  folder: string,
  batch: Pick<BatchHead, 'batchId' | 'file'>,
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
