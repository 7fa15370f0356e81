import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { BatchReport, ReportPaths } from './batch-report.ts';
import { csvReport } from './write-csv.ts';
import { htmlReport } from './write-html.ts';

/** Where the reports of a batch live. Throws a RangeError for an id that is no file name. */
export function reportPaths(dir: string, batchId: string): ReportPaths {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(batchId)) throw new RangeError('a batch id is letters, digits, "_" and "-"');
  const path = (extension: string): string => resolve(join(dir, `${batchId}.${extension}`));
  return { csv: path('csv'), json: path('json'), html: path('html') };
}

/** Writes all three, each whole or not at all. The same report gives the same bytes. */
export async function writeReports(dir: string, report: BatchReport): Promise<ReportPaths> {
  const paths = reportPaths(dir, report.batchId);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeWhole(paths.csv, csvReport(report));
  await writeWhole(paths.json, jsonReport(report));
  await writeWhole(paths.html, htmlReport(report));
  return paths;
}

/** The document of `--json`, one line for each payout. */
function* jsonReport({ payouts, ...head }: BatchReport): Generator<string> {
  const text = JSON.stringify({ ...head, payouts: [] }, null, 2);
  yield text.slice(0, text.lastIndexOf('[]'));
  let separator = '[\n';
  for (const payout of payouts) {
    yield `${separator}    ${JSON.stringify(payout)}`;
    separator = ',\n';
  }
  yield payouts.length === 0 ? '[]\n}\n' : '\n  ]\n}\n';
}

const WRITTEN_AT_ONCE = 256 * 1024;

async function* buffered(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < WRITTEN_AT_ONCE) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Temp file, fsync, rename: a reader or a crash never meets half a report. Amounts are for the owner only (0600). */
export async function writeWhole(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      for await (const text of buffered(pieces)) await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
