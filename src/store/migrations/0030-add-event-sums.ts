import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What an event says was taken: it is compared with what was asked for, by whichever run hears of it. */
export const addEventSums = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const column of ['amount', 'currency']) {
      await db.schema.alterTable('card_events').addColumn(column, 'text').execute();
    }
  },
});
