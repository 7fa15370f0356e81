import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a scrape of the metrics reads is proportional to what is open, never to what has ended. */
export const indexOpenWork = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('payouts_open')
      .on('payouts')
      // With its own condition: SQLite then needs the table for nothing.
      .columns(['state', 'created_at', 'updated_at', 'ended_at'])
      .where(sql.ref('ended_at'), 'is', null)
      .execute();
    await db.schema
      .createIndex('send_attempts_unknown')
      .on('send_attempts')
      .columns(['sent_at', 'reference'])
      // As the query says it: SQLite takes the index for no other words.
      .where(sql<boolean>`settled is null and (outcome is null or outcome = 'ambiguous')`)
      .execute();
    await db.schema
      .createIndex('incidents_open')
      .on('incidents')
      // Not by kind first: SQLite would take it for the look-up of second orders, which has one by user.
      .columns(['seen_at', 'kind'])
      .where(sql.ref('acknowledged_at'), 'is', null)
      .execute();
  },
});
