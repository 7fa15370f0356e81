import { type Kysely, sql } from 'kysely';

/** Closed runs of a payout, and an index of the released rows without an end, by batch. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
}
