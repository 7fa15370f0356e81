import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Bank time from which lists show an attempt, stored because either clock may be corrected before anybody looks. */
export const addListedFrom = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('send_attempts').addColumn('listed_from', 'bigint').execute();
  },
});
