import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What is known of closed runs of a payout, and a way to the rows that a batch, or no batch, still waits for. */
export const addRestarts = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('payouts')
      .addColumn('closed_runs', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('payouts').addColumn('closed_at_state', 'text').execute();
    await db.schema.alterTable('payouts').addColumn('next_restart_at', 'bigint').execute();
    await db.schema
      .createIndex('payouts_unended')
      .on('payouts')
      .columns(['batch_id', 'reference'])
      .where(sql.ref('released_at'), 'is not', null)
      .where(sql.ref('ended_at'), 'is', null)
      .execute();
  },
});
