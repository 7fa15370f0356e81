import type { z } from 'zod';
import type { Page } from '../../bank/schemas/wire.ts';
import { currencyExponent, parseDecimal } from '../../domain/money.ts';
import { badRequest, type orderListQuery } from '../requests.ts';
import type { Database, Parameters } from '../sandbox-database.ts';
import type { Books } from './books.ts';
import { type OrderRecord, type OrderRow, toOrder } from './order-machine.ts';

const PAGE_SIZE_DEFAULT = 20;

/** `request`: query parameters, unparsed (interface section 8); `cap`: the largest page size (`pageCap` of the profile). */
export function pageOf<T>(
  total: number,
  request: { page?: string | undefined; page_size?: string | undefined },
  cap: number,
  read: (limit: number, offset: number) => T[],
): Required<Omit<Page<T>, 'doubt'>> {
  const page = positive(request.page) ?? 1;
  const page_size = Math.min(positive(request.page_size) ?? PAGE_SIZE_DEFAULT, cap);
  const records = read(page_size, (page - 1) * page_size);
  return { total, page, pages: Math.ceil(total / page_size), page_size, records };
}

function positive(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw badRequest('page and page_size are integers from 1');
  return Number(text);
}

/**
 * Reading a whole list should read each order once, not again for every later page: the count and the end of a page are kept for
 * the next one. That is valid because orders are only added, with a `seq` above all others, and nothing that lists filter by ever
 * changes.
 */

/** Filter and order of a list: conditions after `FROM orders WHERE`, with their values. */
interface ListQuery {
  conditions: readonly string[];
  values: Parameters;
  /** Undefined: the order differs from page to page. */
  direction: 'newest' | 'oldest' | undefined;
}

type Listed = OrderRow & { seq: bigint };

interface Progress {
  /** `total` includes orders up to this `seq`. */
  counted: bigint;
  total: bigint;
  /** Where a page ended; only while no order has been added since. */
  end?: { offset: number; last: Listed } | undefined;
}

/** The most lists whose progress is kept. */
const KEPT = 32;

const lists = new WeakMap<Database, Map<string, Progress>>();

/** The progress of a list, with the orders added since in its total. */
function progressOf(db: Database, { conditions, values, direction }: ListQuery): Progress {
  const known = lists.get(db) ?? new Map<string, Progress>();
  lists.set(db, known);
  const key = JSON.stringify([direction, conditions, values], (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  const before = known.get(key);
  const newest = db.one<{ seq: bigint }>('SELECT COALESCE(MAX(seq), 0) AS seq FROM orders')?.seq ?? 0n;
  if (before !== undefined && before.counted === newest) return before;
  // A scan by `seq`, for which the index on users' orders must not be used.
  const from = before === undefined ? 'orders' : 'orders NOT INDEXED';
  const sql = `SELECT COUNT(*) AS added FROM ${from} WHERE ${[...conditions, 'seq > :counted'].join(' AND ')}`;
  const { counted = 0n, total = 0n } = before ?? {};
  const added = db.one<{ added: bigint }>(sql, { ...values, counted })?.added ?? 0n;
  const progress = { counted: newest, total: total + added };
  known.delete(key);
  known.set(key, progress);
  const [oldest] = known.keys();
  if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  return progress;
}

/** One page; the one after the last page read is found without counting the orders before it. */
function pageRows(
  db: Database,
  progress: Progress,
  { conditions, values, direction }: ListQuery,
  { limit, offset, order }: { limit: number; offset: number; order: string },
): OrderRow[] {
  const { end } = progress;
  const isNext = direction !== undefined && end?.offset === offset;
  const after = direction === 'newest' ? '(created_at, seq) < (:at, :seq)' : '(created_at, seq) > (:at, :seq)';
  const sql = `SELECT * FROM orders WHERE ${[...conditions, ...(isNext ? [after] : [])].join(' AND ')}
    ORDER BY ${order} LIMIT :limit OFFSET :offset`;
  const begin: Parameters = isNext ? { offset: 0, at: end.last.created_at, seq: end.last.seq } : { offset };
  const rows = db.all<Listed>(sql, { ...values, limit, ...begin });
  const last = rows.at(-1);
  progress.end = last === undefined ? undefined : { offset: offset + rows.length, last };
  return rows;
}

/** Query of the order list (interface section 4): bounds are inclusive; `create_at_to` is the interface's spelling. */
type OrderFilter = z.infer<typeof orderListQuery>;

/** The amount in the list's currency: an exchange is listed under both of its currencies. */
const SIDE_AMOUNT = 'CASE WHEN currency = :currency THEN amount ELSE buy_amount END';

type Condition = readonly [name: string, sql: string, bound: (filter: OrderFilter) => string | bigint | undefined];

const CONDITIONS: readonly Condition[] = [
  [
    'account_id',
    `(account_id = :account_id OR (type = 'FX' AND counter_account = :account_id))`,
    ({ account_id }) => account_id,
  ],
  ['created_at_from', 'created_at >= :created_at_from', (filter) => timeBound(filter.created_at_from)],
  ['create_at_to', 'created_at <= :create_at_to', (filter) => timeBound(filter.create_at_to)],
  ['amount_from', `${SIDE_AMOUNT} >= :amount_from`, (filter) => amountBound(filter.amount_from, filter.currency, 'up')],
  ['amount_to', `${SIDE_AMOUNT} <= :amount_to`, (filter) => amountBound(filter.amount_to, filter.currency, 'down')],
  ['order_type', 'type = :order_type', ({ order_type }) => order_type],
];

/** In the profile's order, without orders that are too new for it. Throws 2002 for an invalid time or amount. */
export function listOrders(books: Books, filter: OrderFilter): Page<OrderRecord> {
  const { uid, currency } = filter;
  const { db, profile } = books;
  const values: Parameters = { uid, currency };
  const where = ['uid = :uid', '(currency = :currency OR buy_currency = :currency)'];
  if (profile.listLagMs > 0) {
    values.shown_until = books.now() - profile.listLagMs;
    where.push('created_at <= :shown_until');
  }
  for (const [name, sql, bound] of CONDITIONS) {
    const value = bound(filter);
    if (value === undefined) continue;
    values[name] = value;
    where.push(sql);
  }
  const { pageOrder } = profile;
  const query = { conditions: where, values, direction: pageOrder === 'shuffled' ? undefined : pageOrder };
  const progress = progressOf(db, query);
  const order = orderClause(books);
  const page = pageOf(Number(progress.total), filter, profile.pageCap, (limit, offset) =>
    pageRows(db, progress, query, { limit, offset, order }).map((row) => toOrder(row, profile.references)),
  );
  return profile.listTotal === 'exact' ? page : { ...page, total: page.total + 1 };
}

/** A prime above every `seq`: multiplication modulo it permutes the rows without losing one. */
const SHUFFLE_PRIME = 2_147_483_647;

function orderClause({ profile, nextShuffle }: Books): string {
  switch (profile.pageOrder) {
    case 'newest':
      return 'created_at DESC, seq DESC';
    case 'oldest':
      return 'created_at, seq';
    case 'shuffled':
      return `seq * ${1 + Math.floor(nextShuffle() * (SHUFFLE_PRIME - 1))} % ${SHUFFLE_PRIME}`;
  }
}

function timeBound(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,16}$/.test(text)) throw badRequest('a time is epoch milliseconds');
  return BigInt(text);
}

/** A bound in minor units; if it has more decimals than the currency, it is rounded towards the inside of the range. */
function amountBound(text: string | undefined, currency: string, rounding: 'up' | 'down'): bigint | undefined {
  if (text === undefined) return undefined;
  const bound = parseDecimal(text);
  if (bound === undefined || text.length > 30) throw badRequest('an amount is a decimal');
  const scaled = bound.digits * 10n ** BigInt(currencyExponent(currency) ?? 2);
  const unit = 10n ** BigInt(bound.scale);
  const floor = scaled / unit;
  return rounding === 'up' && floor * unit < scaled ? floor + 1n : floor;
}
