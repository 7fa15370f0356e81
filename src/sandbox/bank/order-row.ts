import type { Order } from '../../bank/schemas/orders.ts';
import { formatMinor } from '../../domain/money.ts';
import type { Profile } from './profile.ts';
import type { Outcome } from './sentinels.ts';

/** Where an order's money is: held on the paying account, moved for good, or returned (never taken). */
export type MoneyState = 'held' | 'settled' | 'released';

export type OrderType = 'PAYMENT' | 'TRANSFER' | 'FX' | 'REFUND';

/**
 * An order as stored. Amounts are in minor units; `account_id`, `currency` and `amount` are those of the paying leg, which
 * belongs to `uid`.
 */
export interface OrderRow {
  order_id: string;
  uid: string;
  reference: string;
  type: OrderType;
  direct: 'IN' | 'OUT';
  status: string;
  payment_type: string;
  account_id: string;
  currency: string;
  amount: bigint;
  /** In `currency`. */
  fee: bigint;
  beneficiary_id: string | null;
  /** Destination of a transfer; buying account of an exchange. */
  counter_account: string | null;
  buy_currency: string | null;
  buy_amount: bigint | null;
  /** 10 decimals (interface section 2). */
  rate: string | null;
  note: string | null;
  reason: string | null;
  /** The remark of the reviewer who rejected it. */
  remark: string | null;
  expired_at: bigint | null;
  needs_audit: bigint;
  outcome: Outcome;
  money: MoneyState;
  /** Order id of the payment that this refund belongs to. */
  refund_of: string | null;
  created_at: bigint;
  updated_at: bigint;
  /** Time of the next step by the clock; null if there is none. */
  due_at: bigint | null;
}

/** An order record as sent: fields that its type does not have are omitted. */
export type OrderRecord = Partial<Order> & Pick<Order, 'order_id' | 'status'>;

const CUT_TO = 20;
const REFERENCES = {
  'as-sent': (reference) => reference,
  'upper-case': (reference) => reference.toUpperCase(),
  cut: (reference) => reference.slice(0, CUT_TO),
} as const satisfies Record<Profile['references'], (reference: string) => string>;

/** Order record of the interface (section 2); the test-only routes show references as sent. */
export function toOrder(row: OrderRow, references: Profile['references'] = 'as-sent'): OrderRecord {
  const record: OrderRecord = {
    order_id: row.order_id,
    client_order_id: REFERENCES[references](row.reference),
    transaction_uid: row.uid,
    created_at: Number(row.created_at),
    updated_at: Number(row.updated_at),
    type: row.type,
    direct: row.direct,
    status: row.status,
    payment_type: row.payment_type,
    transaction_account: row.account_id,
    transaction_currency: row.currency,
    transaction_amount: formatMinor(row.amount, row.currency),
    fee: formatMinor(row.fee, row.currency),
    fee_currency: row.currency,
  };
  return row.type === 'FX' ? { ...record, ...exchangeLegs(row) } : record;
}

function exchangeLegs(row: OrderRow): Partial<Order> {
  const buyCurrency = row.buy_currency ?? '';
  return {
    sell_account: row.account_id,
    sell_currency: row.currency,
    sell_amount: formatMinor(row.amount, row.currency),
    buy_account: row.counter_account ?? '',
    buy_currency: buyCurrency,
    buy_amount: formatMinor(row.buy_amount ?? 0n, buyCurrency),
    rate: row.rate ?? '',
  };
}
