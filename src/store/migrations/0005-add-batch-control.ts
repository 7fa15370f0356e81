import { type Kysely, sql } from 'kysely';

/** Switches, canary rows and the release order. Earlier rows get normal priority. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('switches')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('switches_key', ['scope', 'key'])
    .execute();
  await db.schema.alterTable('batches').addColumn('canary', 'integer').execute();
  await db.schema.alterTable('batches').addColumn('control_reason', 'text').execute();
  await db.schema.alterTable('payouts').addColumn('beneficiary_id', 'text').execute();
  await db.schema
    .alterTable('payouts')
    .addColumn('priority', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  // Rows are now released by priority, so the index without it is obsolete.
  await db.schema.dropIndex('payouts_unreleased').execute();
  await db.schema
    .createIndex('payouts_release_order')
    .on('payouts')
    .columns(['batch_id', 'priority', 'row'])
    .where(sql.ref('released_at'), 'is', null)
    .execute();
}
