import type { Bank, OrderScan } from '../../api/bank.ts';

export interface ScanRequest {
  uid: string;
  currency: string;
  /** Epoch ms: orders created since then. */
  from: number;
}

/** Scans of one (uid, currency): the last one begun, and the next one if somebody waits for it. */
interface Queue {
  last: Promise<unknown>;
  next: { from: number; scan: Promise<OrderScan> } | undefined;
}

/**
 * Looks for lost orders share scans: all that ask while one is under way wait for the next one, which begins after each of them
 * asked and so proves as much as a scan of its own. Many lost answers then cost few bank calls. In memory, only to save calls:
 * every worker scans for itself.
 */
export function sharedScans(bank: Bank, pageSize: number): (request: ScanRequest) => Promise<OrderScan> {
  const queues = new Map<string, Queue>();

  return ({ uid, currency, from }) => {
    const key = `${uid} ${currency}`;
    const queue = queues.get(key) ?? { last: Promise.resolve(), next: undefined };
    queues.set(key, queue);
    if (queue.next !== undefined) {
      queue.next.from = Math.min(queue.next.from, from);
      return queue.next.scan;
    }
    const scan = queue.last.then(() => {
      const since = queue.next?.from ?? from;
      queue.next = undefined;
      return bank.orders.listSettled({ uid, currency, from: since }, { pageSize });
    });
    queue.next = { from, scan };
    queue.last = scan
      .catch(() => undefined)
      .then(() => {
        if (queue.next === undefined) queues.delete(key);
      });
    return scan;
  };
}
