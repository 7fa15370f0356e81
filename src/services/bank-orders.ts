import type { Bank } from '../api/bank.ts';
import type { ReadOptions } from '../api/call-options.ts';
import { says, undefinedIf } from '../api/errors.ts';
import type { Order } from '../api/schemas/orders.ts';
import type { OrderFacts } from '../domain/order-judgement.ts';

/** Undefined if the bank does not find the order, which proves nothing about a known one. */
export const readIfThere = (
  { bank }: { bank: Pick<Bank, 'orders'> },
  orderId: string,
  options?: ReadOptions,
): Promise<Order | undefined> => undefinedIf(says('order-not-found'), () => bank.orders.get(orderId, options));

/** The order record under our own names; fields that the bank omits stay absent. */
export function orderFacts(order: Order): OrderFacts {
  return {
    orderId: order.order_id,
    clientOrderId: order.client_order_id,
    uid: order.transaction_uid,
    type: order.type,
    direct: order.direct,
    status: order.status,
    stage: order.stage,
    accountId: order.transaction_account,
    currency: order.transaction_currency,
    amount: order.transaction_amount,
    buyAccountId: order.buy_account,
    buyCurrency: order.buy_currency,
    buyAmount: order.buy_amount,
    sellAccountId: order.sell_account,
    sellCurrency: order.sell_currency,
    sellAmount: order.sell_amount,
    rate: order.rate,
    fee: order.fee,
    feeCurrency: order.fee_currency,
  };
}
