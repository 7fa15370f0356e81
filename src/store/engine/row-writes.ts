import type { DeleteResult, InsertObject, UpdateResult } from 'kysely';
import type { Tables } from '../schema.ts';
import type { Database } from './database.ts';

type NewRow<Table extends keyof Tables> = InsertObject<Tables, Table>;

/**
 * Inserts those rows whose key is free, in one statement; returns how many. Every unique constraint of the table counts as its
 * key.
 */
export async function insertNew<Table extends keyof Tables>(
  db: Database,
  table: Table,
  rows: NewRow<Table> | readonly NewRow<Table>[],
): Promise<number> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto(table)
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows);
}

/** Runs an update or a deletion; whether it met its row. */
export async function met(query: {
  executeTakeFirstOrThrow(): Promise<UpdateResult | DeleteResult>;
}): Promise<boolean> {
  const result = await query.executeTakeFirstOrThrow();
  return ('numUpdatedRows' in result ? result.numUpdatedRows : result.numDeletedRows) > 0n;
}
