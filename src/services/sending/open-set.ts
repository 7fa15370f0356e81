import type { Bank } from '../../api/bank.ts';
import { type LegKind, listsOf, type SentOrder } from '../../domain/sent-order.ts';
import type { PayoutRecord, Store, WatchKey } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';

export interface OpenSet {
  store: Pick<Store, 'openOrder'>;
  now: () => number;
  /** Wakes the watch of a key where none is alive. */
  wakeWatch(key: WatchKey): Promise<void>;
  watchLeaseMs: number;
}

/** A watch that has not swept for this long counts as gone. */
export const watchLeaseMs = ({ settings }: Pick<ActivityDeps, 'settings'>): number =>
  Math.max(30_000, settings.sweepMaxMs * 3);

/** Where orders are put that their watches have to know of. */
export const openSet = (deps: ActivityDeps): OpenSet => ({
  store: deps.store,
  now: deps.now,
  wakeWatch: deps.executions.wakeWatch,
  watchLeaseMs: watchLeaseMs(deps),
});

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

/**
 * The lists that can show an order of a row. A store that has forgotten an exchange (an older copy) does not know what was sold;
 * the account that pays does.
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
