import type { Kysely } from 'kysely';

/** What was sent within a day counts for limits, and what was accepted since shows whether a list is of today. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('send_attempts_sent').on('send_attempts').columns(['sent_at', 'reference']).execute();
}
