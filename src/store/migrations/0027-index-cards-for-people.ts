import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Card payments that need people are few among all that ended: lists and metrics ask for them again and again. */
export const indexCardsForPeople = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('card_payments_for_people')
      .on('card_payments')
      .column('updated_at')
      // As the query says it: SQLite takes the index for no other words.
      .where(sql<boolean>`state = 'needs-operator' or contradicted_at is not null`)
      .execute();
  },
});
