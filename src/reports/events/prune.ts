import type { Store } from '../../store/store.ts';

/** Events deleted in one transaction. */
const BATCH = 500;
/** The most transactions at a time: others can write in between, and a year of events is still deleted within hours. */
const BATCHES_MAX = 20;

/** Deletes events older than `keepMs` that every subscription has received. Returns how many positions were processed. */
export async function pruneEvents(store: Store, keepMs: number, now: number): Promise<number> {
  let pruned = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const some = await store.pruneOutbox({ before: now - keepMs, limit: BATCH });
    pruned += some;
    if (some < BATCH) break;
  }
  return pruned;
}
