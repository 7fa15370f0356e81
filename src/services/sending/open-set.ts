import type { Bank } from '../../api/bank.ts';
import type { LegKind } from '../../domain/names.ts';
import { listsOf, type SentOrder } from '../../domain/sent-order.ts';
import type { PayoutRecord, Store, WatchKey } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';

export interface OpenSet {
  store: Pick<Store, 'openOrder'>;
  now: () => number;
  /** Wakes the watch of a key; called only where none is alive. */
  wakeWatch(key: WatchKey): Promise<void>;
  watchLeaseMs: number;
  /** How far back the watch reads lists. */
  sweepWindowMs: number;
}

/** A watch that has not swept for this long counts as dead. */
export const watchLeaseMs = ({ settings }: Pick<ActivityDeps, 'settings'>): number =>
  Math.max(30_000, settings.sweepMaxMs * 3);

/** The open set of orders that watches must follow. */
export const openSet = (deps: ActivityDeps): OpenSet => ({
  store: deps.store,
  now: deps.now,
  wakeWatch: deps.executions.wakeWatch,
  watchLeaseMs: watchLeaseMs(deps),
  sweepWindowMs: deps.settings.sweepWindowMs,
});

/**
 * Puts a reference into the open set of its lists and wakes those of their watches that are not alive. Idempotent. `since` (epoch
 * ms): when a list can first show its order.
 */
export async function putIntoOpenSet(
  { store, now, watchLeaseMs, sweepWindowMs, wakeWatch }: OpenSet,
  { workflowId }: Pick<PayoutRecord, 'workflowId'>,
  reference: string,
  { lists, since }: { lists: readonly WatchKey[]; since: number },
): Promise<void> {
  const at = now();
  const [watchAliveSince, listedSince] = [at - watchLeaseMs, at - sweepWindowMs];
  for (const [uid, some] of Map.groupBy(lists, (list) => list.uid)) {
    const currencies = some.map(({ currency }) => currency);
    const asleep = await store.openOrder({
      reference,
      workflowId,
      uid,
      currencies,
      since,
      at,
      listedSince,
      watchAliveSince,
    });
    await Promise.all(asleep.map(wakeWatch));
  }
}

/**
 * Lists that can show an order of the row. If the store has forgotten an exchange (older copy), the paying account tells what was
 * sold.
 */
export async function listsOfLeg(
  bank: Pick<Bank, 'accounts'>,
  { uid, currency, assessed, instruction }: PayoutRecord,
  leg: LegKind,
  sent: SentOrder | undefined,
): Promise<WatchKey[]> {
  if (sent !== undefined) return listsOf(uid, sent);
  const own = { uid, currency };
  if (leg === 'exchange') {
    const known = assessed?.exchange?.sellCurrency;
    const sold = known ?? (await bank.accounts.get(instruction.account_id)).currency;
    return sold === currency ? [own] : [own, { uid, currency: sold }];
  }
  const toUid = leg === 'transfer' ? assessed?.transfer?.destination.uid : undefined;
  return toUid === undefined || toUid === uid ? [own] : [own, { uid: toUid, currency }];
}
