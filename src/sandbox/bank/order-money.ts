import type { OrderStatus } from '../../bank/schemas/order-status.ts';
import type { Books } from './books.ts';
import { internalAccount, type Posting, post } from './ledger.ts';
import type { MoneyState, OrderRow } from './order-row.ts';

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
export function moneyAfter(status: string, before: MoneyState): MoneyState {
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
  return [own, ...counterLegs(db, order, at), { accountId: fees, part: 'available', amount: order.fee }];
}

function counterLegs(db: Books['db'], order: OrderRow, at: number): Posting[] {
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
