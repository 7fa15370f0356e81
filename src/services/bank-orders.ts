import type { Bank } from '../api/bank.ts';
import type { ReadOptions } from '../api/call-options.ts';
import { says, undefinedIf } from '../api/errors.ts';
import type { Order } from '../api/schemas/orders.ts';

/** Undefined if the bank does not find the order, which proves nothing about a known one. */
export const readIfThere = (
  { bank }: { bank: Pick<Bank, 'orders'> },
  orderId: string,
  options?: ReadOptions,
): Promise<Order | undefined> => undefinedIf(says('order-not-found'), () => bank.orders.get(orderId, options));
