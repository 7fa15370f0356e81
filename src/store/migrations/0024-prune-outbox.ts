import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Position up to which events are deleted. Not in the head's row, which every writer of an event locks. */
export async function up(db: Kysely<unknown>, { serial }: ColumnTypes): Promise<void> {
  const number = serial === 'integer' ? 'integer' : 'bigint';
  await db.schema
    .createTable('outbox_tail')
    .addColumn('id', number, (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .execute();
  await (db as Kysely<{ outbox_tail: { id: number; position: number } }>)
    .insertInto('outbox_tail')
    .values({ id: 0, position: 0 })
    .execute();
}
