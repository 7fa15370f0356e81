import type { Store } from '../store/store.ts';

/** Events deleted in one transaction. */
const BATCH = 500;
/** Transactions in a row, so that others write in between and a store that has grown for a year shrinks within hours. */
const BATCHES_MAX = 20;

/** Deletes events that every subscription has been told and that are older than `keepMs`. How many positions it went over. */
export async function pruneEvents(store: Pick<Store, 'pruneOutbox'>, keepMs: number, now: number): Promise<number> {
  let pruned = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const some = await store.pruneOutbox({ before: now - keepMs, limit: BATCH });
    pruned += some;
    if (some < BATCH) break;
  }
  return pruned;
}
