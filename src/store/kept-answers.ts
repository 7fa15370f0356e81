import { json } from './engine/column-dialect.ts';
import type { Database } from './engine/database.ts';
import { chunks, insertNew, inTransaction } from './engine/database.ts';
import type { AnsweredTransaction, AnswerRecord, IdempotencyKeyTable } from './schema.ts';

/** Transactions stored in one row. */
const PART = 500;

/** Stores an answer with its transactions, all or nothing. False if this version exists already; the first one stays. */
export function recordAnswer(
  db: Database,
  answer: AnswerRecord,
  transactions: Iterable<AnsweredTransaction>,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if ((await insertNew(transaction, 'answers', answer)) === 0) return false;
    const { batchId, version } = answer;
    let part = 0;
    for (const some of chunks(transactions, PART)) {
      await transaction
        .insertInto('answeredTransactions')
        .values({ batchId, version, part, transactions: json(some) })
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
      .select('transactions')
      .where('batchId', '=', batchId)
      .where('version', '=', version)
      .where('part', '=', part)
      .executeTakeFirst();
    if (row === undefined) return;
    yield* row.transactions;
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

/** An idempotency key held by one process. */
export type IdempotencyKey = Pick<IdempotencyKeyTable, 'caller' | 'key' | 'owner'>;

/** `batchId`: for the batch of this request, unless an earlier holder began one. */
export interface IdempotencyHold
  extends IdempotencyKey,
    Pick<IdempotencyKeyTable, 'requestSha256' | 'batchId' | 'heldUntil'> {
  at: number;
}

type IdempotencyTaking =
  /** `batchId`: the batch that this request creates, or that an earlier holder may have created. */
  | { outcome: 'taken'; batchId: string }
  | { outcome: 'answered'; batchId: string; status: number; body: string }
  | { outcome: 'in-use' }
  | { outcome: 'other-request' };

/**
 * Takes a caller's key for a request. The first to take it works on it while it holds it. If it lets the hold expire without an
 * answer, the next one with the same request takes over and gets the first one's batch id.
 *
 * Each step is one atomic statement. An old key may be deleted between them; then the steps start over.
 */
export async function takeKey(db: Database, hold: IdempotencyHold): Promise<IdempotencyTaking> {
  for (;;) {
    const taken = (await insertAnswer(db, hold)) ?? (await takeOver(db, hold));
    if (taken !== undefined) return { outcome: 'taken', batchId: taken.batchId };
    const known = await db
      .selectFrom('idempotencyKeys')
      .select(['requestSha256', 'batchId', 'status', 'body'])
      .where('caller', '=', hold.caller)
      .where('key', '=', hold.key)
      .executeTakeFirst();
    if (known === undefined) continue;
    if (known.requestSha256 !== hold.requestSha256) return { outcome: 'other-request' };
    if (known.status === null || known.body === null) return { outcome: 'in-use' };
    return { outcome: 'answered', batchId: known.batchId, status: known.status, body: known.body };
  }
}

function insertAnswer(db: Database, { at, ...hold }: IdempotencyHold): Promise<{ batchId: string } | undefined> {
  return db
    .insertInto('idempotencyKeys')
    .values({ ...hold, createdAt: at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('batchId')
    .executeTakeFirst();
}

/** Takes over from a holder that was killed or gave up: its hold has expired and there is no answer. */
function takeOver(db: Database, hold: IdempotencyHold): Promise<{ batchId: string } | undefined> {
  return db
    .updateTable('idempotencyKeys')
    .set({ owner: hold.owner, heldUntil: hold.heldUntil })
    .where('caller', '=', hold.caller)
    .where('key', '=', hold.key)
    .where('requestSha256', '=', hold.requestSha256)
    .where('status', 'is', null)
    .where('heldUntil', '<', hold.at)
    .returning('batchId')
    .executeTakeFirst();
}

/** Extends the hold of a key; a time in the past gives it back without an answer. */
export async function holdKey(db: Database, key: IdempotencyKey, heldUntil: number): Promise<void> {
  await ofHolder(db, key).set({ heldUntil }).execute();
}

/** Stores the answer, unless another process took the key or an answer exists. */
export async function answerKey(
  db: Database,
  key: IdempotencyKey,
  { status, body }: { status: number; body: string },
): Promise<void> {
  await ofHolder(db, key).set({ status, body }).where('status', 'is', null).execute();
}

const ofHolder = (db: Database, { caller, key, owner }: IdempotencyKey) =>
  db.updateTable('idempotencyKeys').where('caller', '=', caller).where('key', '=', key).where('owner', '=', owner);

export async function forgetKeys(db: Database, takenBefore: number): Promise<void> {
  await db.deleteFrom('idempotencyKeys').where('createdAt', '<', takenBefore).execute();
}
