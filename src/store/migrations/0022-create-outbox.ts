import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Events for subscribers, each subscription's position, and the events it refused. */
export async function up(db: Kysely<unknown>, { serial }: ColumnTypes): Promise<void> {
  // Only with type `integer` does SQLite use the number as the table's own row key.
  const number = serial === 'integer' ? 'integer' : 'bigint';
  await db.schema
    .createTable('outbox')
    .addColumn('position', number, (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('uid', 'text')
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('outbox_head')
    .addColumn('id', number, (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .execute();
  await (db as Kysely<{ outbox_head: { id: number; position: number } }>)
    .insertInto('outbox_head')
    .values({ id: 0, position: 0 })
    .execute();
  await db.schema
    .createTable('subscriptions')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('owner', 'text')
    .addColumn('owned_until', 'bigint')
    .addColumn('failures', 'bigint', (column) => column.notNull())
    .addColumn('failing_since', 'bigint')
    .addColumn('why', 'text')
    .addColumn('next_try_at', 'bigint')
    .addColumn('parked_at', 'bigint')
    .addColumn('told_at', 'bigint')
    .execute();
  await db.schema
    .createTable('refused_events')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'bigint', (column) => column.notNull())
    .addColumn('why', 'text', (column) => column.notNull())
    .addColumn('next_try_at', 'bigint', (column) => column.notNull())
    .addColumn('parked_at', 'bigint')
    .addPrimaryKeyConstraint('refused_events_pk', ['name', 'position'])
    .execute();
}
