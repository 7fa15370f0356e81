import type { Database } from '../database.ts';
import { Refusal } from '../refusal.ts';
import type { Books } from './books.ts';
import { nextStep, type Step } from './order-machine.ts';
import type { OrderRow } from './order-row.ts';

/** Rows of the table `orders`, without rules about money or statuses. */

export function findOrder(db: Database, orderId: string): OrderRow | undefined {
  return db.one<OrderRow>('SELECT * FROM orders WHERE order_id = :orderId', { orderId });
}

/** Throws 2005. */
export function requireOrder(db: Database, orderId: string): OrderRow {
  const order = findOrder(db, orderId);
  if (order === undefined) throw new Refusal(2005);
  return order;
}

/** An order that can already be read by id (`getLagMs` of the profile). Throws 2005. */
export function requireShownOrder(books: Books, orderId: string): OrderRow {
  const order = requireOrder(books.db, orderId);
  const { getLagMs } = books.profile;
  if (getLagMs > 0 && order.created_at > books.now() - getLagMs) throw new Refusal(2005);
  return order;
}

export function orderOfReference(db: Database, reference: string): OrderRow | undefined {
  const sql = `SELECT * FROM orders WHERE reference = :reference AND type <> 'REFUND' ORDER BY seq LIMIT 1`;
  return db.one<OrderRow>(sql, { reference });
}

/** All orders, the oldest first. */
export function allOrders(db: Database): OrderRow[] {
  return db.all<OrderRow>('SELECT * FROM orders ORDER BY seq');
}

/** Orders whose next step is due, by due time. */
export function dueOrders(db: Database, now: number): OrderRow[] {
  return db.all<OrderRow>('SELECT * FROM orders WHERE due_at <= :now ORDER BY due_at, seq LIMIT 1000', { now });
}

export function insertOrder(db: Database, order: OrderRow): void {
  // A refund is made of a stored order, whose number in the table is not its own.
  db.insert('orders', { ...order, seq: null });
}

export function saveOrder(db: Database, order: OrderRow): void {
  const { order_id, status, money, remark, updated_at, due_at } = order;
  db.update('orders', { order_id }, { status, money, remark, updated_at, due_at });
}

/** Time of the order's next step by the clock, for `due_at`. */
export function dueAt(books: Books, order: OrderRow): bigint | null {
  const step = stepOf(books, order);
  return step === undefined ? null : BigInt(step.at);
}

export function stepOf({ settings, profile }: Books, order: OrderRow): Step | undefined {
  return nextStep(order, settings.settle, profile.unknownStatus);
}
