import type { Database, Parameters } from '../database.ts';
import type { OrderRow } from './order-row.ts';

/**
 * Reading a whole list should read each order once, not again for every later page: the count and the end of a page are kept for
 * the next one. That is valid because orders are only added, with a `seq` above all others, and nothing that lists filter by ever
 * changes.
 */

/** Filter and order of a list: conditions after `FROM orders WHERE`, with their values. */
export interface ListQuery {
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
  end?: { offset: number; last: Pick<Listed, 'created_at' | 'seq'> } | undefined;
}

/** The most lists whose progress is kept. */
const KEPT = 32;

const lists = new WeakMap<Database, Map<string, Progress>>();

/** The progress of a list, with the orders added since in its total. */
export function progressOf(db: Database, { conditions, values, direction }: ListQuery): Progress {
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
export function pageRows(
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
