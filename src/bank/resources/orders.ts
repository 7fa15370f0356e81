import { LIST_DOUBTS } from '../../domain/list-doubt.ts';
import { isNoMoney, stageMeaning } from '../../domain/order-status.ts';
import { dataOf, type Judge, noData, unknownOutcome } from '../answers.ts';
import { asAsked } from '../as-asked.ts';
import type { Bank } from '../bank.ts';
import { readBusyList } from '../busy-list.ts';
import type { Calls } from '../calls.ts';
import { type OrderPages, readAllOrders } from '../list-pages.ts';
import { type Order, order, orderPage } from '../schemas/orders.ts';
import type { Page } from '../schemas/wire.ts';

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

    listSettled: ({ type: order_type, ...since }, options) => readBusyList(pages, { ...since, order_type }, options),

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

/** That an order took no money is believed after a second read (interface section 3), for which a cache may not stand in. */
const notDeadBefore =
  (judge: Judge<Order>): Judge<Order> =>
  (answer, call) => {
    const order = judge(answer, call);
    if (answer.isStale !== true || !isNoMoney(stageMeaning(order.stage))) return order;
    throw unknownOutcome(`with ${LIST_DOUBTS.age}`, true, answer, call);
  };
