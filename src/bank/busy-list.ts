import type { ListDoubt } from '../domain/list-doubt.ts';
import type { OrderScan } from './bank.ts';
import { Count, type OrderPages, readAllOrders, type ScanOptions } from './list-pages.ts';
import { type Order, type OrderQuery, orderKey } from './schemas/orders.ts';

/** Enough rounds for a list in a stable order, however busy. */
const ROUNDS_FIRST = 2;
const PARTS_MAX = 6;
/** Whether a bound is inclusive, and its precision, are not shown, so neighbouring parts overlap by a second. */
const OVERLAP_MS = 1_000;

/**
 * Reads every order of (uid, currency) since `from`, as a proof (`list-pages.ts`). In a list that is both shuffled and busy, new
 * orders arrive faster than the last old one turns up. Orders are then gathered in parts: those up to the newest one seen, where
 * nothing arrives any more, then the newer ones, fewer each time. The bounds only help to find orders; the proof is still that as
 * many orders were seen as the whole list claims to have.
 */
export async function readBusyList(
  pages: OrderPages,
  { from, ...filters }: Omit<OrderQuery, 'created_at_from' | 'create_at_to'> & { from: number },
  options: ScanOptions<Order> = {},
): Promise<OrderScan> {
  const whole = new Count();
  const seen = new Map<string, Order>();
  let pagesRead = 0;
  let doubt: ListDoubt | undefined;
  const read = async (created_at_from: number, limits: ScanOptions<Order> = {}, to?: number): Promise<boolean> => {
    const query = { ...filters, created_at_from, ...(to === undefined ? {} : { create_at_to: `${to}` }) };
    const scan = await readAllOrders(pages, query, { ...options, ...limits });
    pagesRead += scan.pagesRead;
    doubt ??= scan.doubt;
    for (const order of scan.orders) {
      seen.set(orderKey(order), order);
      whole.ids.add(orderKey(order));
    }
    return scan.stable;
  };
  const result = (isComplete: boolean): OrderScan => ({
    ...{ orders: [...seen.values()], stable: isComplete && doubt === undefined, pagesRead },
    ...(doubt !== undefined && { doubt }),
  });

  if (await read(from, { rounds: ROUNDS_FIRST, count: whole })) return result(true);
  for (let part = 1, start = from; part <= PARTS_MAX && !whole.broken && doubt === undefined; part += 1) {
    const newest = seen
      .values()
      .reduce((last, order) => Math.max(last, order.created_at ?? Number.NaN), Number.NEGATIVE_INFINITY);
    if (!Number.isFinite(newest)) break;
    if (newest - OVERLAP_MS > start) {
      await read(start, {}, newest);
      start = newest - OVERLAP_MS;
    }
    await read(start, { rounds: ROUNDS_FIRST });
    if (await read(from, { calls: 1, count: whole })) return result(true);
  }
  return result(doubt === undefined && (await read(from, { count: whole })));
}
