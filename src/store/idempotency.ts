import type { Database } from './engine/database.ts';
import type { IdempotencyKeyTable } from './schema.ts';

/** An idempotency key held by one process. */
export type IdempotencyKey = Pick<IdempotencyKeyTable, 'caller' | 'key' | 'owner'>;

/** `batchId`: for the batch of this request, unless an earlier holder began one. */
export interface IdempotencyHold
  extends IdempotencyKey,
    Pick<IdempotencyKeyTable, 'requestSha256' | 'batchId' | 'heldUntil'> {
  at: number;
}

export type IdempotencyTaking =
  /** `batchId`: the batch that this request creates, or that an earlier holder may have created. */
  | { outcome: 'taken'; batchId: string }
  | { outcome: 'answered'; status: number; body: string }
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
    const taken = (await insertNew(db, hold)) ?? (await takeOver(db, hold));
    if (taken !== undefined) return { outcome: 'taken', batchId: taken.batchId };
    const known = await db
      .selectFrom('idempotencyKeys')
      .select(['requestSha256', 'status', 'body'])
      .where('caller', '=', hold.caller)
      .where('key', '=', hold.key)
      .executeTakeFirst();
    if (known === undefined) continue;
    if (known.requestSha256 !== hold.requestSha256) return { outcome: 'other-request' };
    if (known.status === null || known.body === null) return { outcome: 'in-use' };
    return { outcome: 'answered', status: known.status, body: known.body };
  }
}

function insertNew(db: Database, { at, ...hold }: IdempotencyHold): Promise<{ batchId: string } | undefined> {
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
