import type { EventFilter } from '../domain/events-out.ts';
import { chunks, inChunks } from './engine/chunks.ts';
import type { Database } from './engine/database.ts';
import { inTransaction } from './engine/transaction.ts';
import type { OutboxEvent } from './outbox-schema.ts';

/** Id of the only row of `outboxHead`, and of `outboxTail`. */
const ROW_ID = 0;

/**
 * Writes events in the transaction that makes the reported change, right before its audit entry: on PostgreSQL the head's row
 * stays locked until the commit. No reader sees a position before all smaller ones.
 */
export async function announce(transaction: Database, announced: NewEvent | readonly NewEvent[]): Promise<void> {
  const events = [announced].flat();
  if (events.length === 0) return;
  const { position } = await transaction
    .updateTable('outboxHead')
    .set((row) => ({ position: row('position', '+', events.length) }))
    .where('id', '=', ROW_ID)
    .returning('position')
    .executeTakeFirstOrThrow();
  const first = position - events.length + 1;
  const rows = events.map((event, index) => ({ ...event, position: first + index }));
  for (const some of chunks(rows)) await transaction.insertInto('outbox').values(some).execute();
}

export type NewEvent = Omit<OutboxEvent, 'position'>;

/** Position of the last event; 0: there is none. */
export const outboxHead = (db: Database): Promise<number> => positionIn(db, 'outboxHead');

/** Position up to which events are deleted; 0: none are. */
export const outboxTail = (db: Database): Promise<number> => positionIn(db, 'outboxTail');

async function positionIn(db: Database, table: 'outboxHead' | 'outboxTail'): Promise<number> {
  const { position } = await db.selectFrom(table).select('position').where('id', '=', ROW_ID).executeTakeFirstOrThrow();
  return position;
}

/** Events after `after` up to `upTo` that pass the filter, by position, at most `limit`. */
export async function outboxEvents(
  db: Database,
  { kinds, uids, after, upTo, limit }: EventFilter & { after: number; upTo?: number; limit: number },
): Promise<OutboxEvent[]> {
  return db
    .selectFrom('outbox')
    .selectAll()
    .where('position', '>', after)
    .$if(upTo !== undefined, (query) => query.where('position', '<=', upTo ?? 0))
    .$if(kinds !== undefined, (query) => query.where('kind', 'in', kinds ?? []))
    .$if(uids !== undefined, (query) => query.where('uid', 'in', uids ?? []))
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** By position. */
export async function outboxEventsAt(db: Database, positions: readonly number[]): Promise<OutboxEvent[]> {
  const query = db.selectFrom('outbox').selectAll();
  const found = await inChunks(positions, (some) => query.where('position', 'in', some).execute());
  return found.sort((a, b) => a.position - b.position);
}

/** `outboxTail`, locked until the end of the transaction. */
export async function lockOutboxTail(transaction: Database): Promise<number> {
  const { position } = await transaction
    .updateTable('outboxTail')
    .set((row) => ({ position: row.ref('position') }))
    .where('id', '=', ROW_ID)
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
    await transaction.updateTable('outboxTail').set({ position }).where('id', '=', ROW_ID).execute();
    return pruned.length;
  });
}
