import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What each attempt sent, and which rows wait for the same account. Earlier rows keep null, which nothing waits for. */
export const addRequestsAndLanes = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('send_attempts').addColumn('request', 'text').execute();
    for (const column of ['account_id', 'reason_code', 'funds_needed']) {
      await db.schema.alterTable('payouts').addColumn(column, 'text').execute();
    }
    await db.schema.createIndex('payouts_lane').on('payouts').columns(['state', 'account_id']).execute();
  },
});
