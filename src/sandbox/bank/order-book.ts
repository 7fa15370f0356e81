import type { OrderStatus } from '../../bank/schemas/order-status.ts';
import { badRequest, newId, Refusal } from '../requests.ts';
import type { Database } from '../sandbox-database.ts';
import type { Books } from './books.ts';
import { internalAccount, type Posting, post } from './ledger.ts';
import type { MoneyState, OrderRow } from './order-machine.ts';
import { nextStep, type Step } from './order-machine.ts';

/** Where the money is in each status. That CLOSED returns it is our choice. */
const MONEY_OF_STATUS: Readonly<Record<OrderStatus, MoneyState>> = {
  ACCEPTED: 'held',
  WAIT_FOR_AUDIT: 'held',
  APPROVING: 'held',
  APPROVED: 'held',
  SUBMITTING: 'held',
  SUBMITTED: 'held',
  REJECTING: 'held',
  CANCELLING: 'held',
  COMPLETED: 'settled',
  FAILED: 'released',
  CLOSED: 'released',
  REJECTED: 'released',
  CANCELLED: 'released',
};

/** A status that the interface does not list does not move the money. */
function moneyAfter(status: string, before: MoneyState): MoneyState {
  return Object.hasOwn(MONEY_OF_STATUS, status) ? MONEY_OF_STATUS[status as OrderStatus] : before;
}

/**
 * Moves the money of an order from one state to another in one journal entry: the difference between the positions of both.
 * Throws 2010 if an account cannot cover it.
 */
export function moveMoney(books: Books, order: OrderRow, from: MoneyState, to: MoneyState, at: number): void {
  const undone = position(books, order, from, at).map((posting) => ({ ...posting, amount: -posting.amount }));
  const postings = [...undone, ...position(books, order, to, at)];
  post(books.db, { at, kind: 'order', orderId: order.order_id, postings });
}

/** The postings for a state, relative to the books without the order. */
function position({ db }: Books, order: OrderRow, state: MoneyState, at: number): Posting[] {
  if (state === 'released') return [];
  const sign = order.direct === 'OUT' ? -1n : 1n;
  const total = order.amount + order.fee;
  const own: Posting = { accountId: order.account_id, part: 'available', amount: sign * total };
  if (state === 'held') {
    // Incoming money belongs to nobody until it has arrived.
    return order.direct === 'IN' ? [] : [own, { accountId: order.account_id, part: 'frozen', amount: total }];
  }
  const fees = internalAccount(db, 'fees', order.currency, at);
  return [own, ...counterSides(db, order, at), { accountId: fees, part: 'available', amount: order.fee }];
}

function counterSides(db: Books['db'], order: OrderRow, at: number): Posting[] {
  const part = 'available';
  const { type, amount, currency } = order;
  if (type === 'PAYMENT') return [{ accountId: internalAccount(db, 'world', currency, at), part, amount }];
  if (type === 'REFUND') return [{ accountId: internalAccount(db, 'world', currency, at), part, amount: -amount }];
  const counterAccount = order.counter_account ?? '';
  if (type === 'TRANSFER') return [{ accountId: counterAccount, part, amount }];
  const bought = order.buy_amount ?? 0n;
  return [
    { accountId: internalAccount(db, 'exchange', currency, at), part, amount },
    { accountId: internalAccount(db, 'exchange', order.buy_currency ?? '', at), part, amount: -bought },
    { accountId: counterAccount, part, amount: bought },
  ];
}

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
function dueOrders(db: Database, now: number): OrderRow[] {
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

function stepOf({ settings, profile }: Books, order: OrderRow): Step | undefined {
  return nextStep(order, settings.settle, profile.unknownStatus);
}
