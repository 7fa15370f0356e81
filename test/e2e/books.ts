import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** An order as the sandbox bank keeps it; amounts in minor units. */
export interface BookedOrder {
  order_id: string;
  uid: string;
  reference: string;
  type: string;
  status: string;
  currency: string;
  amount: number;
}

/** Every order in the books of a home's sandbox, read from its file; none where there are no books yet. */
export function bookedOrders(home: string): BookedOrder[] {
  const file = join(home, 'sandbox.sqlite');
  if (!existsSync(file)) return [];
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'orders'").get() === undefined) return [];
    const rows = db.prepare('SELECT order_id, uid, reference, type, status, currency, amount FROM orders ORDER BY seq');
    return rows.all() as unknown as BookedOrder[];
  } finally {
    db.close();
  }
}

/** What the bank's own journal makes of each user's account, available and frozen, in minor units. */
export function ledgerIn(home: string): Map<string, bigint> {
  const db = new DatabaseSync(join(home, 'sandbox.sqlite'), { readOnly: true, timeout: 5_000 });
  try {
    const rows = db.prepare(
      `SELECT account_id, sum(amount) AS sum FROM postings JOIN accounts USING (account_id) WHERE kind = 'customer' AND uid <> 'master' GROUP BY account_id`,
    );
    return new Map(rows.all().map(({ account_id: id, sum }) => [`${id}`, BigInt(`${sum}`)]));
  } finally {
    db.close();
  }
}

export const paymentsIn = (home: string): BookedOrder[] =>
  bookedOrders(home).filter(({ type }) => type.toLowerCase() === 'payment');
