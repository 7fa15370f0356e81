import { audit } from './audit.ts';
import { chunks, inChunks } from './chunks.ts';
import type { Database } from './database.ts';
import { announce } from './outbox.ts';
import { userOf } from './payouts.ts';
import { insertNew } from './row-writes.ts';
import type { BookedExchange, ReturnRecord, UnaskedOrder } from './schema.ts';
import { inTransaction } from './transaction.ts';

/** Records a return, with an audit entry. False if this order was recorded before. */
export function recordReturn(db: Database, entry: ReturnRecord): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if ((await insertNew(transaction, 'returns', entry)) === 0) return false;
    const { reference: subject, orderId, seenAt: at } = entry;
    const uid = (await userOf(transaction, subject)) ?? null;
    await announce(transaction, { kind: 'payout.returned', subject, uid, at });
    await audit(transaction, { at, actor: 'bank', action: 'money returned', subject, detail: { orderId } });
    return true;
  });
}

/** Oldest first. */
export async function returnsOf(db: Database, references: readonly string[]): Promise<ReturnRecord[]> {
  const query = db.selectFrom('returns').selectAll();
  const found = await inChunks(references, (some) => query.where('reference', 'in', some).execute());
  return found.sort((a, b) => a.seenAt - b.seenAt);
}

/** Keeps the first reading of a booked exchange; idempotent. */
export async function recordBookedExchange(db: Database, exchange: BookedExchange): Promise<void> {
  await insertNew(db, 'bookedExchanges', exchange);
}

/** Unordered. */
export function bookedExchangesOf(db: Database, references: readonly string[]): Promise<BookedExchange[]> {
  const query = db.selectFrom('bookedExchanges').selectAll();
  return inChunks(references, (some) => query.where('reference', 'in', some).execute());
}

/** Records orders at the bank without a reference of ours, each once; returns how many were new. */
export async function recordUnaskedOrders(db: Database, entries: readonly UnaskedOrder[]): Promise<number> {
  let count = 0;
  for (const some of chunks(entries)) count += await insertNew(db, 'unaskedOrders', some);
  return count;
}
