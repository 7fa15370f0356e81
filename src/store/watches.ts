import { insertOpenOrder } from './open-orders.ts';
import type { Database } from './schema.ts';
import type { OpenOrderRequest, WatchKey } from './store.ts';
import { inTransaction } from './transaction.ts';

/**
 * A watch that ends and a payout that registers exclude each other on the watch's row: either the end sees the order,
 * or the payout sees that no watch is left. Both take the row's lock before they look.
 */
export function openOrder(db: Database, request: OpenOrderRequest): Promise<WatchKey[]> {
  const { uid } = request;
  return inTransaction(db, async (transaction) => {
    const asleep: WatchKey[] = [];
    // Sorted: two exchanges between the same currencies lock the two watches in the same order.
    for (const currency of [...new Set(request.currencies)].sort()) {
      await insertOpenOrder(transaction, request, currency);
      if (await wake(transaction, { uid, currency }, request)) asleep.push({ uid, currency });
    }
    return asleep;
  });
}

/**
 * True when the watch must be signalled. It counts as alive from now on, so that many payouts at once cause one signal;
 * should the signaller die, `neglectedWatches` shows the key once the lease is over. An upsert locks the row either way.
 */
async function wake(db: Database, key: WatchKey, { at, watchAliveSince }: OpenOrderRequest): Promise<boolean> {
  const woken = await db
    .insertInto('watches')
    .values({ ...key, swept_at: at })
    .onConflict((conflict) =>
      conflict
        .columns(['uid', 'currency'])
        .doUpdateSet({ swept_at: at })
        .where('watches.swept_at', '<', watchAliveSince),
    )
    .returning('uid')
    .executeTakeFirst();
  return woken !== undefined;
}

export async function touchWatch(db: Database, key: WatchKey, at: number): Promise<void> {
  await db
    .insertInto('watches')
    .values({ uid: key.uid, currency: key.currency, swept_at: at })
    .onConflict((conflict) => conflict.columns(['uid', 'currency']).doUpdateSet({ swept_at: at }))
    .execute();
}

export function endWatch(db: Database, { uid, currency }: WatchKey): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    // Changes nothing: it locks the row, in the one way both databases know. The next statement then sees every order
    // whose registration had the lock before.
    await transaction
      .updateTable('watches')
      .set((row) => ({ swept_at: row.ref('swept_at') }))
      .where('uid', '=', uid)
      .where('currency', '=', currency)
      .execute();
    const open = await transaction
      .selectFrom('open_orders')
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

export async function neglectedWatches(db: Database, aliveSince: number): Promise<WatchKey[]> {
  return db
    .selectFrom('open_orders')
    .leftJoin('watches', (join) =>
      join.onRef('watches.uid', '=', 'open_orders.uid').onRef('watches.currency', '=', 'open_orders.currency'),
    )
    .select(['open_orders.uid', 'open_orders.currency'])
    .distinct()
    .where((row) => row.or([row('watches.swept_at', 'is', null), row('watches.swept_at', '<', aliveSince)]))
    .orderBy('open_orders.uid')
    .orderBy('open_orders.currency')
    .execute();
}
