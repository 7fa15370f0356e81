import type { Kysely } from 'kysely';

/** Incidents: what the bank shows against the stored end of a payout, one for each order and kind. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('incidents')
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('order_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('incidents_key', ['reference', 'order_id', 'kind'])
    .execute();
}
