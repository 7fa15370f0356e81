import type { Database } from './database.ts';

/** A key that one process holds. */
export interface IdempotencyKey {
  /** Name of the caller's token; empty for a caller without a name. */
  caller: string;
  key: string;
  /** Who works on the request. */
  owner: string;
}

export interface IdempotencyHold extends IdempotencyKey {
  requestSha256: string;
  /** The batch this request makes, if nobody has begun it. */
  batchId: string;
  heldUntil: number;
  at: number;
}

export type IdempotencyTaking =
  /** `batchId`: the batch this request makes, or has made before its first holder ended. */
  | { outcome: 'taken'; batchId: string }
  | { outcome: 'answered'; status: number; body: string }
  | { outcome: 'in-use' }
  | { outcome: 'other-request' };

export const idempotencyRepository = { takeKey, holdKey, answerKey, forgetKeys };

/**
 * Takes a key of a caller for a request. The first to take it works on it while it holds it; a holder that let the time
 * pass without an answer is followed by the next one with the same request, who gets the batch id of the first.
 *
 * Each step is one atomic statement. Between them an old key may be forgotten, so that the look begins
 * again.
 */
async function takeKey(db: Database, hold: IdempotencyHold): Promise<IdempotencyTaking> {
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

/** A holder that was killed, or gave up, has left no answer and holds no longer: the same request goes on where it was. */
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

/** Holds a key until another time; one that is past gives it back without an answer. */
async function holdKey(db: Database, { caller, key, owner }: IdempotencyKey, heldUntil: number): Promise<void> {
  await db
    .updateTable('idempotencyKeys')
    .set({ heldUntil })
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('owner', '=', owner)
    .execute();
}

/** The answer from now on, unless somebody else has taken the key or it has one. */
async function answerKey(
  db: Database,
  { caller, key, owner }: IdempotencyKey,
  { status, body }: { status: number; body: string },
): Promise<void> {
  await db
    .updateTable('idempotencyKeys')
    .set({ status, body })
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('owner', '=', owner)
    .where('status', 'is', null)
    .execute();
}

async function forgetKeys(db: Database, takenBefore: number): Promise<void> {
  await db.deleteFrom('idempotencyKeys').where('createdAt', '<', takenBefore).execute();
}
