import type { PlacedOrder } from '../../bank/schemas/transactions.ts';
import { newId } from '../ids.ts';
import { Refusal } from '../refusal.ts';
import type { Books } from './books.ts';
import { moveMoney } from './order-money.ts';
import type { OrderRow, OrderType } from './order-row.ts';
import { dueAt, insertOrder, orderOfReference } from './order-store.ts';
import { sentinelOf } from './sentinels.ts';

/** Fields of every order POST, whatever its type. */
export interface OrderRequest {
  reference: string;
  note: string | null;
  reason: string | null;
  expired_at: number | null;
}

/** What each order type adds. Amounts are in minor units. */
type OrderDraft = Pick<OrderRow, 'uid' | 'payment_type' | 'account_id' | 'currency' | 'amount' | 'fee'> &
  Partial<Pick<OrderRow, 'beneficiary_id' | 'counter_account' | 'buy_currency' | 'buy_amount' | 'rate'>> & {
    type: Exclude<OrderType, 'REFUND'>;
  };

/**
 * Accepts an order and holds its amount and fee. The reference is checked first, so that a repeat never gets a refusal caused by
 * the first order. Throws 2003 (profile `dedupe`), whatever `draft` throws, a sentinel's code, 2010.
 */
export function placeOrder(books: Books, request: OrderRequest, draft: () => OrderDraft): PlacedOrder {
  const earlier = books.profile.dedupe === 'none' ? undefined : orderOfReference(books.db, request.reference);
  if (earlier !== undefined) {
    if (books.profile.dedupe === '2003') throw new Refusal(2003);
    return { order_id: earlier.order_id };
  }
  const order = accept(books, request, draft());
  insertOrder(books.db, order);
  moveMoney(books, order, 'released', 'held', books.now());
  return { order_id: order.order_id };
}

function accept(books: Books, request: OrderRequest, draft: OrderDraft): OrderRow {
  const { outcome, audit } = sentinelOf(request.note, draft.type);
  const at = BigInt(books.now());
  const order: OrderRow = {
    beneficiary_id: null,
    counter_account: null,
    buy_currency: null,
    buy_amount: null,
    rate: null,
    ...draft,
    order_id: newId('ord'),
    reference: request.reference,
    direct: 'OUT',
    status: 'ACCEPTED',
    note: request.note,
    reason: request.reason,
    remark: null,
    expired_at: request.expired_at === null ? null : BigInt(request.expired_at),
    needs_audit: audit || draft.amount >= books.settings.auditThreshold(draft.currency) ? 1n : 0n,
    outcome,
    money: 'held',
    refund_of: null,
    created_at: at,
    updated_at: at,
    due_at: null,
  };
  return { ...order, due_at: dueAt(books, order) };
}
