import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Up to when the time of calls of the bank is given out. */
export const createCallBudgets = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('call_budgets')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('booked_until', 'bigint', (column) => column.notNull())
      .execute();
  },
});
