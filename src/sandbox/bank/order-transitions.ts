import { newId } from '../ids.ts';
import { badRequest, Refusal } from '../refusal.ts';
import type { Books } from './books.ts';
import { moneyAfter, moveMoney } from './order-money.ts';
import type { OrderRow } from './order-row.ts';
import { dueAt, dueOrders, insertOrder, requireOrder, saveOrder, stepOf } from './order-store.ts';

/** Makes all due steps, each at its own time. There are no timers: only the clock decides. */
export function takeDueSteps(books: Books): void {
  const now = books.now();
  if (dueOrders(books.db, now).length === 0) return;
  books.db.transaction(() => {
    for (let due = dueOrders(books.db, now); due.length > 0; due = dueOrders(books.db, now)) {
      for (const order of due) takeStep(books, order);
    }
  });
}

function takeStep(books: Books, order: OrderRow): void {
  const step = stepOf(books, order);
  if (step !== undefined && step.to !== 'refund') {
    enterStatus(books, order, step.to, step.at);
    return;
  }
  saveOrder(books.db, { ...order, due_at: null });
  const left = refundable(books, order);
  if (step !== undefined && left > 0n) refundOrder(books, order, left, step.at);
}

/** Moves the order and its money; `due_at` depends on the status. Throws 2010 if there is no longer enough money. */
export function enterStatus(books: Books, order: OrderRow, status: string, at: number): OrderRow {
  const money = moneyAfter(status, order.money);
  moveMoney(books, order, order.money, money, at);
  const moved: OrderRow = { ...order, status, money, updated_at: BigInt(at) };
  const saved = { ...moved, due_at: dueAt(books, moved) };
  saveOrder(books.db, saved);
  return saved;
}

/** Approves an order that awaits approval. Throws 2005, 2008 (not waiting), 2011 (a decision is in progress). */
export function approveOrder(books: Books, orderId: string): void {
  enterStatus(books, requireAwaitingAudit(books, orderId), 'APPROVING', books.now());
}

/** Rejects an order that awaits approval. Throws like `approveOrder`. */
export function rejectOrder(books: Books, orderId: string, remark: string): void {
  enterStatus(books, { ...requireAwaitingAudit(books, orderId), remark }, 'REJECTING', books.now());
}

const DECISION_UNDER_WAY: readonly string[] = ['APPROVING', 'REJECTING', 'CANCELLING'];

function requireAwaitingAudit(books: Books, orderId: string): OrderRow {
  const order = requireOrder(books.db, orderId);
  if (DECISION_UNDER_WAY.includes(order.status)) throw new Refusal(2011);
  if (order.status !== 'WAIT_FOR_AUDIT') throw new Refusal(2008, 'the order does not wait for approval');
  return order;
}

/**
 * Returns `amount` of a completed payment by another order (type REFUND, direct IN, the payment's reference); the fee is not
 * returned. Throws 2002 for anything but a completed payment, or for more than was paid.
 */
export function refundOrder(books: Books, payment: OrderRow, amount: bigint, at: number): string {
  if (payment.type !== 'PAYMENT' || payment.status !== 'COMPLETED')
    throw badRequest('only a completed payment is refunded');
  if (amount > refundable(books, payment)) throw badRequest('a refund is at most what was paid');
  const refund: OrderRow = {
    ...payment,
    order_id: newId('ord'),
    type: 'REFUND',
    direct: 'IN',
    status: 'COMPLETED',
    amount,
    fee: 0n,
    money: 'settled',
    outcome: 'complete',
    refund_of: payment.order_id,
    created_at: BigInt(at),
    updated_at: BigInt(at),
    due_at: null,
  };
  insertOrder(books.db, refund);
  moveMoney(books, refund, 'released', 'settled', at);
  return refund.order_id;
}

/** The amount of a payment that was not refunded yet. */
function refundable({ db }: Books, { order_id, amount }: OrderRow): bigint {
  const sql = 'SELECT SUM(amount) AS refunded FROM orders WHERE refund_of = :order_id';
  return amount - (db.one<{ refunded: bigint | null }>(sql, { order_id })?.refunded ?? 0n);
}
