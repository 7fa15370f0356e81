import type { Kysely } from 'kysely';

/** Exchanges as the bank booked them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('booked_exchanges')
    .addColumn('reference', 'text', (column) => column.primaryKey())
    .addColumn('order_id', 'text', (column) => column.notNull())
    .addColumn('sold_amount', 'text')
    .addColumn('sold_currency', 'text')
    .addColumn('bought_amount', 'text')
    .addColumn('bought_currency', 'text')
    .addColumn('rate', 'text')
    .addColumn('fee', 'text')
    .addColumn('fee_currency', 'text')
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .execute();
}
