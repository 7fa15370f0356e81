import type { Kysely } from 'kysely';

/** A payee may be named by id in one file and by account in the next. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('payouts').addColumn('look_alike_account', 'text').execute();
  const columns = ['look_alike_account', 'created_at'];
  await db.schema.createIndex('payouts_look_alike_account').on('payouts').columns(columns).execute();
}
