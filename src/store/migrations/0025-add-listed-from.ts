import type { Kysely } from 'kysely';

/** Bank time from which lists show an attempt, stored because either clock may be corrected before anybody looks. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('send_attempts').addColumn('listed_from', 'bigint').execute();
}
