import type { Kysely } from 'kysely';

/** What an event says was taken: it is compared with what was asked for, by whichever run hears of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['amount', 'currency']) {
    await db.schema.alterTable('card_events').addColumn(column, 'text').execute();
  }
}
