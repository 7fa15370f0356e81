import type { PayoutRecord, Store, WatchKey } from '../../store/store.ts';

export interface OpenSet {
  store: Pick<Store, 'openOrder'>;
  now: () => number;
  /** Wakes the watch of a key where none is alive. */
  wakeWatch(key: WatchKey): Promise<void>;
  watchLeaseMs: number;
}

/**
 * Puts a reference into the open set of its lists and wakes their watches where none is alive. Again it changes nothing.
 * `since` (epoch ms): from when on a list can show its order.
 */
export async function putIntoOpenSet(
  { store, now, watchLeaseMs, wakeWatch }: OpenSet,
  { workflowId }: Pick<PayoutRecord, 'workflowId'>,
  reference: string,
  { lists, since }: { lists: readonly WatchKey[]; since: number },
): Promise<void> {
  const at = now();
  const watchAliveSince = at - watchLeaseMs;
  for (const [uid, some] of Map.groupBy(lists, (list) => list.uid)) {
    const currencies = some.map(({ currency }) => currency);
    const asleep = await store.openOrder({ reference, workflowId, uid, currencies, since, at, watchAliveSince });
    await Promise.all(asleep.map(wakeWatch));
  }
}
