import type { Bank } from './bank.ts';
import type { ReadOptions } from './call-options.ts';
import { says, undefinedIf } from './errors.ts';
import type { Order } from './schemas/orders.ts';

/** Undefined if the bank does not find the order, which proves nothing about a known one. */
export const readIfThere = (
  { bank }: { bank: Bank },
  orderId: string,
  options?: ReadOptions,
): Promise<Order | undefined> => undefinedIf(says('order-not-found'), () => bank.orders.get(orderId, options));
