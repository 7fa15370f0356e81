import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Call budgets: the time up to which calls of the bank are booked. A crash may lose it, so no booking waits for the disk. */
export async function up(db: Kysely<unknown>, { forgetful }: ColumnTypes): Promise<void> {
  const table = db.schema.createTable('call_budgets');
  await (forgetful === undefined ? table : table.modifyFront(forgetful))
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('booked_until', 'bigint', (column) => column.notNull())
    .execute();
}
