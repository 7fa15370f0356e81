import type { Kysely } from 'kysely';

/** The rows covered by a signed plan. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('plan_rows')
    .addColumn('plan', 'text', (column) => column.notNull())
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('leaf_index', 'bigint', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('plan_rows_pk', ['plan', 'reference'])
    .execute();
}
