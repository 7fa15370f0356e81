import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A row is a payout, a transfer between own accounts or an exchange by itself; every one of before is a payout. */
export const addPayoutKinds = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('payouts')
      .addColumn('kind', 'text', (column) => column.notNull().defaultTo('payout'))
      .execute();
  },
});
