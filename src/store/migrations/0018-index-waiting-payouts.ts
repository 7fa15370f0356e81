import { type Kysely, sql } from 'kysely';

/** Indexes that alone answer the queries for what waits for people and for the last decision taken. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const states = ['awaiting-approval', 'awaiting-bank-approval', 'held', 'needs-operator'];
  await db.schema
    .createIndex('payouts_waiting')
    .on('payouts')
    .columns(['created_at', 'row', 'reference', 'state', 'uid', 'account_id', 'currency', 'by'])
    // Must match the query's condition; written so that no other index fits it.
    .where(sql<boolean>`coalesce(state, '') in (${sql.join(states.map((state) => sql.lit(state)))})`)
    .execute();
  await db.schema.createIndex('signed_decisions_taken').on('signed_decisions').columns(['taken_at', 'id']).execute();
}
