import { balancesOfUser, MASTER_UID, requireAccount, toBalance } from '../bank/accounts.ts';
import {
  addBeneficiary,
  deleteBeneficiary,
  listBeneficiaries,
  requireBeneficiary,
  toBeneficiary,
  updateBeneficiary,
} from '../bank/beneficiaries.ts';
import type { Books } from '../bank/books.ts';
import { exchange, quoteExchange } from '../bank/currency-exchange.ts';
import { approveOrder, rejectOrder } from '../bank/order-life.ts';
import { listOrders } from '../bank/order-list.ts';
import { toOrder } from '../bank/order-row.ts';
import { requireShownOrder } from '../bank/order-store.ts';
import { pay, quotePaymentFee } from '../bank/payments.ts';
import { requiredDetails } from '../bank/required-details.ts';
import { quoteTransferFee, transfer } from '../bank/transfers.ts';
import * as requests from '../requests.ts';
import { read } from '../requests.ts';
import type { Call, Method } from './router.ts';

/** A banking operation of the interface (section 4). `handle` returns `data`; `undefined` leaves it out. */
export interface BankingRoute {
  operation: string;
  method: Method;
  path: string;
  handle(books: Books, call: Call): unknown;
}

const id = (call: Call, name: string): string => call.params[name] ?? '';

const accounts = [
  {
    operation: 'accounts.master',
    method: 'GET',
    path: '/v1/banking/accounts',
    handle: ({ db }) => balancesOfUser(db, MASTER_UID),
  },
  {
    operation: 'accounts.ofUser',
    method: 'GET',
    path: '/v1/banking/users/{uid}',
    handle: ({ db }, call) => balancesOfUser(db, id(call, 'uid')),
  },
  {
    operation: 'accounts.get',
    method: 'GET',
    path: '/v1/banking/accounts/{account_id}',
    handle: ({ db }, call) => toBalance(requireAccount(db, id(call, 'account_id'))),
  },
] as const satisfies readonly BankingRoute[];

const beneficiaries = [
  {
    operation: 'beneficiaries.requiredDetails',
    method: 'GET',
    path: '/v1/banking/beneficiaries/required-details',
    handle: (_books, { query }) => {
      const { currency, beneficiary_type } = read(requests.requiredDetailsQuery, query);
      return requiredDetails(currency, beneficiary_type);
    },
  },
  {
    operation: 'beneficiaries.add',
    method: 'POST',
    path: '/v1/banking/beneficiaries',
    handle: (books, { body }) => addBeneficiary(books, read(requests.beneficiaryBody, body)),
  },
  {
    operation: 'beneficiaries.list',
    method: 'GET',
    path: '/v1/banking/beneficiaries',
    handle: (books, { query }) => listBeneficiaries(books, read(requests.beneficiaryListQuery, query)),
  },
  {
    operation: 'beneficiaries.get',
    method: 'GET',
    path: '/v1/banking/beneficiaries/{beneficiary_id}',
    handle: ({ db }, call) => toBeneficiary(requireBeneficiary(db, id(call, 'beneficiary_id'))),
  },
  {
    operation: 'beneficiaries.update',
    method: 'PUT',
    path: '/v1/banking/beneficiaries/{beneficiary_id}',
    handle: (books, call) =>
      updateBeneficiary(books, id(call, 'beneficiary_id'), read(requests.beneficiaryUpdateBody, call.body)),
  },
  {
    operation: 'beneficiaries.delete',
    method: 'DELETE',
    path: '/v1/banking/beneficiaries/{beneficiary_id}',
    handle: (books, call) => deleteBeneficiary(books, id(call, 'beneficiary_id')),
  },
] as const satisfies readonly BankingRoute[];

const transactions = [
  {
    operation: 'transactions.paymentFee',
    method: 'GET',
    path: '/v1/banking/transactions/payment/fee',
    handle: (books, { query }) => quotePaymentFee(books, read(requests.paymentFeeQuery, query)),
  },
  {
    operation: 'transactions.payment',
    method: 'POST',
    path: '/v1/banking/transactions/payment',
    handle: (books, { body }) => pay(books, read(requests.paymentBody, body)),
  },
  {
    operation: 'transactions.transferFee',
    method: 'GET',
    path: '/v1/banking/transactions/transfer/fee',
    handle: (books, { query }) => quoteTransferFee(books, read(requests.transferFeeQuery, query)),
  },
  {
    operation: 'transactions.transfer',
    method: 'POST',
    path: '/v1/banking/transactions/transfer',
    handle: (books, { body }) => transfer(books, read(requests.transferBody, body)),
  },
  {
    operation: 'transactions.fxQuote',
    method: 'GET',
    path: '/v1/banking/transactions/fx/quote',
    handle: (books, { query }) => quoteExchange(books, read(requests.fxQuoteQuery, query)),
  },
  {
    operation: 'transactions.fx',
    method: 'POST',
    path: '/v1/banking/transactions/fx',
    handle: (books, { body }) => exchange(books, read(requests.fxBody, body)),
  },
] as const satisfies readonly BankingRoute[];

const orders = [
  {
    operation: 'orders.list',
    method: 'GET',
    path: '/v1/banking/transactions',
    handle: (books, { query }) => listOrders(books, read(requests.orderListQuery, query)),
  },
  {
    operation: 'orders.get',
    method: 'GET',
    path: '/v1/banking/transactions/{order_id}',
    handle: (books, call) => toOrder(requireShownOrder(books, id(call, 'order_id')), books.profile.references),
  },
  {
    operation: 'orders.approve',
    method: 'POST',
    path: '/v1/banking/transactions/{order_id}/approve',
    handle: (books, call) => approveOrder(books, id(call, 'order_id')),
  },
  {
    operation: 'orders.reject',
    method: 'POST',
    path: '/v1/banking/transactions/{order_id}/reject',
    handle: (books, call) => rejectOrder(books, id(call, 'order_id'), read(requests.rejectBody, call.body).remark),
  },
] as const satisfies readonly BankingRoute[];

export const BANKING_ROUTES = [...accounts, ...beneficiaries, ...transactions, ...orders] as const;
