import type { AnsweredTransaction, AnswerRecord } from './answer-schema.ts';
import { chunks } from './engine/chunks.ts';
import type { Database } from './engine/database.ts';
import { json } from './engine/json-columns.ts';
import { insertNew } from './engine/row-writes.ts';
import { inTransaction } from './engine/transaction.ts';

/** Transactions stored in one row. */
const PART = 500;

/** Stores an answer with its transactions, all or nothing. False if this version exists already; the first one stays. */
export function recordAnswer(
  db: Database,
  answer: AnswerRecord,
  told: Iterable<AnsweredTransaction>,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if ((await insertNew(transaction, 'answers', answer)) === 0) return false;
    const { batchId, version } = answer;
    let part = 0;
    for (const some of chunks(told, PART)) {
      await transaction
        .insertInto('answeredTransactions')
        .values({ batchId, version, part, told: json(some) })
        .execute();
      part += 1;
    }
    return true;
  });
}

/** Oldest version first. */
export async function answersOf(db: Database, batchId: string): Promise<AnswerRecord[]> {
  return db.selectFrom('answers').selectAll().where('batchId', '=', batchId).orderBy('version').execute();
}

/** The transactions of one version, in message order. */
export async function* answeredTransactions(
  db: Database,
  batchId: string,
  version: number,
): AsyncGenerator<AnsweredTransaction> {
  for (let part = 0; ; part += 1) {
    const row = await db
      .selectFrom('answeredTransactions')
      .select('told')
      .where('batchId', '=', batchId)
      .where('version', '=', version)
      .where('part', '=', part)
      .executeTakeFirst();
    if (row === undefined) return;
    yield* row.told;
  }
}

/** Ended batches whose message has a final answer and whose payouts have returns or incidents; `at`: the latest, epoch ms. */
export async function newsOfAnswered(db: Database): Promise<{ batchId: string; at: number }[]> {
  const news = new Map<string, number>();
  for (const table of ['returns', 'incidents'] as const) {
    const found = await db
      .selectFrom(table)
      .innerJoin('payouts', 'payouts.reference', `${table}.reference`)
      .innerJoin('answers', 'answers.batchId', 'payouts.batchId')
      .innerJoin('batches', 'batches.batchId', 'answers.batchId')
      .select(({ fn, ref }) => ['answers.batchId', fn.max<number>(ref(`${table}.seenAt`)).as('at')])
      .where('answers.version', '=', 1)
      .where('batches.endedAt', 'is not', null)
      .groupBy('answers.batchId')
      .execute();
    for (const { batchId, at } of found) news.set(batchId, Math.max(at, news.get(batchId) ?? 0));
  }
  return Array.from(news, ([batchId, at]) => ({ batchId, at }));
}
