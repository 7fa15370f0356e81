import { chunks } from './chunks.ts';
import type { Database } from './database.ts';
import type { ReturnRecord, UnaskedOrder } from './schema.ts';

/** What the bank has shown and the store has only to remember. */
export const factRepository = { recordReturn, returnsOf, recordUnaskedOrder };

/** False when this order was recorded before. */
async function recordReturn(db: Database, entry: ReturnRecord): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('returns')
    .values(entry)
    .onConflict((conflict) => conflict.column('orderId').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Oldest first. */
async function returnsOf(db: Database, references: readonly string[]): Promise<ReturnRecord[]> {
  const found: ReturnRecord[] = [];
  for (const some of chunks(references)) {
    found.push(...(await db.selectFrom('returns').selectAll().where('reference', 'in', some).execute()));
  }
  return found.sort((a, b) => a.seenAt - b.seenAt);
}

/** An order at the bank under no reference of ours; false when it was recorded before. */
async function recordUnaskedOrder(db: Database, entry: UnaskedOrder): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('unaskedOrders')
    .values(entry)
    .onConflict((conflict) => conflict.column('orderId').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
