import type { z } from 'zod';
import { balancesOfUser, MASTER_UID, requireAccount, toBalance } from '../bank/account-book.ts';
import {
  addBeneficiary,
  deleteBeneficiary,
  listBeneficiaries,
  requireBeneficiary,
  requiredDetails,
  toBeneficiary,
  updateBeneficiary,
} from '../bank/beneficiary-book.ts';
import type { Books } from '../bank/books.ts';
import { approveOrder, rejectOrder, requireShownOrder } from '../bank/order-book.ts';
import { listOrders } from '../bank/order-list.ts';
import { toOrder } from '../bank/order-machine.ts';
import { exchange, pay, quoteExchange, quotePaymentFee, quoteTransferFee, transfer } from '../bank/place-orders.ts';
import * as requests from '../requests.ts';
import { read } from '../requests.ts';

/** What a handler gets. `body` is the parsed JSON, `{}` without one. */
export interface Call {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
}

export interface Target {
  method: string;
  pathname: string;
  query: Readonly<Record<string, string>>;
}

/** Handlers by method and path: `GET /v1/banking/accounts/{account_id}`. */
export type Routes<Route> = Readonly<Record<`${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`, Route>>;

/** The first route that matches; so literal paths must precede those with ids. */
export function matchRoute<Route>(
  routes: Routes<Route>,
  method: string,
  pathname: string,
): { route: Route; params: Record<string, string> } | undefined {
  const segments = `${method} ${pathname}`.split('/');
  for (const [address, route] of Object.entries(routes)) {
    const params = matchPath(address.split('/'), segments);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

function matchPath(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = decoded(segment);
    if (value === undefined || value === '') return undefined;
    params[part.slice(1, -1)] = value;
  }
  return params;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Query parameters; blank ones count as absent, and of repeated ones the first counts. */
export function queryOf(parameters: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of parameters) if (value !== '' && !(name in query)) query[name] = value;
  return query;
}

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
