import type { Database } from './database.ts';
import { inTransaction } from './transaction.ts';

/** Id of the only row of `outboxTail`. */
const TAIL_ID = 0;

/** Position up to which events are deleted; 0: none are. */
export async function outboxTail(db: Database): Promise<number> {
  const { position } = await db
    .selectFrom('outboxTail')
    .select('position')
    .where('id', '=', TAIL_ID)
    .executeTakeFirstOrThrow();
  return position;
}

/** `outboxTail`, locked until the end of the transaction. */
export async function lockOutboxTail(transaction: Database): Promise<number> {
  const { position } = await transaction
    .updateTable('outboxTail')
    .set((row) => ({ position: row.ref('position') }))
    .where('id', '=', TAIL_ID)
    .returning('position')
    .executeTakeFirstOrThrow();
  return position;
}

/**
 * Deletes the oldest events, at most `limit`: those that every subscription is past and that were written before `before` (epoch
 * ms). Events that a subscription refused stay for a replay. Returns how many positions it passed; 0: nothing left to delete.
 */
export function pruneOutbox(db: Database, { before, limit }: { before: number; limit: number }): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const tail = await lockOutboxTail(transaction);
    const { told } = await transaction
      .selectFrom('subscriptions')
      .select(({ fn }) => fn.min('position').as('told'))
      .executeTakeFirstOrThrow();
    const first = await transaction
      .selectFrom('outbox')
      .select(['position', 'at'])
      .where('position', '>', tail)
      // Without subscriptions no event is owed to anybody.
      .$if(told !== null, (query) => query.where('position', '<=', told))
      .orderBy('position')
      .limit(limit)
      .execute();
    const kept = first.findIndex(({ at }) => at >= before);
    const pruned = kept === -1 ? first : first.slice(0, kept);
    const position = pruned.at(-1)?.position;
    if (position === undefined) return 0;
    await transaction
      .deleteFrom('outbox')
      .where('position', '>', tail)
      .where('position', '<=', position)
      .where('position', 'not in', (query) => query.selectFrom('refusedEvents').select('position'))
      .execute();
    await transaction.updateTable('outboxTail').set({ position }).where('id', '=', TAIL_ID).execute();
    return pruned.length;
  });
}
