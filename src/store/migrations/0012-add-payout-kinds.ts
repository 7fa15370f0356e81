import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Kinds of rows: payout, transfer between own accounts, stand-alone exchange. Earlier rows are payouts. */
export const addPayoutKinds = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('payouts')
      .addColumn('kind', 'text', (column) => column.notNull().defaultTo('payout'))
      .execute();
  },
});
