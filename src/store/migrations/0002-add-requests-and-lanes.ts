import type { Kysely } from 'kysely';

/** What each attempt sent, and which rows wait for the same account. Earlier rows keep null, which nothing waits for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('send_attempts').addColumn('request', 'text').execute();
  for (const column of ['account_id', 'reason_code', 'funds_needed']) {
    await db.schema.alterTable('payouts').addColumn(column, 'text').execute();
  }
  await db.schema.createIndex('payouts_lane').on('payouts').columns(['state', 'account_id']).execute();
}
