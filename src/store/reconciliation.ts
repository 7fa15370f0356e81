import { attempts } from './attempts.ts';
import { chunks } from './chunks.ts';
import { payoutRecord } from './records.ts';
import type { Database } from './schema.ts';
import type { PayoutDocument, PayoutRecord, ReconciliationKey, SendAttempt, WatchKey } from './store.ts';

/** What reconciliation asks of the store: which keys there are to compare, and what is stored under what the bank shows. */

export async function payoutsOf(db: Database, references: readonly string[]): Promise<PayoutRecord[]> {
  const found: PayoutRecord[] = [];
  for (const some of chunks(references)) {
    const rows = await db.selectFrom('payouts').selectAll().where('reference', 'in', some).execute();
    found.push(...rows.map(payoutRecord));
  }
  return found;
}

export async function payoutsOfOrders(db: Database, orderIds: readonly string[]): Promise<PayoutRecord[]> {
  const found: PayoutRecord[] = [];
  for (const some of chunks(orderIds)) {
    const rows = await db.selectFrom('payouts').selectAll().where('order_id', 'in', some).execute();
    found.push(...rows.map(payoutRecord));
  }
  return found;
}

export async function attemptsOf(db: Database, references: readonly string[]): Promise<SendAttempt[]> {
  const found: SendAttempt[] = [];
  for (const some of chunks(references)) found.push(...(await attempts(db, some)));
  return found;
}

export async function documentsOf(db: Database, uid: string, changedSince: number): Promise<PayoutDocument[]> {
  const rows = await db
    .selectFrom('payouts')
    .select(['reference', 'document_id', 'generation'])
    .where('uid', '=', uid)
    .where('updated_at', '>=', changedSince)
    .execute();
  return rows.map(({ reference, document_id, generation }) => ({ reference, documentId: document_id, generation }));
}

export async function reconciliationKeys(
  db: Database,
  changedSince: number,
  { after, limit }: { after: WatchKey | null; limit: number },
): Promise<ReconciliationKey[]> {
  let query = db
    .selectFrom('payouts')
    .select(['uid', 'currency', (row) => row.fn.min('created_at').as('since')])
    .where('updated_at', '>=', changedSince);
  if (after !== null) {
    query = query.where((row) => row(row.refTuple('uid', 'currency'), '>', row.tuple(after.uid, after.currency)));
  }
  return query.groupBy(['uid', 'currency']).orderBy('uid').orderBy('currency').limit(limit).execute();
}

/** Rows that were never handed to a workflow have nothing at the bank. */
export async function batchKeys(db: Database, batchId: string): Promise<WatchKey[]> {
  return db
    .selectFrom('payouts')
    .select(['uid', 'currency'])
    .distinct()
    .where('batch_id', '=', batchId)
    .where('released_at', 'is not', null)
    .orderBy('uid')
    .orderBy('currency')
    .execute();
}
