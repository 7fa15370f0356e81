import type { EventFilter } from '../domain/events-out.ts';
import { chunks, inChunks } from './chunks.ts';
import type { Database } from './database.ts';
import type { OutboxEvent } from './outbox-schema.ts';

/** Id of the only row of `outboxHead`. */
const HEAD_ID = 0;

/**
 * Writes events in the transaction that makes the reported change, right before its audit entry: on PostgreSQL the head's row stays
 * locked until the commit. No reader sees a position before all smaller ones.
 */
export async function announce(transaction: Database, announced: NewEvent | readonly NewEvent[]): Promise<void> {
  const events = [announced].flat();
  if (events.length === 0) return;
  const { position } = await transaction
    .updateTable('outboxHead')
    .set((row) => ({ position: row('position', '+', events.length) }))
    .where('id', '=', HEAD_ID)
    .returning('position')
    .executeTakeFirstOrThrow();
  const first = position - events.length + 1;
  const rows = events.map((event, index) => ({ ...event, position: first + index }));
  for (const some of chunks(rows)) await transaction.insertInto('outbox').values(some).execute();
}

export type NewEvent = Omit<OutboxEvent, 'position'>;

/** Position of the last event; 0: there is none. */
export async function outboxHead(db: Database): Promise<number> {
  const { position } = await db
    .selectFrom('outboxHead')
    .select('position')
    .where('id', '=', HEAD_ID)
    .executeTakeFirstOrThrow();
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
