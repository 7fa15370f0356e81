import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The rows covered by a signed plan. */
export const createPlanRows = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('plan_rows')
      .addColumn('plan', 'text', (column) => column.notNull())
      .addColumn('reference', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('leaf_index', 'bigint', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('plan_rows_pk', ['plan', 'reference'])
      .execute();
  },
});
