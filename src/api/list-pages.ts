import type { Bank, BeneficiaryQuery } from './bank.ts';
import { BadRequestError } from './errors.ts';
import type { Beneficiary } from './schemas/beneficiaries.ts';
import type { Order, OrderQuery } from './schemas/orders.ts';
import type { Page } from './schemas/wire.ts';

/**
 * Reads a paged list to its end. Sort order, page cap and what happens while records arrive are not shown (interface
 * section 4), so a list proves that something is absent only when its scan is `stable` (money-safety section 3 rule 5).
 */

/** Asked for first: fewer calls. */
const PAGE_SIZE = 100;
/** The only page size the interface documents (section 8). */
const DOCUMENTED_PAGE_SIZE = 20;

export interface ScanOptions {
  pageSize?: number;
  /** After every page; `seen` counts distinct records. */
  onPage?: (progress: { page: number; seen: number; total?: number }) => void;
  signal?: AbortSignal;
}

interface Scan<T> {
  /** Distinct by id, in the order first seen. */
  records: T[];
  /**
   * Nothing moved while reading: distinct ids equal `total`, `total` never changed, no id on two pages, and page 1 read
   * again brings nothing new. Without `total`: the list was read until an empty page.
   */
  stable: boolean;
  pagesRead: number;
  total?: number;
}

export interface OrderScan extends Omit<Scan<Order>, 'records'> {
  orders: Order[];
}

export interface BeneficiaryScan extends Omit<Scan<Beneficiary>, 'records'> {
  beneficiaries: Beneficiary[];
}

/** Every order of (uid, currency) and the filters given. */
export async function readAllOrders(
  bank: Bank,
  query: Omit<OrderQuery, 'page' | 'page_size'>,
  options: ScanOptions = {},
): Promise<OrderScan> {
  const readPage: ReadPage<Order> = (page, page_size) => bank.orders.list({ ...query, page, page_size }, options);
  const { records, ...scan } = await scanList(readPage, (order) => order.order_id, options);
  return { orders: records, ...scan };
}

/** Every beneficiary of a user and the filters given. */
export async function readAllBeneficiaries(
  bank: Bank,
  query: Omit<BeneficiaryQuery, 'page' | 'page_size'>,
  options: ScanOptions = {},
): Promise<BeneficiaryScan> {
  const readPage: ReadPage<Beneficiary> = (page, page_size) =>
    bank.beneficiaries.list({ ...query, page, page_size }, options);
  const { records, ...scan } = await scanList(readPage, (beneficiary) => beneficiary.id, options);
  return { beneficiaries: records, ...scan };
}

type ReadPage<T> = (page: number, pageSize: number) => Promise<Page<T>>;

/**
 * The pages of a list, one after the other, the empty one at the end included. Goes on until as many distinct ids as
 * `total` says, an empty page, or a page without a new id (a bank that repeats its last page). `pages` is not used: a
 * bank may compute it from the size asked and serve fewer.
 */
export async function* pages<T>(
  readPage: ReadPage<T>,
  idOf: (record: T) => string,
  pageSize: number,
): AsyncGenerator<Page<T>> {
  const seen = new Set<string>();
  for (let number = 1; ; number += 1) {
    const page = await readPage(number, pageSize);
    yield page;
    const before = seen.size;
    for (const record of page.records) seen.add(idOf(record));
    if (seen.size === before || (page.total !== undefined && seen.size >= page.total)) return;
  }
}

async function scanList<T>(readPage: ReadPage<T>, idOf: (record: T) => string, options: ScanOptions): Promise<Scan<T>> {
  const pageSize = options.pageSize ?? PAGE_SIZE;
  try {
    const { scan, consistent } = await scanOnce(readPage, idOf, pageSize, options);
    if (consistent || pageSize <= DOCUMENTED_PAGE_SIZE) return scan;
  } catch (error) {
    if (!(error instanceof BadRequestError) || pageSize <= DOCUMENTED_PAGE_SIZE) throw error;
  }
  return (await scanOnce(readPage, idOf, DOCUMENTED_PAGE_SIZE, options)).scan;
}

interface ScanResult<T> {
  scan: Scan<T>;
  /** The list adds up; false may also mean that the bank pages differently at this size. */
  consistent: boolean;
}

async function scanOnce<T>(
  readPage: ReadPage<T>,
  idOf: (record: T) => string,
  pageSize: number,
  { onPage }: ScanOptions,
): Promise<ScanResult<T>> {
  const records = new Map<string, T>();
  const totals = new Set<number | undefined>();
  const lengths: number[] = [];
  for await (const { records: onThisPage, total } of pages(readPage, idOf, pageSize)) {
    totals.add(total);
    lengths.push(onThisPage.length);
    for (const record of onThisPage) {
      if (!records.has(idOf(record))) records.set(idOf(record), record);
    }
    onPage?.({ page: lengths.length, seen: records.size, total });
  }
  const again = await readPage(1, pageSize);
  totals.add(again.total);
  const nothingNew = again.records.every((record) => records.has(idOf(record)));
  const noRepeats = lengths.reduce((sum, length) => sum + length, 0) === records.size;
  const total = [...totals][0];
  const consistent = total === undefined ? noShortPageInside(lengths, pageSize) : records.size === total;
  const stable = consistent && totals.size === 1 && noRepeats && nothingNew;
  return { scan: { records: [...records.values()], stable, pagesRead: lengths.length + 1, total }, consistent };
}

/** Without `total` a short page before the last full of records is the only trace of a capped page size. */
function noShortPageInside(lengths: readonly number[], pageSize: number): boolean {
  const filled = lengths.filter((length) => length > 0);
  return filled.slice(0, -1).every((length) => length >= pageSize);
}
