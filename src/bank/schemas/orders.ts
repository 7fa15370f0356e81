import { z } from 'zod';
import type { OrderStage } from '../../domain/order-status.ts';
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
  UNREADABLE,
  word,
} from './wire.ts';

/**
 * Order record (interface section 2). Which fields an order type fills is not shown, so all but the id may be absent; `status`,
 * `type` and `direct` stay text: an unknown value is kept and named, never guessed. A member that nothing is decided by counts as
 * absent if it cannot be read.
 */
const record = z.object({
  order_id: identifier,
  client_order_id: optionalText,
  transaction_uid: optionalText,
  created_at: optionalTimestamp.catch(undefined),
  updated_at: optionalTimestamp.catch(undefined),
  type: optionalWord,
  direct: optionalWord,
  status: word.optional(),
  payment_type: optionalText.catch(undefined),
  sell_account: optionalText,
  buy_account: optionalText,
  sell_currency: optionalWord,
  sell_amount: optionalAmount,
  buy_currency: optionalWord,
  buy_amount: optionalAmount,
  transaction_account: optionalText,
  transaction_currency: optionalWord,
  transaction_amount: optionalAmount,
  rate: optionalDecimal.catch(undefined),
  fee: optionalAmount.catch(undefined),
  fee_currency: optionalWord.catch(undefined),
});
type OrderRecord = z.infer<typeof record>;
const orderSpelled = spelled({
  sell_amount: 'sell_currency',
  buy_amount: 'buy_currency',
  transaction_amount: 'transaction_currency',
  fee: 'fee_currency',
});

/** An order of any bank; what the bank omits is absent. `stage` is what the status says. */
export type Order = Partial<OrderRecord> &
  Pick<OrderRecord, 'order_id'> & {
    status: string;
    stage: OrderStage;
    /** Members that are shown but cannot be read, of those that decide whose order it is and what it moves. */
    unreadable?: readonly string[];
  };

/** Distinguishes records of a list: a bank may give one id to orders under two references. */
export const orderKey = ({ order_id, client_order_id = '' }: Order): string => `${order_id} ${client_order_id}`;

/** In place of a status that is missing or cannot be read. */
const NO_STATUS = 'not readable';

/** One member that cannot be read hides neither the others nor, in a list, the other orders. */
export const order = z.looseObject({ order_id: identifier }).transform((shown): Order => {
  const whole = record.safeParse(shown);
  if (whole.success) return complete(whole.data);
  const unreadable = new Set(whole.error.issues.map(({ path }) => String(path[0])));
  const rest = Object.entries(shown).filter(([name]) => !unreadable.has(name));
  return { ...complete(record.parse(Object.fromEntries(rest))), unreadable: [...unreadable].sort() };
});

const complete = ({ status = NO_STATUS, ...shown }: OrderRecord): Order => ({
  ...orderSpelled(shown),
  status,
  stage: orderStage(status),
});

export const orderPage = pageOf(z.union([order, z.unknown().transform((): typeof UNREADABLE => UNREADABLE)]));

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
