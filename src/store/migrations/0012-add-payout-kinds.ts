import type { Kysely } from 'kysely';

/** Kinds of rows: payout, transfer between own accounts, stand-alone exchange. Earlier rows are payouts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('payouts')
    .addColumn('kind', 'text', (column) => column.notNull().defaultTo('payout'))
    .execute();
}
