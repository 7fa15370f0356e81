import { dataOf } from '../answers.ts';
import type { Bank } from '../bank.ts';
import type { SendOptions } from '../call-options.ts';
import type { Calls } from '../calls.ts';
import { fxQuote, orderFee, placedOrder } from '../schemas/transactions.ts';

const TRANSACTIONS = '/v1/banking/transactions';

/** Payments, transfers and exchange (interface section 4). An answer without an order id is ambiguous. */
export function transactionsResource({ read, send }: Calls): Bank['transactions'] {
  const place = (kind: string) => (body: object, options?: SendOptions) =>
    send({ method: 'POST', path: `${TRANSACTIONS}/${kind}`, body }, dataOf(placedOrder), options);
  return {
    paymentFee: (query, options) => read({ path: `${TRANSACTIONS}/payment/fee`, query }, dataOf(orderFee), options),
    payment: place('payment'),
    transferFee: (query, options) => read({ path: `${TRANSACTIONS}/transfer/fee`, query }, dataOf(orderFee), options),
    transfer: place('transfer'),
    fxQuote: (query, options) => read({ path: `${TRANSACTIONS}/fx/quote`, query }, dataOf(fxQuote), options),
    fx: place('fx'),
  };
}
