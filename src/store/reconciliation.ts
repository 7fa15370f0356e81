import type { Database } from './engine/database.ts';
import type { WatchKey } from './open-orders.ts';
import type { PayoutRecord } from './schema.ts';

/** What reconciliation compares in one pass over a list. */
export interface ReconciliationKey extends WatchKey {
  /** When the oldest of its payouts was created: none of their orders is older. */
  since: number;
}

/** With the uid, what the references of a payout derive from. */
export type PayoutDocument = Pick<PayoutRecord, 'reference' | 'documentId' | 'generation'>;

/** Payouts of a user changed since `changedSince`. */
export async function documentsOf(db: Database, uid: string, changedSince: number): Promise<PayoutDocument[]> {
  return db
    .selectFrom('payouts')
    .select(['reference', 'documentId', 'generation'])
    .where('uid', '=', uid)
    .where('updatedAt', '>=', changedSince)
    .execute();
}

/** Keys of payouts changed since `changedSince`, by uid and currency, after `after`: of both currencies of an exchange. */
export async function reconciliationKeys(
  db: Database,
  changedSince: number,
  { after, limit }: { after: WatchKey | null; limit: number },
): Promise<ReconciliationKey[]> {
  const paid = db.selectFrom('payouts').select(['uid', 'currency', 'createdAt']).where('updatedAt', '>=', changedSince);
  const sold = db
    .selectFrom('payouts')
    .select(['uid', 'soldCurrency as currency', 'createdAt'])
    .where('updatedAt', '>=', changedSince)
    .where('soldCurrency', 'is not', null)
    .$narrowType<{ currency: string }>();
  let query = db
    .selectFrom(paid.unionAll(sold).as('listed'))
    .select(['uid', 'currency', (row) => row.fn.min('createdAt').as('since')]);
  if (after !== null) {
    query = query.where((row) => row(row.refTuple('uid', 'currency'), '>', row.tuple(after.uid, after.currency)));
  }
  return query.groupBy(['uid', 'currency']).orderBy('uid').orderBy('currency').limit(limit).execute();
}

/** Keys of the released rows of a batch, of both currencies of an exchange; unreleased rows have nothing at the bank. */
export async function batchKeys(db: Database, batchId: string): Promise<WatchKey[]> {
  const released = db.selectFrom('payouts').where('batchId', '=', batchId).where('releasedAt', 'is not', null);
  const sold = released.select(['uid', 'soldCurrency as currency']).where('soldCurrency', 'is not', null);
  return db
    .selectFrom(released.select(['uid', 'currency']).union(sold.$narrowType<{ currency: string }>()).as('listed'))
    .select(['uid', 'currency'])
    .orderBy('uid')
    .orderBy('currency')
    .execute();
}
