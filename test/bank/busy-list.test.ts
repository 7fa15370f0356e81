import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OrderQuery } from '../../src/bank/schemas/orders.ts';
import { readAllOrders, readBusyList } from '../../src/bank/whole-lists.ts';
import { LIST_BEGINS, type ListBehaviour, ModelList, modelLists } from './support/model-list.ts';

const read = ({ bank }: ModelList, pageSize: number) =>
  readBusyList(bank.orders, { uid: 'u', currency: 'USD', from: LIST_BEGINS - 60_000 }, { pageSize });

test('with any behaviour of the bank, a stable read holds every order that was there when it began', async () => {
  await fc.assert(
    fc.asyncProperty(modelLists({ honest: false }), async (how) => {
      const list = new ModelList(how);
      const before = list.ids();
      const { orders, stable } = await read(list, how.pageSize);
      const shown = new Set(orders.map(({ order_id }) => order_id));
      expect(shown.size).toBe(orders.length);
      if (stable) expect(before.filter((id) => !shown.has(id))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

/** A list of 50 pages, another order for every request, and somebody else's order with every so many of them. */
const busy = (every: number, change: Partial<ListBehaviour> = {}): ListBehaviour => ({
  length: 250,
  pageSize: 5,
  cap: 5,
  order: 'shuffled',
  placedByAsked: false,
  clamps: false,
  arrivals: Array.from({ length: 3_000 }, (_, index) => [(index + 1) * every, 0]),
  total: 'true',
  readablePages: Number.MAX_SAFE_INTEGER,
  upperBound: 'kept',
  times: true,
  seed: 20_011,
  ...change,
});

describe('a list of 50 pages that is shuffled while orders arrive', () => {
  test('never adds up as a whole, and is proven under upper bounds in a bounded number of calls', async () => {
    expect(
      (await readAllOrders(new ModelList(busy(9)).bank.orders, { uid: 'u', currency: 'USD' }, { pageSize: 5 })).stable,
    ).toBe(false);
    const list = new ModelList(busy(9));
    const before = list.ids();
    const scan = await read(list, 5);
    expect(scan.stable).toBe(true);
    expect(scan.orders.map(({ order_id }) => order_id)).toEqual(expect.arrayContaining(before));
    expect(list.requests).toBeLessThan(50 * 16);
    expect(scan.pagesRead).toBe(list.requests);
  });

  test('is proven by its count, so a bank that keeps to no bound can be believed as well', async () => {
    expect((await read(new ModelList(busy(9, { upperBound: 'ignored' })), 5)).stable).toBe(true);
  });

  test.each<[string, Partial<ListBehaviour>]>([
    ['says that there are more orders than it shows', { total: 'more' }],
    ['shows no times', { times: false }],
  ])('proves nothing when the bank %s, and ends', async (_, change) => {
    expect((await read(new ModelList(busy(9, change)), 5)).stable).toBe(false);
  });
});

test('orders that arrive in a list in order need no bounds', async () => {
  for (const order of ['newest', 'oldest'] as const) {
    const list = new ModelList(busy(20, { order }));
    const queries: OrderQuery[] = [];
    const { list: serve } = list.bank.orders;
    list.bank.orders.list = (query, options) => {
      queries.push(query);
      return serve(query, options);
    };
    expect((await read(list, 5)).stable).toBe(true);
    expect(queries.length).toBeLessThan(120);
    expect(queries.every((query) => query.create_at_to === undefined)).toBe(true);
  }
});
