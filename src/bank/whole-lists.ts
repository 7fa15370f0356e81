import { LIST_DOUBTS, type ListDoubt } from '../domain/absence.ts';
import type { BeneficiariesOf, BeneficiaryScan, ListOptions, OrderScan, Scan } from './bank.ts';
import type { ReadOptions } from './call-options.ts';
import { conditionOf, isBankError, isJudged, isTooLarge } from './errors.ts';
import type { Beneficiary } from './schemas/beneficiaries.ts';
import { type Order, type OrderQuery, orderKey } from './schemas/orders.ts';
import type { Page } from './schemas/wire.ts';

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

/**
 * Reads a paged list until what was read is provably complete. Sort order, page cap and behaviour while records arrive are not
 * shown (interface section 4), so the position of a record proves nothing: the proof is a count. Records are added to a list and
 * never leave it. So as long as `total` does not fall, every id gathered is still in the list, and as many distinct ids as the
 * last `total` are the whole list, in any order and however often the pages showed them, even while records arrive. Whether
 * `total` can be trusted is also counted: the pages of a round, from the first to the empty one, hold every place of the list
 * once, so together they serve `total` records, new or repeated. A total that differs from that proves nothing, nor does a list
 * whose last pages cannot be read. If the total falls, or there are more ids than it says, this reading proves nothing any more.
 * Without a total, the positions of one round replace it.
 *
 * A page that shows what was not asked for, or is not of now, is in doubt (`as-asked.ts`): the round is read to its end, since an
 * order that it does show is an order, and proves nothing.
 */

/** Tried first: fewer calls. */
const PAGE_SIZE = 100;
/** The only page size the interface documents (section 8). */
const DOCUMENTED_PAGE_SIZE = 20;
/**
 * A list that is reshuffled for every page is complete after about ln(length) rounds: for 10,000 records 16 rounds suffice in 999
 * of 1,000 tries.
 */
const ROUNDS_MAX = 16;
/** Limit of calls per reading, so that even a bank that makes up records comes to an end. */
const CALLS_MAX = 10_000;

interface ScanOptions<T> extends ListOptions {
  /** Most rounds over all pages; a list in a stable order needs one, and part of a second while records arrive. */
  rounds?: number;
  /** What earlier readings know of this same list. */
  count?: Count;
  /** Called with each page; true stops the reading, complete or not. */
  enough?: (page: readonly T[]) => boolean;
}

/** One page of a list of the interface. */
export interface Pages<Query, T> {
  list(query: Query & { page: number; page_size: number }, options: ReadOptions): Promise<Page<T>>;
}

export type OrderPages = Pages<OrderQuery, Order>;

export async function readAllOrders(
  pages: OrderPages,
  query: OrderQuery,
  options: ScanOptions<Order> = {},
): Promise<OrderScan> {
  const { records: orders, ...scan } = await scanList(pages, query, orderKey, options);
  return { orders, ...scan };
}

export async function readAllBeneficiaries(
  pages: Pages<BeneficiariesOf, Beneficiary>,
  query: BeneficiariesOf,
  options: ScanOptions<Beneficiary> = {},
): Promise<BeneficiaryScan> {
  const { records: beneficiaries, ...scan } = await scanList(pages, query, ({ id }) => id, options);
  return { beneficiaries, ...scan };
}

async function scanList<Query, T>(
  pages: Pages<Query, T>,
  query: Query,
  idOf: (record: T) => string,
  options: ScanOptions<T>,
): Promise<Scan & { records: T[] }> {
  const { pageSize = PAGE_SIZE, rounds = ROUNDS_MAX, calls = CALLS_MAX, count = new Count(), enough } = options;
  const records = new Map<string, T>();
  let size = pageSize;
  let pagesRead = 0;
  let before = '';
  let same = 0;
  let doubt: ListDoubt | undefined;
  const result = (isComplete: boolean) => ({
    ...{ records: [...records.values()], stable: isComplete && doubt === undefined, pagesRead },
    ...(doubt !== undefined && { doubt }),
  });
  const read = async (number: number): Promise<Page<T>> => {
    pagesRead += 1;
    try {
      const page = await pages.list({ ...query, page: number, page_size: size }, options);
      // Whether a bank has a smallest page size is not shown (interface section 8).
      const isLarger = (page.page_size ?? 0) > Math.max(size, DOCUMENTED_PAGE_SIZE);
      doubt ??= page.doubt ?? (isLarger ? LIST_DOUBTS.size : undefined);
      return page;
    } catch (error) {
      if (conditionOf(error) !== 'bad-request' || number > 1 || size <= DOCUMENTED_PAGE_SIZE) throw error;
      size = DOCUMENTED_PAGE_SIZE;
      return read(number);
    }
  };

  for (let round = 1; round <= rounds; round += 1) {
    const places: string[] = [];
    const lengths: number[] = [];
    try {
      for await (const page of pagesOf(read, idOf)) {
        doubt ??= page.doubt;
        for (const record of page.records) if (!records.has(idOf(record))) records.set(idOf(record), record);
        const ids = page.records.map(idOf);
        places.push(...ids);
        lengths.push(ids.length);
        if (count.add(ids, page.total)) return result(true);
        if (enough?.(page.records) === true || pagesRead >= calls) return result(false);
      }
    } catch (error) {
      if (!isTooLarge(error) || size === 1 || pagesRead >= calls) throw error;
      size = size > DOCUMENTED_PAGE_SIZE ? DOCUMENTED_PAGE_SIZE : 1;
      round -= 1;
      continue;
    }
    // Without a total, a page shorter than requested may be capped, unless it is the last one and shorter than any cap.
    const last = lengths.length - 1;
    const gaps = lengths.some((length, at) => length < size && (at < last || length >= DOCUMENTED_PAGE_SIZE));
    const total = count.total ?? (gaps ? Number.POSITIVE_INFINITY : places.length);
    if (count.endRound(places.length, total)) return result(true);
    // The same places as before, or twice as before where some are repeated: the list is in an order, and reading on shows nothing new.
    same = places.join() === before ? same + 1 : 0;
    const isRepeated = same > (new Set(places).size === places.length ? 0 : 1);
    if (count.broken || doubt !== undefined || isRepeated) break;
    before = places.join();
    if (places.length < total) size = Math.min(size, DOCUMENTED_PAGE_SIZE);
  }
  return result(false);
}

/** What the answers about one list prove together (see the top of this file). */
class Count {
  total: number | undefined;
  /** Something left the list, or the total is wrong: this reading proves nothing any more. */
  broken = false;
  /** Ids shown by this list or by a filtered part of it. */
  readonly ids = new Set<string>();
  /** The last round had as many places as the total. */
  private believed = false;

  /** Adds one page. True once the list is complete. */
  add(ids: readonly string[], total: number | undefined): boolean {
    for (const id of ids) this.ids.add(id);
    this.broken ||= (total ?? 0) < (this.total ?? 0) || this.ids.size > (total ?? Number.POSITIVE_INFINITY);
    this.total = total;
    return !this.broken && this.believed && this.ids.size === total;
  }

  /** Ends a round with this many places. True once the list is complete. */
  endRound(places: number, total: number): boolean {
    this.believed = places === this.total;
    const whole = !this.broken && places === total && this.ids.size === total;
    if (this.total === undefined) this.ids.clear();
    return whole;
  }
}

/** The pages of one round. After the last page a bank may serve an empty page, refuse, or serve another page and say so. */
async function* pagesOf<T>(
  read: (page: number) => Promise<Page<T>>,
  idOf: (record: T) => string,
): AsyncGenerator<Page<T>, void> {
  const ids = new Set<string>();
  let places = 0;
  let total: number | undefined;
  for (let number = 1; ; number += 1) {
    const full = number > 1 && places === (total ?? 0);
    const page = await read(number).catch((error: unknown): Page<T> => {
      if (full && (isJudged(error) || (isBankError(error) && error.httpStatus === 404))) return { records: [] };
      throw error;
    });
    if (number > 1 && (page.records.length === 0 || (full && page.page !== undefined && page.page < number))) return;
    yield page.page === undefined || page.page === number ? page : { ...page, doubt: LIST_DOUBTS.page };
    if (page.records.length === 0 && page.total === 0) return;
    const known = ids.size;
    for (const record of page.records) ids.add(idOf(record));
    places += page.records.length;
    total = page.total;
    // Pages that overlap have more places than records: what has not been shown yet may be on a later one.
    const isEnough = number > 1 && ids.size === known;
    if (total === undefined ? isEnough : places > total && (isEnough || ids.size > total)) return;
  }
}
