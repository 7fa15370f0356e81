import type { Bank, OrderScan } from '../../api/bank.ts';
import { shared } from '../../api/shared-reads.ts';
import type { WatchKey } from '../../store/store.ts';

/**
 * Looks for lost orders share scans, one of a (uid, currency) at a time: the next one goes back as far as any who share it asked
 * for, and so proves as much as a scan of its own. Many lost answers then cost few bank calls. In memory, only to save calls:
 * every worker scans for itself.
 */
export function sharedScans(
  bank: Bank,
  pageSize: number,
): (request: WatchKey & { from: number }) => Promise<OrderScan> {
  const earliest = new Map<string, number>();
  const scan = shared((key) => {
    const from = earliest.get(key) ?? 0;
    earliest.delete(key);
    return bank.orders.listSettled({ ...JSON.parse(key), from }, { pageSize });
  });
  return ({ uid, currency, from }) => {
    const key = JSON.stringify({ uid, currency });
    earliest.set(key, Math.min(earliest.get(key) ?? from, from));
    return scan(key);
  };
}
