import { dataOf } from '../answers.ts';
import type { Bank } from '../bank.ts';
import type { Calls } from '../calls.ts';
import { fxQuote, paymentFee, placedOrder, transferFee } from '../schemas/transactions.ts';

const TRANSACTIONS = '/v1/banking/transactions';

/** Payments, transfers and exchange (interface section 4). An answer without an order id is ambiguous. */
export function transactionsResource({ read, send }: Calls): Bank['transactions'] {
  return {
    /** GET /v1/banking/transactions/payment/fee: the fee, in its own currency. */
    paymentFee: (query, options) => read({ path: `${TRANSACTIONS}/payment/fee`, query }, dataOf(paymentFee), options),

    /** POST /v1/banking/transactions/payment: pays a beneficiary. */
    payment: (body, options) =>
      send({ method: 'POST', path: `${TRANSACTIONS}/payment`, body }, dataOf(placedOrder), options),

    /** GET /v1/banking/transactions/transfer/fee */
    transferFee: (query, options) =>
      read({ path: `${TRANSACTIONS}/transfer/fee`, query }, dataOf(transferFee), options),

    /** POST /v1/banking/transactions/transfer: between two accounts of one currency. */
    transfer: (body, options) =>
      send({ method: 'POST', path: `${TRANSACTIONS}/transfer`, body }, dataOf(placedOrder), options),

    /** GET /v1/banking/transactions/fx/quote: the rate is not locked. */
    fxQuote: (query, options) => read({ path: `${TRANSACTIONS}/fx/quote`, query }, dataOf(fxQuote), options),

    /** POST /v1/banking/transactions/fx: exchanges at the market rate. */
    fx: (body, options) => send({ method: 'POST', path: `${TRANSACTIONS}/fx`, body }, dataOf(placedOrder), options),
  };
}
