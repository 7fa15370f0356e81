import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Problem } from '../domain/problem.ts';
import { loadMessageMapping, type MessageMapping } from '../files/messages/mapping.ts';
import type { App } from '../platform/app.ts';
import type { Config } from '../platform/config.ts';
import { inPages } from '../store/in-pages.ts';
import type { BatchRecord, Store } from '../store/store.ts';
import { camt054 } from './camt054/write-camt054.ts';
import type { ErpFormat } from './erp-formats.ts';
import { type Moved, type Movement, movedBy, type Posting, type Unclear } from './movements.ts';
import { batchOf, messageBatchOf, reportFolder, writeAnswers } from './report-batch.ts';
import { moneyFactsOf } from './report-source.ts';
import { answerIdStart, type NewestAnswer } from './status-report-files.ts';
import { csvText } from './write-csv.ts';
import { fileStem, writeWhole } from './write-reports.ts';

const ENDINGS = { camt054: '-camt054.xml', journal: '-journal.csv' } as const;

export interface ErpFile {
  /** Absolute path. */
  path: string;
  /** Payouts whose movements may differ from the file; empty for an answer. */
  unclear: Unclear[];
  /** Which answer the file is. */
  answer: Omit<NewestAnswer, 'path'> | null;
}

/**
 * Writes the file for the current state of the batch, beside its reports. `batchId` exists in the store. Throws a `Problem` if there is
 * nothing to answer or to report.
 */
export async function writeErpFile(
  { config, store }: Pick<App, 'config' | 'store'>,
  batchId: string,
  format: ErpFormat,
): Promise<ErpFile> {
  const batch = await batchOf(store, batchId);
  const folder = reportFolder(config);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (format === 'pain002') {
    const answers = await writeAnswers({ config, store }, await messageBatchOf(store, batch), folder);
    if (answers === undefined) throw nothingToAnswer();
    const { path, ...answer } = answers.newest;
    return { path, unclear: [], answer };
  }
  const { file, pieces, unclear } = await movementsOf(config, store, batch, format);
  const path = resolve(join(folder, file));
  await writeWhole(path, pieces);
  return { path, unclear, answer: null };
}

/** What the orders of a batch moved, as a file. Throws a `Problem` for an advice of nothing. */
export async function movementsOf(
  config: Config,
  store: Store,
  batch: BatchRecord,
  format: keyof typeof ENDINGS,
): Promise<{ file: string; pieces: AsyncIterable<string> | Iterable<string>; unclear: Unclear[] }> {
  const { batchId } = batch;
  const file = `${fileStem(batch)}${ENDINGS[format]}`;
  const moved = (): AsyncGenerator<Moved> => movedIn(store, batchId);
  const unclear: Unclear[] = [];
  for await (const { unclear: some } of moved()) unclear.push(...some);
  if (format === 'journal') return { file, pieces: journalCsv(moved(), config.journalAccounts), unclear };
  const { message } = await messageBatchOf(store, batch);
  const numbers = numbersOf(await loadMessageMapping(config.messageMapping));
  const pieces = await camt054({ idStart: answerIdStart(batchId), message, numbers, moved });
  if (pieces === undefined) throw nothingMoved();
  return { file, pieces, unclear };
}

/** IBANs and numbers of our accounts, by the bank's id. An account with several numbers has none here: it is not known which to use. */
function numbersOf({ accounts }: MessageMapping): ReadonlyMap<string, string> {
  const byId = Map.groupBy(accounts, ([, { account_id: id }]) => id);
  return new Map(
    [...byId].flatMap(([id, [first, ...others]]) => (first && others.length === 0 ? [[id, first[0]]] : [])),
  );
}

export const nothingToAnswer = (): Problem =>
  new Problem(
    'not-found',
    'nothing-to-answer',
    'This batch did not come from a pain.001: there is nothing to answer.',
    {
      hint: 'Use the formats camt054 and journal for what its orders moved.',
    },
  );

const nothingMoved = (): Problem =>
  new Problem(
    'not-found',
    'nothing-moved',
    'No money of this batch is known to have moved: there is nothing to report.',
    {
      hint: 'Try again once one of its payouts is completed.',
    },
  );

/** What the exchanges for all payouts of a batch moved, then the payouts, in the order of the file. */
async function* movedIn(store: Store, batchId: string): AsyncGenerator<Moved> {
  for await (const page of inPages(store.exchangesThenRows(batchId))) {
    for (const [payout, { attempts, booked: exchange, ...facts }] of await moneyFactsOf(store, page)) {
      yield movedBy({ ...facts, payout, attempts: attempts.payment, exchangeAttempts: attempts.exchange, exchange });
    }
  }
}

/**
 * A journal in double entry: an entry for each movement, with two lines for each posting. Every entry balances in every currency: an
 * exchange goes through a clearing account for each of its two currencies.
 */

/** Account codes; `{account}` is replaced by the bank's account id, `{currency}` by the currency code. */
export interface JournalAccounts {
  /** Our money at the bank. */
  bank: string;
  /** The other side of a payment, a fee, each half of an exchange, and returned money. */
  payment: string;
  fee: string;
  exchange: string;
  return: string;
}

const codeOf = (code: string, { accountId, currency }: Posting): string =>
  code.replaceAll('{account}', () => accountId).replaceAll('{currency}', () => currency);

export const JOURNAL_COLUMNS = [
  'entry',
  'line',
  'date',
  'kind',
  'account',
  'debit',
  'credit',
  'currency',
  'document',
  'uid',
  'row',
  'reference',
  'order_id',
];

/** As CSV, in the order of the file; the same facts give the same bytes. Values that a spreadsheet would evaluate are escaped. */
export async function* journalCsv(
  moved: Iterable<Moved> | AsyncIterable<Moved>,
  accounts: JournalAccounts,
): AsyncGenerator<string> {
  yield csvText([JOURNAL_COLUMNS]);
  for await (const { payout, movements } of moved) {
    const lines = movements.flatMap((movement) => entryOf(movement, payout, accounts));
    if (lines.length > 0) yield csvText(lines);
  }
}

/**
 * An entry, whose lines have the same id in every journal, so that what was already booked can be recognized. Its date is that on
 * which the movement was observed. Money that leaves the bank is a credit of its account and a debit of the other one.
 */
function entryOf(
  { id, kind, postings, at, orderId }: Movement,
  { documentId, uid, row, reference }: Moved['payout'],
  accounts: JournalAccounts,
): (string | number | null)[][] {
  const date = new Date(at).toISOString().slice(0, 10);
  const sides = postings.flatMap((posting) => {
    const [debit, credit] = posting.direction === 'debit' ? [posting.amount, ''] : ['', posting.amount];
    return [
      [codeOf(accounts[kind], posting), debit, credit, posting.currency],
      [codeOf(accounts.bank, posting), credit, debit, posting.currency],
    ];
  });
  return sides.map((side, index) => [id, index + 1, date, kind, ...side, documentId, uid, row, reference, orderId]);
}
