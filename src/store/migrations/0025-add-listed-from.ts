import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** From when on lists show an attempt, in the bank's time: either clock may be set right before anybody looks. */
export const addListedFrom = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('send_attempts').addColumn('listed_from', 'bigint').execute();
  },
});
