import type { Database, Parameters } from '../database.ts';
import type { OrderRow } from './order-row.ts';

/**
 * Reading a list whole costs each order once, and not once for every page behind it: what a page has counted and where it ended
 * is kept for the next one. Orders are only ever added, with a `seq` above all others, and nothing that a list asks of an order
 * changes.
 */

/** Who asks for a list, in which order: `FROM orders WHERE`, with its values. */
export interface ListQuery {
  conditions: readonly string[];
  values: Parameters;
  /** Undefined: an order that differs from page to page. */
  direction: 'newest' | 'oldest' | undefined;
}

type Listed = OrderRow & { seq: bigint };

interface Progress {
  /** Orders up to this `seq` are in the total. */
  counted: bigint;
  total: bigint;
  /** Where a page ended, while no order has been added since. */
  end?: { offset: number; last: Pick<Listed, 'created_at' | 'seq'> } | undefined;
}

/** Lists that are read at one time. */
const KEPT = 32;

const lists = new WeakMap<Database, Map<string, Progress>>();

/** The list as far as it is known, with what was added since in its total. */
export function progressOf(db: Database, { conditions, values, direction }: ListQuery): Progress {
  const known = lists.get(db) ?? new Map<string, Progress>();
  lists.set(db, known);
  const key = JSON.stringify([direction, conditions, values], (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  const before = known.get(key);
  const newest = db.one<{ seq: bigint }>('SELECT COALESCE(MAX(seq), 0) AS seq FROM orders')?.seq ?? 0n;
  if (before !== undefined && before.counted === newest) return before;
  // By `seq` alone, which the index of a user's orders would pass over.
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

/** One page; behind the one that was read last it is found without counting those before it. */
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
