import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { PayoutState, Reason } from '../domain/payout-state.ts';
import { INCIDENTS } from '../domain/reconciliation.ts';
import { referenceOf } from '../identity.ts';
import { type BatchReport, buildBatchReport, type Facts } from '../reports/batch-report.ts';
import { writeStatusReports } from '../reports/status-report-files.ts';
import { columnsOf, failedCsv, unpaidLines } from '../reports/write-failed-csv.ts';
import { reportPaths, writeReports, writeWhole } from '../reports/write-reports.ts';
import { inPages, provenUnpaid } from '../services/sending/proven-unpaid.ts';
import type { AnsweredTransaction, AnswerRecord, BatchRecord, PayoutRecord, Store } from '../store/store.ts';
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
  const answers = await writeAnswers(store, await messageBatchOf(store, batch), dir, answerStem);
  if (answers !== undefined) {
    Object.assign(report.reports, { pain002: answers.newest.path, pain002Stages: answers.paths });
  }
  const failed = await writeFailed(store, report);
  if (failed !== undefined) report.reports.failed = failed;
  await writeReports(dir, report);
  return report;
}

/** Rows that are paid again are answered under the message that they came by. */
export async function messageBatchOf(store: Store, batch: BatchRecord): Promise<BatchRecord> {
  const earlier = batch.retryOf === null ? undefined : await store.batch(batch.retryOf);
  return earlier === undefined ? batch : messageBatchOf(store, earlier);
}

/** Of the batch that a message came as. */
export async function writeAnswers(
  store: Store,
  batch: BatchRecord,
  dir: string,
  stem?: string,
): ReturnType<typeof writeStatusReports> {
  if (batch.message === null) return undefined;
  const { batchId } = batch;
  const latest = (payout: PayoutRecord): Promise<PayoutRecord> => latestOf(store, payout);
  const source = {
    batch,
    byState: await store.stateCounts(batchId),
    rows: () => store.rows(batchId),
    refused: () => store.refusedRows(batchId),
    payout: (reference: string) => store.payout(reference),
    latest,
    afterwards: await cameToLight(store, batchId, latest),
    log: {
      given: () => store.answersOf(batchId),
      told: (version: number) => store.answeredTransactions(batchId, version),
      keep: (answer: Omit<AnswerRecord, 'batchId'>, told: Iterable<AnsweredTransaction>) =>
        store.recordAnswer({ ...answer, batchId }, told),
    },
  };
  return writeStatusReports(dir, source, stem);
}

/** Incidents and returns of payouts that have ended, by reference; an incident says more than money that came back. */
async function cameToLight(
  store: Store,
  batchId: string,
  latest: (payout: PayoutRecord) => Promise<PayoutRecord>,
): Promise<Map<string, { reason: Reason; at: number }>> {
  const found = new Map<string, { reason: Reason; at: number }>();
  for await (const page of inPages(store.rows(batchId))) {
    const newest = await Promise.all(page.map(latest));
    const paid = newest.filter(({ state }) => state === 'completed').map(({ reference }) => reference);
    for (const [reference, returns] of Map.groupBy(await store.returnsOf(paid), (it) => it.reference)) {
      const sums = returns.map(({ amount, currency, orderId }) => `${amount} ${currency} by order ${orderId}`);
      const at = Math.max(...returns.map(({ seenAt }) => seenAt));
      found.set(reference, { reason: { code: 'returned', message: `money came back: ${sums.join(', ')}` }, at });
    }
    for (const { reference, kind, seenAt } of await store.incidentsOf(newest.map(({ reference }) => reference))) {
      found.set(reference, { reason: { code: kind, message: INCIDENTS[kind] }, at: seenAt });
    }
  }
  return found;
}

/** Only what took no money has a later generation. */
async function latestOf(store: Store, payout: PayoutRecord): Promise<PayoutRecord> {
  if (!TOOK_NO_MONEY.has(payout.state)) return payout;
  const { uid, documentId, generation } = payout;
  const next = await store.payout(referenceOf(uid, documentId, 'payment', generation + 1));
  return next === undefined ? payout : latestOf(store, next);
}

const TOOK_NO_MONEY: ReadonlySet<PayoutState> = new Set(['failed', 'rejected', 'cancelled']);

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
