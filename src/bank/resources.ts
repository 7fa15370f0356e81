import { LIST_DOUBTS } from '../domain/absence.ts';
import { isNoMoney, stageMeaning } from '../domain/order-status.ts';
import { dataOf, type Judge, noData, unknownOutcome } from './answers.ts';
import { asAsked } from './as-asked.ts';
import type { Bank } from './bank.ts';
import type { SendOptions } from './call-options.ts';
import type { Calls } from './calls.ts';
import type { Cards, CreateRequest, PaymentIntent } from './cards/acquirer.ts';
import { type CardRules, judgePayment, judgeRaw, judgeSession, noticeOf } from './cards/card-answers.ts';
import { type CardFields, writeFields } from './cards/card-fields.ts';
import { says, undefinedIf } from './errors.ts';
import { type AccountBalance, accountBalance, accountBalances } from './schemas/accounts.ts';
import { addedBeneficiary, beneficiary, beneficiaryPage, requiredDetails } from './schemas/beneficiaries.ts';
import { type Order, order, orderPage } from './schemas/orders.ts';
import { fxQuote, orderFee, placedOrder } from './schemas/transactions.ts';
import type { Page } from './schemas/wire.ts';
import { type OrderPages, readAllBeneficiaries, readAllOrders, readBusyList } from './whole-lists.ts';

const ACCOUNTS = '/v1/banking/accounts';

/** Accounts (interface section 4). */
export function accountsResource({ read }: Calls): Bank['accounts'] {
  return {
    /** GET /v1/banking/accounts: the master institution's balances. */
    master: (options) => read({ path: ACCOUNTS }, balancesNow, options),

    ofUser: (uid, options) => read({ path: '/v1/banking/users/{uid}', ids: { uid } }, balancesNow, options),

    /** GET /v1/banking/accounts/{account_id}: one balance, checked to be of this account. */
    get: (accountId, options) => {
      const asked = accountBalance.refine(({ account_id }) => account_id === accountId, { path: ['account_id'] });
      return read(
        { path: `${ACCOUNTS}/{account_id}`, ids: { account_id: accountId } },
        balanceNow(dataOf(asked)),
        options,
      );
    },
  };
}

const balanceNow =
  (judge: Judge<AccountBalance>): Judge<AccountBalance> =>
  (answer, call) => ({ ...judge(answer, call), ...(answer.isStale === true && { isStale: true }) });

const balancesNow: Judge<AccountBalance[]> = (answer, call) =>
  dataOf(accountBalances)(answer, call).map((account) => balanceNow(() => account)(answer, call));

const BENEFICIARIES = '/v1/banking/beneficiaries';
const BENEFICIARY = `${BENEFICIARIES}/{beneficiary_id}`;

/** Beneficiaries (interface section 4). Adding has no idempotency key: check the list first. */
export function beneficiariesResource({ read, send }: Calls): Bank['beneficiaries'] {
  const pages: Parameters<typeof readAllBeneficiaries>[0] = {
    /** GET /v1/banking/beneficiaries: one page. A bank may answer that there are none with the code that says so. */
    list: async (query, options) => {
      const page = () => read({ path: BENEFICIARIES, query: { ...query } }, dataOf(beneficiaryPage), options);
      if (query.page > 1) return page();
      return (await undefinedIf(says('beneficiary-not-found'), page)) ?? { records: [], total: 0 };
    },
  };
  return {
    /** GET /v1/banking/beneficiaries/required-details: the fields a payee needs, by payment type. */
    requiredDetails: (currency, beneficiaryType, options) => {
      const query = { currency, beneficiary_type: beneficiaryType };
      return read({ path: `${BENEFICIARIES}/required-details`, query }, dataOf(requiredDetails), options);
    },

    /** POST /v1/banking/beneficiaries: uid, currency, beneficiary_type, payment_type and the required fields. */
    add: (body, options) => send({ method: 'POST', path: BENEFICIARIES, body }, dataOf(addedBeneficiary), options),

    /** GET /v1/banking/beneficiaries/{beneficiary_id}: checked to be this one. */
    get: (beneficiaryId, options) => {
      const asked = beneficiary.refine(({ id }) => id === beneficiaryId, { path: ['id'] });
      return read({ path: BENEFICIARY, ids: { beneficiary_id: beneficiaryId } }, dataOf(asked), options);
    },

    listAll: (query, options) => readAllBeneficiaries(pages, query, options),

    /** PUT /v1/banking/beneficiaries/{beneficiary_id}: uid and the required fields. Answers no data. */
    update: async (beneficiaryId, body, options) => {
      await send({ method: 'PUT', path: BENEFICIARY, ids: { beneficiary_id: beneficiaryId }, body }, noData, options);
    },

    /** DELETE /v1/banking/beneficiaries/{beneficiary_id}. Answers no data. */
    delete: async (beneficiaryId, options) => {
      await send({ method: 'DELETE', path: BENEFICIARY, ids: { beneficiary_id: beneficiaryId } }, noData, options);
    },
  };
}

const SETUP = '/api/v1/acq/3ds/setup';
const PAYMENTS = '/api/v1/acq/payment';
const PAYMENT = `${PAYMENTS}/{payment_id}`;

/** Card acquiring (interface section 4). Card data of a request is in its body and nowhere else. */
export function cardsResource({ read, send }: Calls, rules: CardRules): Cards {
  const { fields } = rules;
  return {
    setUp: ({ amount, currency, card }, options) => {
      const body = writeFields<'setup'>(fields.setup, { amount, currency, ...under('card', card) });
      return send({ method: 'POST', path: SETUP, body }, judgeSession(rules), options);
    },

    create: (request, options) =>
      send({ method: 'POST', path: PAYMENTS, body: createBody(fields, request) }, judgePayment(rules), options),

    /** POST /api/v1/acq/payment with `payment_id`: resumes after a challenge. */
    resume: ({ paymentId: payment_id, referenceId: reference_id, ...intent }, options) => {
      const body = writeFields<'resume'>(fields.resume, { ...intentOf(intent), payment_id, reference_id });
      return send({ method: 'POST', path: PAYMENTS, body }, judgePayment(rules), options);
    },

    retrieve: (paymentId, options) =>
      read({ path: PAYMENT, ids: { payment_id: paymentId } }, judgePayment(rules, paymentId), options),

    retrieveRaw: (paymentId, options) => read({ path: PAYMENT, ids: { payment_id: paymentId } }, judgeRaw, options),

    noticeOf: (body) => noticeOf(fields, body),
  };
}

function createBody(fields: CardFields, request: CreateRequest): object {
  const { email, ...address } = request.billing ?? {};
  return writeFields<'create'>(fields.create, {
    ...intentOf(request),
    ...under('card', request.card),
    'three_ds_info.reference_id': request.referenceId,
    return_url: request.returnUrl,
    'billing.email': email,
    ...under('billing.address', address),
    ...under('device_info', request.deviceInfo ?? {}),
  });
}

const intentOf = ({ merchantRequestId, paymentType, amount, currency }: PaymentIntent) => ({
  merchant_request_id: merchantRequestId,
  payment_type: paymentType,
  amount,
  currency,
});

/** Members of an object as fields of a message. */
const under = <Place extends string, Members extends object>(place: Place, members: Members) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`${place}.${name}`, value])) as {
    [Name in keyof Members & string as `${Place}.${Name}`]: Members[Name];
  };

const ORDERS = '/v1/banking/transactions';
const ORDER = `${ORDERS}/{order_id}`;

/** Orders (interface section 4). There is no filter by reference, so a list is read as a whole (`list-pages.ts`). */
export function ordersResource({ read, send }: Calls): Bank['orders'] {
  const pages: OrderPages = {
    /** GET /v1/banking/transactions: one page of a user's orders in one currency. */
    list: async (query, options) => asAsked(query, await read({ path: ORDERS, query: { ...query } }, ofNow, options)),
  };
  return {
    listAll: ({ from: created_at_from, type: order_type, ...key }, options) =>
      readAllOrders(pages, { ...key, created_at_from, order_type }, options),

    listStable: ({ type: order_type, ...since }, options) => readBusyList(pages, { ...since, order_type }, options),

    /** GET /v1/banking/transactions/{order_id}. Another order id is accepted only with a reference, which says whose it is. */
    get: (orderId, options) => {
      const isAsked = ({ order_id, client_order_id }: Order): boolean =>
        order_id === orderId || client_order_id !== undefined;
      const asked = order.refine(isAsked, { path: ['order_id'] });
      return read({ path: ORDER, ids: { order_id: orderId } }, notDeadBefore(dataOf(asked)), options);
    },

    /** POST /v1/banking/transactions/{order_id}/approve. No body is shown; an empty object fits the content type. */
    approve: async (orderId, options) => {
      const route = { method: 'POST', path: `${ORDER}/approve`, ids: { order_id: orderId }, body: {} } as const;
      await send(route, noData, options);
    },

    /** POST /v1/banking/transactions/{order_id}/reject with a remark. */
    reject: async (orderId, remark, options) => {
      const route = { method: 'POST', path: `${ORDER}/reject`, ids: { order_id: orderId }, body: { remark } } as const;
      await send(route, noData, options);
    },
  };
}

const ofNow: Judge<Page<Order>> = (answer, call) => {
  const page = dataOf(orderPage)(answer, call);
  return answer.isStale === true ? { ...page, doubt: LIST_DOUBTS.age } : page;
};

/** That an order took no money is believed after a second read (interface section 3), which a cache may not replace. */
const notDeadBefore =
  (judge: Judge<Order>): Judge<Order> =>
  (answer, call) => {
    const order = judge(answer, call);
    if (answer.isStale !== true || !isNoMoney(stageMeaning(order.stage))) return order;
    throw unknownOutcome(`with ${LIST_DOUBTS.age}`, true, answer, call);
  };

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
