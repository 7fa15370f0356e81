import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { type BatchSummary, batchReport } from '../../../reports/batch-report.ts';
import { type ErpFile, movementsOf, nothingToAnswer } from '../../../reports/erp-file.ts';
import { ERP_FORMATS, type ErpFormat } from '../../../reports/erp-formats.ts';
import { batchUrl } from '../../../reports/links.ts';
import { failedPieces, messageBatchOf, reportFolder, writeAnswers } from '../../../reports/report-batch.ts';
import type { ReportedPayout, ReportPaths } from '../../../reports/report-document.ts';
import { reportSource } from '../../../reports/report-source.ts';
import { failedName } from '../../../reports/write-reports.ts';
import type { BatchRecord } from '../../../store/store.ts';
import { flag, JSON_LINES, jsonLines, operation, type Place, pathId, visibleBatch } from '../operation.ts';
import { ANY_ROLE } from '../route-access.ts';

/**
 * A line of an answer that a command makes files from: the next piece of a file, whose report follows, a page of its rows or, as the
 * last line, what is known after all of them.
 */
export type FilesLine<End> =
  | { file: string; text: string }
  | { batch: Pick<BatchRecord, 'file' | 'createdAt'> }
  | { rows: readonly ReportedPayout[] }
  | { end: End };

/** The state of the batch; the paths in its head are those of no file. `liveUrl`: in the Temporal UI. */
export type ReportEnd = { summary: BatchSummary; liveUrl: string | null };
export type ErpEnd = Pick<ErpFile, 'unclear' | 'answer'>;

const TAG = 'batches';

export const REPORT = operation({
  method: 'GET',
  path: '/v1/batches/:id/report',
  hide: true,
  tag: TAG,
  summary: 'What the files of the report of a batch are made from, as lines of JSON',
  description:
    'First its other files in pieces (`file`, `text`), then its own (`batch`), its rows in pages (`rows`) and its state (`end`).',
  access: ANY_ROLE,
  input: z.strictObject({ id: pathId, mask: flag.describe('mask payee names and the paying account') }),
  answer: z.string(),
  type: JSON_LINES,
  async run(place, { id, mask }): Promise<AsyncIterable<string>> {
    return jsonLines(reportLines(place, await visibleBatch(place, id), mask));
  },
});

export const ERP_FILE = operation({
  method: 'GET',
  path: '/v1/batches/:id/erp-files/:format',
  hide: true,
  tag: TAG,
  summary: 'Files of a batch for other software in pieces, as lines of JSON, and what is unclear about them',
  access: ANY_ROLE,
  input: z.strictObject({ id: pathId, format: z.enum(ERP_FORMATS) }),
  answer: z.string(),
  type: JSON_LINES,
  run: async (place, { id, format }): Promise<AsyncIterable<string>> =>
    jsonLines(await erpLines(place, await visibleBatch(place, id), format)),
});

async function* reportLines(place: Place, batch: BatchRecord, isMasked: boolean): AsyncGenerator<FilesLine<ReportEnd>> {
  const { config, store } = place;
  if (!isMasked) {
    yield* (await answersOf(place, batch))?.lines ?? [];
    const failed = await failedPieces(store, batch.batchId);
    if (failed !== undefined) yield* fileLines(failedName(batch), failed);
  }
  yield { batch: { file: batch.file, createdAt: batch.createdAt } };
  const report = batchReport(
    reportSource({ config, store, ui: await place.ui() }, batch, { reports: NO_PATHS, isMasked }),
  );
  let next = await report.next();
  for (; next.done !== true; next = await report.next()) yield { rows: next.value };
  const live = await place.liveUi();
  yield { end: { summary: next.value, liveUrl: live === undefined ? null : batchUrl(live, batch.batchId) } };
}

const NO_PATHS: ReportPaths = { csv: '', json: '', html: '' };

/** Throws a `Problem` before anything is sent, if there is nothing to send. */
async function erpLines(
  place: Place,
  batch: BatchRecord,
  format: ErpFormat,
): Promise<AsyncIterable<FilesLine<ErpEnd>>> {
  if (format === 'pain002') {
    const answers = await answersOf(place, batch);
    if (answers === undefined) throw nothingToAnswer();
    return endedBy(answers.lines, { unclear: [], answer: answers.answer });
  }
  const { file, pieces, unclear } = await movementsOf(place.config, place.store, batch, format);
  return endedBy(fileLines(file, pieces), { unclear, answer: null });
}

/** The answers to the pain.001 of a batch, the newest last: its final ones are made once and kept. */
async function answersOf({ config, store }: Place, batch: BatchRecord) {
  const folder = reportFolder(config);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const written = await writeAnswers({ config, store }, await messageBatchOf(store, batch), folder);
  if (written === undefined) return undefined;
  const { path: _, ...answer } = written.newest;
  return { answer, lines: filesAt(written.paths) };
}

async function* filesAt(paths: readonly string[]): AsyncGenerator<{ file: string; text: string }> {
  for (const path of paths) yield* fileLines(basename(path), createReadStream(path, 'utf8'));
}

/** Characters of a file in one line. */
const SENT_AT_ONCE = 64 * 1024;

async function* fileLines(
  file: string,
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<{ file: string; text: string }> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < SENT_AT_ONCE) continue;
    yield { file, text };
    text = '';
  }
  yield { file, text };
}

async function* endedBy<End>(lines: AsyncIterable<FilesLine<End>>, end: End): AsyncGenerator<FilesLine<End>> {
  yield* lines;
  yield { end };
}
