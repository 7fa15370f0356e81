import { z } from 'zod';
import { orderStage } from './order-status.ts';
import {
  identifier,
  optionalAmount,
  optionalDecimal,
  optionalText,
  optionalTimestamp,
  optionalWord,
  pageOf,
  spelled,
  word,
} from './wire.ts';

/**
 * Order record (interface section 2). Which fields an order type fills is not shown, so all but the id are optional;
 * `status`, `type` and `direct` stay text: an unknown value is kept and named, never guessed. `stage` is what the
 * status says.
 */
const record = z.object({
  order_id: identifier,
  client_order_id: optionalText,
  transaction_uid: optionalText,
  created_at: optionalTimestamp,
  updated_at: optionalTimestamp,
  type: optionalWord,
  direct: optionalWord,
  status: word,
  payment_type: optionalText,
  sell_account: optionalText,
  buy_account: optionalText,
  sell_currency: optionalWord,
  sell_amount: optionalAmount,
  buy_currency: optionalWord,
  buy_amount: optionalAmount,
  transaction_account: optionalText,
  transaction_currency: optionalWord,
  transaction_amount: optionalAmount,
  rate: optionalDecimal,
  fee: optionalAmount,
  fee_currency: optionalWord,
});
const orderSpelled = spelled({
  sell_amount: 'sell_currency',
  buy_amount: 'buy_currency',
  transaction_amount: 'transaction_currency',
  fee: 'fee_currency',
});
export const order = record.transform((shown) => ({ ...orderSpelled(shown), stage: orderStage(shown.status) }));
/** An order of any bank; what the bank omits is absent. */
export type Order = Partial<z.infer<typeof order>> & Pick<z.infer<typeof order>, 'order_id' | 'status' | 'stage'>;

/** Tells records of a list apart: a bank may give one id to orders under two references. */
export const orderKey = ({ order_id, client_order_id = '' }: Order): string => `${order_id} ${client_order_id}`;

/**
 * A listed order of which some field is outside the interface, without amounts and times: one unreadable order must not hide the
 * others. A GET by id, which decides, reads the whole record.
 */
const readInPart = record
  .pick({ order_id: true, client_order_id: true, transaction_uid: true, type: true, direct: true, status: true })
  .transform((shown): Order => ({ ...shown, stage: orderStage(shown.status) }));

export const orderPage = pageOf(z.union([order, readInPart]));

/** Query of the order list without paging. `create_at_to` is a string and spelled so (interface section 4). */
export interface OrderQuery {
  uid: string;
  currency: string;
  account_id?: string;
  created_at_from?: number;
  create_at_to?: string;
  amount_from?: string;
  amount_to?: string;
  order_type?: string;
}
