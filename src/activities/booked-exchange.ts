import type { OrderFacts } from '../domain/order-judgement.ts';
import type { BookedExchange, PayoutRecord } from '../store/store.ts';

/** What was sold and bought, and the fee, for the report. */
export const bookedExchange = ({ reference }: PayoutRecord, order: OrderFacts, seenAt: number): BookedExchange => ({
  reference,
  orderId: order.order_id,
  soldAmount: order.sell_amount ?? null,
  soldCurrency: order.sell_currency ?? null,
  boughtAmount: order.buy_amount ?? null,
  boughtCurrency: order.buy_currency ?? null,
  rate: order.rate ?? null,
  fee: order.fee ?? null,
  feeCurrency: order.fee_currency ?? null,
  seenAt,
});
