import type { Database } from './engine/database.ts';
import { recent } from './engine/recent.ts';
import { inTransaction } from './engine/transaction.ts';
import { inShortTransaction, LOCKS, write } from './engine/write-groups.ts';
import type { OpenOrder } from './schema.ts';

export interface OpenOrderRequest {
  reference: string;
  workflowId: string;
  uid: string;
  /** One currency for a payment, both for an exchange. */
  currencies: readonly string[];
  /** When a list can first show the order. */
  since: number;
  at: number;
  /** An entry opened before is as young as a later `since`: it is too old for the list that the watch reads. */
  listedSince: number;
  /** A watch that has not swept since then counts as dead. */
  watchAliveSince: number;
}

/** What is noted about an open order; absent keys keep their value. */
export interface OpenOrderNote {
  orderId?: string;
  /** Null: its owner must be signalled again. */
  notifiedStatus?: string | null;
  nextLookAt?: number | null;
}

export interface WatchKey {
  uid: string;
  currency: string;
}

/**
 * Adds a reference to the open set (an existing entry keeps what is known) and returns the keys whose watch must be signalled:
 * those without a watch that has swept since `watchAliveSince`.
 *
 * A watch that ends and a payout that registers exclude each other on the watch's row, which both lock before they read: either
 * the end sees the order, or the payout sees that no watch is left.
 */
export function openOrder(db: Database, request: OpenOrderRequest): Promise<WatchKey[]> {
  const { uid } = request;
  return inShortTransaction(db, LOCKS.watch, async (transaction) => {
    const asleep: WatchKey[] = [];
    // Sorted, so that two exchanges between the same currencies lock the two watches in the same order.
    for (const currency of [...new Set(request.currencies)].sort()) {
      await insert(transaction, request, currency);
      if (await wake(transaction, { uid, currency }, request)) asleep.push({ uid, currency });
    }
    return asleep;
  });
}

async function insert(db: Database, request: OpenOrderRequest, currency: string): Promise<void> {
  const { reference, uid, workflowId, since, listedSince } = request;
  await db
    .insertInto('openOrders')
    .values({ reference, uid, currency, workflowId, openedAt: since })
    .onConflict((conflict) =>
      conflict
        .columns(['reference', 'uid', 'currency'])
        .doUpdateSet({ openedAt: since, nextLookAt: null })
        .where('openOrders.openedAt', '<', Math.min(since, listedSince)),
    )
    .execute();
}

/**
 * True if the watch must be signalled. It then counts as alive, so that many payouts at once cause one signal; if the signaller
 * dies, `neglectedWatches` returns the key once the lease is over. The upsert locks the row either way.
 */
async function wake(db: Database, key: WatchKey, { at, watchAliveSince }: OpenOrderRequest): Promise<boolean> {
  const woken = await db
    .insertInto('watches')
    .values({ ...key, sweptAt: at })
    .onConflict((conflict) =>
      conflict
        .columns(['uid', 'currency'])
        .doUpdateSet({ sweptAt: at })
        .where(({ not, between }) => not(between('watches.sweptAt', ...recent(watchAliveSince, at)))),
    )
    .returning('uid')
    .executeTakeFirst();
  return woken !== undefined;
}

export async function closeOrder(db: Database, reference: string): Promise<void> {
  await write(db, LOCKS.itsRows, (into) => into.deleteFrom('openOrders').where('reference', '=', reference).execute());
}

/** Orders opened since then (epoch ms), oldest first. */
export async function openOrders(db: Database, { uid, currency }: WatchKey, since = 0): Promise<OpenOrder[]> {
  return db
    .selectFrom('openOrders')
    .selectAll()
    .where('uid', '=', uid)
    .where('currency', '=', currency)
    .where('openedAt', '>=', Math.max(0, since))
    .orderBy('openedAt')
    .orderBy('reference')
    .execute();
}

/** Ids under which the watches have seen an open order of this reference. */
export async function orderIdsSeen(db: Database, reference: string): Promise<string[]> {
  const rows = await db.selectFrom('openOrders').select('orderId').where('reference', '=', reference).execute();
  return [...new Set(rows.flatMap(({ orderId }) => orderId ?? []))];
}

/** Absent keys keep their value. Applies to every currency, so that an exchange is signalled once. */
export async function noteOrder(db: Database, reference: string, note: OpenOrderNote): Promise<void> {
  if (Object.values(note).every((value) => value === undefined)) return;
  await write(db, LOCKS.itsRows, (into) =>
    into.updateTable('openOrders').set(note).where('reference', '=', reference).execute(),
  );
}

export async function touchWatch(db: Database, { uid, currency }: WatchKey, at: number): Promise<void> {
  await write(db, LOCKS.watch, (into) =>
    into
      .insertInto('watches')
      .values({ uid, currency, sweptAt: at })
      .onConflict((conflict) => conflict.columns(['uid', 'currency']).doUpdateSet({ sweptAt: at }))
      .execute(),
  );
}

/** True if the open set was empty and the watch is now marked as gone, in one transaction; false: keep watching. */
export function endWatch(db: Database, { uid, currency }: WatchKey): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    // Changes nothing; an update is the one way to lock the row that works on both databases. The next statement then sees every
    // order registered under an earlier lock.
    await transaction
      .updateTable('watches')
      .set((row) => ({ sweptAt: row.ref('sweptAt') }))
      .where('uid', '=', uid)
      .where('currency', '=', currency)
      .execute();
    const open = await transaction
      .selectFrom('openOrders')
      .select('reference')
      .where('uid', '=', uid)
      .where('currency', '=', currency)
      .limit(1)
      .executeTakeFirst();
    if (open !== undefined) return false;
    await transaction.deleteFrom('watches').where('uid', '=', uid).where('currency', '=', currency).execute();
    return true;
  });
}

/** Keys with open orders and no watch swept since `watchAliveSince`. */
export async function neglectedWatches(
  db: Database,
  { at, watchAliveSince }: Pick<OpenOrderRequest, 'at' | 'watchAliveSince'>,
): Promise<WatchKey[]> {
  return db
    .selectFrom('openOrders')
    .leftJoin('watches', (join) =>
      join.onRef('watches.uid', '=', 'openOrders.uid').onRef('watches.currency', '=', 'openOrders.currency'),
    )
    .select(['openOrders.uid', 'openOrders.currency'])
    .distinct()
    .where(({ eb, not, between, or }) =>
      or([eb('watches.sweptAt', 'is', null), not(between('watches.sweptAt', ...recent(watchAliveSince, at)))]),
    )
    .orderBy('openOrders.uid')
    .orderBy('openOrders.currency')
    .execute();
}
