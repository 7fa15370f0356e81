import { type Kysely, sql } from 'kysely';

/** Card payments that need people are few, and lists and metrics query them often. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('card_payments_for_people')
    .on('card_payments')
    .column('updated_at')
    // Must match the query's condition word for word, or SQLite does not use the index.
    .where(sql<boolean>`state = 'needs-operator' or contradicted_at is not null`)
    .execute();
}
