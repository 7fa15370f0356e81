import type { Bank } from './bank.ts';
import { type OrderScan, readAllOrders, type ScanOptions } from './list-pages.ts';

/**
 * Reads of the order list that can prove absence although the list never stands still (money-safety section 3 rule 5).
 */

/** Orders created within these bounds, epoch ms. */
interface Slice {
  from: number;
  to?: number;
}

/** Reads of one slice before it is cut. */
const READS_PER_SLICE = 2;
/** Cuts inside cuts: a list of a thousand pages comes down to single pages. */
const CUTS_MAX = 10;
/** Whether a bound is inclusive, and how precise it is, is not shown: neighbours share a second. */
const OVERLAP_MS = 1_000;

/**
 * Every order of (uid, currency) since `from`. A list that moves while it is read is read again, then cut at a moment in
 * its middle: each part is smaller and quieter than the whole. Stable when every part stood still and the bank kept to
 * the bounds it was given.
 */
export function readSettledOrders(
  bank: Bank,
  { uid, currency, from }: { uid: string; currency: string; from: number },
  options: ScanOptions = {},
): Promise<OrderScan> {
  const read = ({ from: created_at_from, to }: Slice): Promise<OrderScan> =>
    readAllOrders(bank, { uid, currency, created_at_from, create_at_to: to?.toString() }, options);
  return settle(read, { from }, CUTS_MAX);
}

async function settle(read: (slice: Slice) => Promise<OrderScan>, slice: Slice, cuts: number): Promise<OrderScan> {
  let scan = await read(slice);
  for (let reads = 1; !scan.stable && reads < READS_PER_SLICE; reads += 1) scan = merged(scan, await read(slice));
  const cut = scan.stable || cuts === 0 ? undefined : middleOf(scan, slice);
  if (cut === undefined) return scan;
  const older = await settle(read, { from: slice.from, to: cut }, cuts - 1);
  if (!older.stable || !keptTo(older, cut, scan)) return { ...merged(scan, older), stable: false };
  const newer = await settle(read, { ...slice, from: cut - OVERLAP_MS }, cuts - 1);
  return { ...merged(merged(scan, older), newer), stable: newer.stable };
}

/** A moment with orders on both sides; undefined when the slice cannot get smaller. */
function middleOf({ orders }: OrderScan, { from, to = Number.POSITIVE_INFINITY }: Slice): number | undefined {
  const times = orders.map((order) => order.created_at);
  if (!times.every((time) => time !== undefined)) return undefined;
  const sorted = times.toSorted((a, b) => a - b);
  const cut = sorted[Math.floor((sorted.length - 1) / 2)];
  const newest = sorted.at(-1);
  if (cut === undefined || newest === undefined || cut >= newest) return undefined;
  return cut - OVERLAP_MS > from && cut < to ? cut : undefined;
}

/** Whether the bank honours an upper bound: nothing newer than the cut, and nothing older left out. */
function keptTo(older: OrderScan, cut: number, whole: OrderScan): boolean {
  const shown = new Set(older.orders.map((order) => order.order_id));
  return (
    older.orders.every((order) => order.created_at !== undefined && order.created_at <= cut + OVERLAP_MS) &&
    whole.orders.every((order) => (order.created_at ?? 0) > cut - OVERLAP_MS || shown.has(order.order_id))
  );
}

function merged(first: OrderScan, second: OrderScan): OrderScan {
  const orders = new Map([...first.orders, ...second.orders].map((order) => [order.order_id, order]));
  return { ...second, orders: [...orders.values()], pagesRead: first.pagesRead + second.pagesRead };
}
