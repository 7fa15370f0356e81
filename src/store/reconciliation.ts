import type { Database } from './database.ts';
import type { WatchKey } from './open-orders.ts';
import type { PayoutRecord } from './schema.ts';

/** What reconciliation compares in one go. */
export interface ReconciliationKey extends WatchKey {
  /** Creation of the oldest of its payouts: no order of them is older. */
  since: number;
}

/** What the references of a payout are derived from, with its uid. */
export type PayoutDocument = Pick<PayoutRecord, 'reference' | 'documentId' | 'generation'>;

/** Which keys there are to compare with the bank. */
export const reconciliationRepository = { documentsOf, reconciliationKeys, batchKeys };

/** Payouts of a user that have changed since. */
async function documentsOf(db: Database, uid: string, changedSince: number): Promise<PayoutDocument[]> {
  return db
    .selectFrom('payouts')
    .select(['reference', 'documentId', 'generation'])
    .where('uid', '=', uid)
    .where('updatedAt', '>=', changedSince)
    .execute();
}

/** Keys of payouts that have changed since, ordered by uid and currency, those behind `after`. */
async function reconciliationKeys(
  db: Database,
  changedSince: number,
  { after, limit }: { after: WatchKey | null; limit: number },
): Promise<ReconciliationKey[]> {
  let query = db
    .selectFrom('payouts')
    .select(['uid', 'currency', (row) => row.fn.min('createdAt').as('since')])
    .where('updatedAt', '>=', changedSince);
  if (after !== null) {
    query = query.where((row) => row(row.refTuple('uid', 'currency'), '>', row.tuple(after.uid, after.currency)));
  }
  return query.groupBy(['uid', 'currency']).orderBy('uid').orderBy('currency').limit(limit).execute();
}

/** Keys of the released rows of a batch. Rows that were never handed to a workflow have nothing at the bank. */
async function batchKeys(db: Database, batchId: string): Promise<WatchKey[]> {
  return db
    .selectFrom('payouts')
    .select(['uid', 'currency'])
    .distinct()
    .where('batchId', '=', batchId)
    .where('releasedAt', 'is not', null)
    .orderBy('uid')
    .orderBy('currency')
    .execute();
}
