import { chunks } from './chunks.ts';
import type { Database } from './schema.ts';
import type { ReturnRecord, Store } from './store.ts';

export async function recordReturn(db: Database, entry: ReturnRecord): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('returns')
    .values({
      order_id: entry.orderId,
      reference: entry.reference,
      amount: entry.amount,
      currency: entry.currency,
      seen_at: entry.seenAt,
    })
    .onConflict((conflict) => conflict.column('order_id').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Oldest first. */
export async function returnsOf(db: Database, references: readonly string[]): Promise<ReturnRecord[]> {
  const found: ReturnRecord[] = [];
  for (const some of chunks(references)) {
    const rows = await db.selectFrom('returns').selectAll().where('reference', 'in', some).execute();
    for (const { order_id, reference, amount, currency, seen_at } of rows) {
      found.push({ orderId: order_id, reference, amount, currency, seenAt: seen_at });
    }
  }
  return found.sort((a, b) => a.seenAt - b.seenAt);
}

export async function recordUnaskedOrder(
  db: Database,
  entry: Parameters<Store['recordUnaskedOrder']>[0],
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('unasked_orders')
    .values({
      order_id: entry.orderId,
      uid: entry.uid,
      currency: entry.currency,
      client_order_id: entry.clientOrderId,
      seen_at: entry.seenAt,
    })
    .onConflict((conflict) => conflict.column('order_id').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
