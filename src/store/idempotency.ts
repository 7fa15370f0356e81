import type { Database } from './schema.ts';
import type { IdempotencyHold, IdempotencyKey, IdempotencyTaking } from './store.ts';

/** Each step is one atomic statement. Between them an old key may be forgotten, so that the look begins again. */
export async function takeKey(db: Database, hold: IdempotencyHold): Promise<IdempotencyTaking> {
  for (;;) {
    const taken = (await insertNew(db, hold)) ?? (await takeOver(db, hold));
    if (taken !== undefined) return { outcome: 'taken', batchId: taken.batch_id };
    const known = await db
      .selectFrom('idempotency_keys')
      .select(['request_sha256', 'status', 'body'])
      .where('caller', '=', hold.caller)
      .where('key', '=', hold.key)
      .executeTakeFirst();
    if (known === undefined) continue;
    if (known.request_sha256 !== hold.requestSha256) return { outcome: 'other-request' };
    if (known.status === null || known.body === null) return { outcome: 'in-use' };
    return { outcome: 'answered', status: known.status, body: known.body };
  }
}

function insertNew(db: Database, hold: IdempotencyHold): Promise<{ batch_id: string } | undefined> {
  return db
    .insertInto('idempotency_keys')
    .values({
      caller: hold.caller,
      key: hold.key,
      request_sha256: hold.requestSha256,
      batch_id: hold.batchId,
      owner: hold.owner,
      held_until: hold.heldUntil,
      created_at: hold.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('batch_id')
    .executeTakeFirst();
}

/** A holder that was killed, or gave up, has left no answer and holds no longer: the same request goes on where it was. */
function takeOver(db: Database, hold: IdempotencyHold): Promise<{ batch_id: string } | undefined> {
  return db
    .updateTable('idempotency_keys')
    .set({ owner: hold.owner, held_until: hold.heldUntil })
    .where('caller', '=', hold.caller)
    .where('key', '=', hold.key)
    .where('request_sha256', '=', hold.requestSha256)
    .where('status', 'is', null)
    .where('held_until', '<', hold.at)
    .returning('batch_id')
    .executeTakeFirst();
}

export async function holdKey(db: Database, { caller, key, owner }: IdempotencyKey, heldUntil: number): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ held_until: heldUntil })
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('owner', '=', owner)
    .execute();
}

/** The first answer stays. */
export async function answerKey(
  db: Database,
  { caller, key, owner }: IdempotencyKey,
  { status, body }: { status: number; body: string },
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ status, body })
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('owner', '=', owner)
    .where('status', 'is', null)
    .execute();
}

export async function forgetKeys(db: Database, takenBefore: number): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('created_at', '<', takenBefore).execute();
}
