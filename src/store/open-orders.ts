import type { Database } from './database.ts';
import type { OpenOrder } from './schema.ts';
import { inTransaction } from './transaction.ts';
import { inShortTransaction, LOCKS, write } from './write-groups.ts';

export interface OpenOrderRequest {
  reference: string;
  workflowId: string;
  uid: string;
  /** One for a payment, both legs for an exchange. */
  currencies: readonly string[];
  /** From when on a list can show its order. */
  since: number;
  at: number;
  /** A watch that has not swept since this time counts as gone. */
  watchAliveSince: number;
}

/** What the watch has seen of an open order; absent keys keep their value. */
export interface OpenOrderNote {
  orderId?: string;
  notifiedStatus?: string | null;
  nextLookAt?: number | null;
}

export interface WatchKey {
  uid: string;
  currency: string;
}

/** The orders that are open at the bank, and the watches that look for them. */
export const openOrderRepository = {
  openOrder,
  closeOrder,
  openOrders,
  noteOrder,
  forgetNotice,
  touchWatch,
  endWatch,
  neglectedWatches,
};

/**
 * Registers a reference in the open set (again keeps what is known) and returns the keys whose watch must be
 * signalled: those that have no watch or one that has not swept since `watchAliveSince`.
 *
 * A watch that ends and a payout that registers exclude each other on the watch's row: either the end sees the order,
 * or the payout sees that no watch is left. Both take the row's lock before they look.
 */
function openOrder(db: Database, request: OpenOrderRequest): Promise<WatchKey[]> {
  const { uid } = request;
  return inShortTransaction(db, LOCKS.watch, async (transaction) => {
    const asleep: WatchKey[] = [];
    // Sorted: two exchanges between the same currencies lock the two watches in the same order.
    for (const currency of [...new Set(request.currencies)].sort()) {
      await insert(transaction, request, currency);
      if (await wake(transaction, { uid, currency }, request)) asleep.push({ uid, currency });
    }
    return asleep;
  });
}

async function insert(db: Database, request: OpenOrderRequest, currency: string): Promise<void> {
  const { reference, uid, workflowId, since } = request;
  await db
    .insertInto('openOrders')
    .values({ reference, uid, currency, workflowId, openedAt: since })
    .onConflict((conflict) => conflict.columns(['reference', 'uid', 'currency']).doNothing())
    .execute();
}

/**
 * True when the watch must be signalled. It counts as alive from now on, so that many payouts at once cause one signal;
 * should the signaller die, `neglectedWatches` shows the key once the lease is over. An upsert locks the row either way. A sweep as far
 * ahead of now was told by a clock that was wrong: nobody waits until it is right.
 */
async function wake(db: Database, key: WatchKey, { at, watchAliveSince }: OpenOrderRequest): Promise<boolean> {
  const woken = await db
    .insertInto('watches')
    .values({ ...key, sweptAt: at })
    .onConflict((conflict) =>
      conflict
        .columns(['uid', 'currency'])
        .doUpdateSet({ sweptAt: at })
        .where(({ not, between }) => not(between('watches.sweptAt', watchAliveSince, 2 * at - watchAliveSince))),
    )
    .returning('uid')
    .executeTakeFirst();
  return woken !== undefined;
}

async function closeOrder(db: Database, reference: string): Promise<void> {
  await write(db, LOCKS.itsRows, (into) => leaveOpenSet(into, [reference]));
}

/** Nobody looks for these orders any more. */
export async function leaveOpenSet(db: Database, references: readonly string[]): Promise<void> {
  await db.deleteFrom('openOrders').where('reference', 'in', references).execute();
}

/** Oldest first; those opened since then (epoch ms). */
async function openOrders(db: Database, { uid, currency }: WatchKey, since = 0): Promise<OpenOrder[]> {
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

/** Absent keys keep their value. Under every currency: an exchange is told of once. */
async function noteOrder(db: Database, reference: string, note: OpenOrderNote): Promise<void> {
  if (Object.values(note).every((value) => value === undefined)) return;
  await write(db, LOCKS.itsRows, (into) =>
    into.updateTable('openOrders').set(note).where('reference', '=', reference).execute(),
  );
}

/** Clears `notifiedStatus` of a reference under every currency: its owner wants to hear again. */
async function forgetNotice(db: Database, reference: string): Promise<void> {
  await db.updateTable('openOrders').set({ notifiedStatus: null }).where('reference', '=', reference).execute();
}

/** The watch shows that it lives. */
async function touchWatch(db: Database, { uid, currency }: WatchKey, at: number): Promise<void> {
  await write(db, LOCKS.watch, (into) =>
    into
      .insertInto('watches')
      .values({ uid, currency, sweptAt: at })
      .onConflict((conflict) => conflict.columns(['uid', 'currency']).doUpdateSet({ sweptAt: at }))
      .execute(),
  );
}

/** True when the open set was empty and the watch is now marked gone, in one transaction; false: keep watching. */
function endWatch(db: Database, { uid, currency }: WatchKey): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    // Changes nothing: it locks the row, in the one way both databases know. The next statement then sees every order
    // whose registration had the lock before.
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

/** Keys with open orders and no watch that has swept since `watchAliveSince`, or that far ahead of `at`, by a clock that was wrong. */
async function neglectedWatches(
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
      or([
        eb('watches.sweptAt', 'is', null),
        not(between('watches.sweptAt', watchAliveSince, 2 * at - watchAliveSince)),
      ]),
    )
    .orderBy('openOrders.uid')
    .orderBy('openOrders.currency')
    .execute();
}
