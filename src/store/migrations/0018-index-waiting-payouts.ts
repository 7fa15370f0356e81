import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What waits for people is found by its index alone, and so is the decision that was taken last. */
export const indexWaitingPayouts = (): Migration => ({
  async up(db: Kysely<unknown>) {
    const states = ['awaiting-approval', 'awaiting-bank-approval', 'held', 'needs-operator'];
    await db.schema
      .createIndex('payouts_waiting')
      .on('payouts')
      .columns(['created_at', 'row', 'reference', 'state', 'uid', 'account_id', 'currency', 'by'])
      // As the query says it: no other index answers to it.
      .where(sql<boolean>`coalesce(state, '') in (${sql.join(states.map((state) => sql.lit(state)))})`)
      .execute();
    await db.schema.createIndex('signed_decisions_taken').on('signed_decisions').columns(['taken_at', 'id']).execute();
  },
});
