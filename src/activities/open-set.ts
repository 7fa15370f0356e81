import type { Bank } from '../bank/bank.ts';
import type { LegKind } from '../domain/names.ts';
import { listsOf, type SentOrder } from '../domain/sent-order.ts';
import type { PayoutRecord, WatchKey } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';

/** A watch that has not swept for this long counts as dead. */
export const watchLeaseMs = ({ settings }: ActivityDeps): number => Math.max(30_000, settings.sweepMaxMs * 3);

/**
 * Puts a reference into the open set of its lists and wakes those of their watches that are not alive. Idempotent. `since` (epoch
 * ms): when a list can first show its order.
 */
export async function putIntoOpenSet(
  deps: ActivityDeps,
  { workflowId }: Pick<PayoutRecord, 'workflowId'>,
  reference: string,
  { lists, since }: { lists: readonly WatchKey[]; since: number },
): Promise<void> {
  const { store, executions, settings } = deps;
  const at = deps.now();
  const times = { since, at, listedSince: at - settings.sweepWindowMs, watchAliveSince: at - watchLeaseMs(deps) };
  for (const [uid, some] of Map.groupBy(lists, (list) => list.uid)) {
    const currencies = some.map(({ currency }) => currency);
    const asleep = await store.openOrder({ reference, workflowId, uid, currencies, ...times });
    await Promise.all(asleep.map((key) => executions.wakeWatch(key)));
  }
}

/**
 * Lists that can show an order of the row. If the store has forgotten an exchange (older copy), the paying account tells what was
 * sold.
 */
export async function listsOfLeg(
  bank: Pick<Bank, 'accounts'>,
  { uid, assessed, instruction }: PayoutRecord,
  leg: LegKind,
  sent: SentOrder | undefined,
): Promise<WatchKey[]> {
  if (sent !== undefined) return listsOf(uid, sent);
  const { currency } = instruction;
  const own = { uid, currency };
  if (leg === 'exchange') {
    const known = assessed?.exchange?.sellCurrency;
    const sold = known ?? (await bank.accounts.get(instruction.account_id)).currency;
    return sold === currency ? [own] : [own, { uid, currency: sold }];
  }
  const toUid = leg === 'transfer' ? assessed?.transfer?.destination.uid : undefined;
  return toUid === undefined || toUid === uid ? [own] : [own, { uid: toUid, currency }];
}
