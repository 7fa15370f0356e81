import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { referenceOf } from '../domain/identity.ts';
import { countRows, isEnd, type Reason } from '../domain/payout-state.ts';
import { INCIDENTS } from '../domain/reconciliation.ts';
import type { Config } from '../platform/config.ts';
import { inPages } from '../store/in-pages.ts';
import { provenUnpaid } from '../store/proven-unpaid.ts';
import type { AnsweredTransaction, AnswerRecord, BatchRecord, PayoutRecord, Store } from '../store/store.ts';
import { type BatchSummary, batchReport, type ReportInPages, summaryOf } from './batch-report.ts';
import type { ReportPaths } from './report-document.ts';
import { type Reporting, reportSource } from './report-source.ts';
import { writeStatusReports, writtenAnswers } from './status-report-files.ts';
import { columnsOf, failedCsv, unpaidLines } from './write-csv.ts';
import { failedName, fileStem, jsonReport, reportPaths, writeReports, writeWhole } from './write-reports.ts';

/** Where reports go, and which. `answerStem`: beginning of the file names of answers to a bank message; absent: that of the reports. */
export interface ReportTarget {
  /** Absent: that of the configuration. */
  folder?: string;
  answerStem?: string;
  isMasked?: boolean;
}

/**
 * Reports on a batch from the store and writes the files. `batchId` exists in the store. A masked report has no other files:
 * `failed.csv` and the answers to a bank message need unmasked payees.
 */
export async function reportBatch(
  app: Reporting,
  batchId: string,
  { folder = reportFolder(app.config), answerStem, isMasked = false }: ReportTarget = {},
): Promise<BatchSummary> {
  const { store } = app;
  const batch = await batchOf(store, batchId);
  const reports = reportPaths(folder, batch, isMasked);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!isMasked) {
    const answers = await writeAnswers(app, await messageBatchOf(store, batch), folder, answerStem);
    if (answers !== undefined) Object.assign(reports, { pain002: answers.newest.path, pain002Stages: answers.paths });
    const failed = await writeFailed(store, batch, folder);
    if (failed !== undefined) reports.failed = failed;
  }
  const source = reportSource(app, batch, { reports, isMasked });
  return writeReports(folder, batch, reports, batchReport(source));
}

/** Who reads a report: `linkOf` gives the address of each of its files, for readers on other machines. */
interface Reading {
  isMasked?: boolean;
  linkOf?: (file: string) => string;
}

/** The current report of a batch, in pages, without writing files. `reports` names the files that exist. */
async function readBatch(
  app: Reporting,
  batchId: string,
  { isMasked = false, linkOf }: Reading = {},
): Promise<{ batch: BatchRecord; report: ReportInPages }> {
  const { config, store } = app;
  const batch = await batchOf(store, batchId);
  const folder = reportFolder(config);
  const reports = reportPaths(folder, batch, false);
  const message = await messageBatchOf(store, batch);
  const answers = await writtenAnswers(folder, fileStem(message));
  if (answers.length > 0) Object.assign(reports, { pain002: answers.at(-1), pain002Stages: answers });
  const failed = resolve(folder, failedName(batch));
  if (existsSync(failed)) reports.failed = failed;
  const named = linkOf === undefined ? reports : linked(reports, linkOf);
  const source = reportSource(app, batch, { reports: named, isMasked, now: Date.now });
  return { batch, report: batchReport(source) };
}

/** Without the earlier stages of an answer, which have no address of their own. */
function linked({ pain002Stages: _, ...files }: ReportPaths, linkOf: (file: string) => string): ReportPaths {
  const links = Object.keys(files).map((name) => [name, linkOf(name)]);
  return { ...files, ...Object.fromEntries(links) };
}

export async function summaryOfBatch(...asked: Parameters<typeof readBatch>): Promise<BatchSummary> {
  return summaryOf((await readBatch(...asked)).report);
}

/** The report as the JSON of `--json`, in pieces. */
export async function* documentOf(...asked: Parameters<typeof readBatch>): AsyncGenerator<string> {
  const { batch, report } = await readBatch(...asked);
  yield* jsonReport(batch, report);
}

export const reportFolder = ({ home }: Config): string => join(home, 'reports');

export async function batchOf(store: Store, batchId: string): Promise<BatchRecord> {
  const batch = await store.batch(batchId);
  if (batch === undefined) throw new Error(`batch ${batchId} is not in the store`);
  return batch;
}

/** The batch of the message that is answered: for a retried batch, the one that the message was first taken as. */
export async function messageBatchOf(store: Store, batch: BatchRecord): Promise<BatchRecord> {
  const earlier = batch.retryOf === null ? undefined : await store.batch(batch.retryOf);
  return earlier === undefined ? batch : messageBatchOf(store, earlier);
}

/** @param batch the one that the message was taken as */
export async function writeAnswers(
  { config, store }: { config: Config; store: Store },
  batch: BatchRecord,
  folder: string,
  stem?: string,
): ReturnType<typeof writeStatusReports> {
  if (batch.message === null) return undefined;
  const { batchId } = batch;
  const latest = (payout: PayoutRecord): Promise<PayoutRecord> => latestOf(store, payout);
  const source = {
    batch,
    version: config.answerVersion,
    byState: await store.stateCounts(batchId),
    rows: () => store.rows(batchId),
    refused: () => store.refusedRows(batchId),
    payout: (reference: string) => store.payout(reference),
    latest,
    afterwards: await cameToLight(store, batchId),
    log: {
      given: () => store.answersOf(batchId),
      transactionsOf: (version: number) => store.answeredTransactions(batchId, version),
      keep: (answer: Omit<AnswerRecord, 'batchId'>, transactions: Iterable<AnsweredTransaction>) =>
        store.recordAnswer({ ...answer, batchId }, transactions),
    },
  };
  return writeStatusReports(folder, source, stem);
}

/**
 * Incidents and returns of the payouts behind a message, by the reference of the newest generation. An incident outweighs a
 * return; one of an earlier generation is about the same payment.
 */
async function cameToLight(store: Store, batchId: string): Promise<Map<string, { reason: Reason; at: number }>> {
  const found = new Map<string, { reason: Reason; at: number }>();
  for await (const page of inPages(answeredBy(store, batchId))) {
    const generations = await Promise.all(page.map((payout) => generationsFrom(store, payout)));
    const newest = generations.flatMap((its) => its.at(-1) ?? []);
    const answeredAs = new Map(
      generations.flatMap((its) => its.map(({ reference }) => [reference, its.at(-1)?.reference ?? reference])),
    );
    const paid = newest.filter(({ state }) => state === 'completed').map(({ reference }) => reference);
    for (const [reference, returns] of Map.groupBy(await store.returnsOf(paid), (it) => it.reference)) {
      const sums = returns.map(({ amount, currency, orderId }) => `${amount} ${currency} by order ${orderId}`);
      const at = Math.max(...returns.map(({ seenAt }) => seenAt));
      found.set(reference, { reason: { code: 'returned', message: `money came back: ${sums.join(', ')}` }, at });
    }
    for (const { reference, kind, seenAt } of await store.incidentsOf([...answeredAs.keys()])) {
      if (kind === 'returned') continue;
      found.set(answeredAs.get(reference) ?? reference, {
        reason: { code: kind, message: INCIDENTS[kind].says },
        at: seenAt,
      });
    }
  }
  return found;
}

/** The rows of a batch, and the earlier payouts that had already taken rows of its message. */
async function* answeredBy(store: Store, batchId: string): AsyncGenerator<PayoutRecord> {
  yield* store.rows(batchId);
  for await (const { reference } of store.refusedRows(batchId)) {
    const known = reference === undefined ? undefined : await store.payout(reference);
    if (known !== undefined) yield known;
  }
}

const latestOf = async (store: Store, payout: PayoutRecord): Promise<PayoutRecord> =>
  (await generationsFrom(store, payout)).at(-1) ?? payout;

/** A payout and its later generations, the newest last. Only one that has ended has later ones. */
async function generationsFrom(store: Store, payout: PayoutRecord): Promise<PayoutRecord[]> {
  if (!isEnd(payout.state)) return [payout];
  const { uid, documentId, generation } = payout;
  const next = await store.payout(referenceOf(uid, documentId, 'payment', generation + 1));
  return next === undefined ? [payout] : [payout, ...(await generationsFrom(store, next))];
}

async function writeFailed(store: Store, batch: BatchRecord, folder: string): Promise<string | undefined> {
  const path = resolve(folder, failedName(batch));
  const pieces = await failedPieces(store, batch.batchId);
  if (pieces === undefined) {
    // An earlier file named rows that are no longer proven unpaid.
    await rm(path, { force: true });
    return undefined;
  }
  await writeWhole(path, pieces);
  return path;
}

/** The rows to submit again, as a file; undefined if there are none. */
export async function failedPieces(store: Store, batchId: string): Promise<AsyncIterable<string> | undefined> {
  if (!(await mayBeUnpaid(store, batchId))) return undefined;
  const unpaid = await unpaidRows(store, batchId);
  const lines = (): ReturnType<typeof unpaidLines> =>
    unpaidLines(store.rows(batchId), store.refusedRows(batchId), unpaid);
  const columns = await columnsOf(lines());
  return columns.length === 0 ? undefined : failedCsv(columns, lines());
}

/** Whether a batch has rows that ended unpaid or were refused: without them there is no `failed.csv`. */
export async function mayBeUnpaid(store: Store, batchId: string): Promise<boolean> {
  const { failed, rejected, cancelled, returned } = countRows(await store.stateCounts(batchId));
  return failed + rejected + cancelled + returned > 0 || isAny(store.refusedRows(batchId));
}

async function isAny(items: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of items) return true;
  return false;
}

async function unpaidRows(store: Store, batchId: string): Promise<Set<string>> {
  const unpaid = new Set<string>();
  for await (const page of inPages(store.rows(batchId))) {
    for (const reference of await provenUnpaid(store, page)) unpaid.add(reference);
  }
  return unpaid;
}
