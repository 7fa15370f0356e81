import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from './column-types.ts';

/** How far events have been deleted. Apart from the head, which whoever writes an event locks. */
export const pruneOutbox = ({ serial }: ColumnTypes): Migration => ({
  async up(db: Kysely<unknown>) {
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
  },
});
