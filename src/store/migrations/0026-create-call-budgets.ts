import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from './column-types.ts';

/** Up to when the time of calls of the bank is given out. Nothing that a crash may not forget: no booking waits for a disk. */
export const createCallBudgets = ({ forgetful }: ColumnTypes): Migration => ({
  async up(db: Kysely<unknown>) {
    const table = db.schema.createTable('call_budgets');
    await (forgetful === undefined ? table : table.modifyFront(forgetful))
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('booked_until', 'bigint', (column) => column.notNull())
      .execute();
  },
});
