import type { z } from 'zod';
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
import { listOrders } from '../bank/order-list.ts';
import { toOrder } from '../bank/order-row.ts';
import { requireShownOrder } from '../bank/order-store.ts';
import { approveOrder, rejectOrder } from '../bank/order-transitions.ts';
import { pay, quotePaymentFee } from '../bank/payments.ts';
import { requiredDetails } from '../bank/required-details.ts';
import { quoteTransferFee, transfer } from '../bank/transfers.ts';
import * as requests from '../requests.ts';
import { read } from '../requests.ts';
import type { Call, Routes } from './router.ts';

/** A banking operation of the interface (section 4). `handle` returns `data`; `undefined` omits it. */
type BankingRoute = readonly [operation: string, handle: (books: Books, call: Call) => unknown];

const id = (call: Call, name: string): string => call.params[name] ?? '';

/** An operation on what `schema` reads of the query, or of the body. */
const ofQuery =
  <T>(schema: z.ZodType<T>, operation: (books: Books, query: T) => unknown): BankingRoute[1] =>
  (books, { query }) =>
    operation(books, read(schema, query));

const ofBody =
  <T>(schema: z.ZodType<T>, operation: (books: Books, body: T) => unknown): BankingRoute[1] =>
  (books, { body }) =>
    operation(books, read(schema, body));

export const BANKING_ROUTES: Routes<BankingRoute> = {
  'GET /v1/banking/accounts': ['accounts.master', ({ db }) => balancesOfUser(db, MASTER_UID)],
  'GET /v1/banking/users/{uid}': ['accounts.ofUser', ({ db }, call) => balancesOfUser(db, id(call, 'uid'))],
  'GET /v1/banking/accounts/{account_id}': [
    'accounts.get',
    ({ db }, call) => toBalance(requireAccount(db, id(call, 'account_id'))),
  ],

  'GET /v1/banking/beneficiaries/required-details': [
    'beneficiaries.requiredDetails',
    (_books, { query }) => {
      const { currency, beneficiary_type } = read(requests.requiredDetailsQuery, query);
      return requiredDetails(currency, beneficiary_type);
    },
  ],
  'POST /v1/banking/beneficiaries': ['beneficiaries.add', ofBody(requests.beneficiaryBody, addBeneficiary)],
  'GET /v1/banking/beneficiaries': ['beneficiaries.list', ofQuery(requests.beneficiaryListQuery, listBeneficiaries)],
  'GET /v1/banking/beneficiaries/{beneficiary_id}': [
    'beneficiaries.get',
    ({ db }, call) => toBeneficiary(requireBeneficiary(db, id(call, 'beneficiary_id'))),
  ],
  'PUT /v1/banking/beneficiaries/{beneficiary_id}': [
    'beneficiaries.update',
    (books, call) =>
      updateBeneficiary(books, id(call, 'beneficiary_id'), read(requests.beneficiaryUpdateBody, call.body)),
  ],
  'DELETE /v1/banking/beneficiaries/{beneficiary_id}': [
    'beneficiaries.delete',
    (books, call) => deleteBeneficiary(books, id(call, 'beneficiary_id')),
  ],

  'GET /v1/banking/transactions/payment/fee': [
    'transactions.paymentFee',
    ofQuery(requests.paymentFeeQuery, quotePaymentFee),
  ],
  'POST /v1/banking/transactions/payment': ['transactions.payment', ofBody(requests.paymentBody, pay)],
  'GET /v1/banking/transactions/transfer/fee': [
    'transactions.transferFee',
    ofQuery(requests.transferFeeQuery, quoteTransferFee),
  ],
  'POST /v1/banking/transactions/transfer': ['transactions.transfer', ofBody(requests.transferBody, transfer)],
  'GET /v1/banking/transactions/fx/quote': ['transactions.fxQuote', ofQuery(requests.fxQuoteQuery, quoteExchange)],
  'POST /v1/banking/transactions/fx': ['transactions.fx', ofBody(requests.fxBody, exchange)],

  'GET /v1/banking/transactions': ['orders.list', ofQuery(requests.orderListQuery, listOrders)],
  'GET /v1/banking/transactions/{order_id}': [
    'orders.get',
    (books, call) => toOrder(requireShownOrder(books, id(call, 'order_id')), books.profile.references),
  ],
  'POST /v1/banking/transactions/{order_id}/approve': [
    'orders.approve',
    (books, call) => approveOrder(books, id(call, 'order_id')),
  ],
  'POST /v1/banking/transactions/{order_id}/reject': [
    'orders.reject',
    (books, call) => rejectOrder(books, id(call, 'order_id'), read(requests.rejectBody, call.body).remark),
  ],
};
