import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What was sent within a day counts for limits, and what was accepted since shows whether a list is of today. */
export const indexAttemptsByTime = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema.createIndex('send_attempts_sent').on('send_attempts').columns(['sent_at', 'reference']).execute();
  },
});
