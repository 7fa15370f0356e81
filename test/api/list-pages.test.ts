import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bank, BeneficiaryQuery } from '../../src/api/bank.ts';
import { BadRequestError } from '../../src/api/errors.ts';
import { readAllBeneficiaries, readAllOrders } from '../../src/api/list-pages.ts';
import type { Order, OrderQuery } from '../../src/api/schemas/orders.ts';
import type { Page } from '../../src/api/schemas/wire.ts';

const ordersNamed = (count: number, prefix = 'o') =>
  Array.from({ length: count }, (_, index) => ({ order_id: `${prefix}-${index}`, status: 'COMPLETED' }) as Order);

interface ListBehaviour {
  /** Most records served on a page. */
  cap?: number;
  /** Whether the cap also moves the page's offset (false: offset follows the size asked). */
  capMovesOffset?: boolean;
  withTotal?: boolean;
  withPages?: boolean;
}

/** Serves a list the way some bank might; `requests` holds the (page, size) asked. */
function pagedList(records: () => Order[], behaviour: ListBehaviour = {}) {
  const requests: [number, number][] = [];
  const { cap = Number.POSITIVE_INFINITY, capMovesOffset = true, withTotal = true, withPages = true } = behaviour;
  const list = async ({ page = 1, page_size = 20 }: OrderQuery): Promise<Page<Order>> => {
    requests.push([page, page_size]);
    const all = records();
    const served = Math.min(page_size, cap);
    const offset = (page - 1) * (capMovesOffset ? served : page_size);
    return {
      records: all.slice(offset, offset + served),
      ...(withTotal ? { total: all.length } : {}),
      ...(withPages ? { pages: Math.ceil(all.length / page_size), page, page_size } : {}),
    };
  };
  return { requests, bank: { orders: { list } } as unknown as Bank };
}

const QUERY = { uid: 'u-1', currency: 'USD' };

test('reads every order once, whatever the length, the cap and the members a page has', async () => {
  const behaviour = fc.record({
    cap: fc.integer({ min: 1, max: 120 }),
    capMovesOffset: fc.constant(true),
    withTotal: fc.boolean(),
    withPages: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 250 }), behaviour, async (count, how) => {
      const records = ordersNamed(count);
      const scan = await readAllOrders(pagedList(() => records, how).bank, QUERY);
      expect(scan.orders).toEqual(records);
      expect(scan.stable).toBe(how.withTotal || how.cap >= 20 || count <= how.cap);
    }),
  );
});

test('asks for pages of 100 and reads page 1 again', async () => {
  const { bank, requests } = pagedList(() => ordersNamed(150));
  const scan = await readAllOrders(bank, QUERY);
  expect(requests).toEqual([
    [1, 100],
    [2, 100],
    [1, 100],
  ]);
  expect(scan).toMatchObject({ stable: true, total: 150, pagesRead: 3 });
});

test('an empty list is stable', async () => {
  const scan = await readAllOrders(pagedList(() => []).bank, QUERY);
  expect(scan).toMatchObject({ orders: [], stable: true, total: 0 });
});

describe('falls back to the documented page size of 20', () => {
  test('when a larger one is refused', async () => {
    const { bank, requests } = pagedList(() => ordersNamed(30));
    const { list } = bank.orders;
    const refused = new BadRequestError('2002', { outcome: 'refused', retryable: false, operation: 'GET list' });
    bank.orders.list = async (query) => {
      if ((query.page_size ?? 20) > 20) throw refused;
      return list(query);
    };
    expect(await readAllOrders(bank, QUERY)).toMatchObject({ stable: true, total: 30 });
    expect(requests).toEqual([
      [1, 20],
      [2, 20],
      [1, 20],
    ]);
  });

  test.each([true, false])('when a cap leaves gaps between the pages (total given: %s)', async (withTotal) => {
    const records = ordersNamed(120);
    const { bank } = pagedList(() => records, { cap: 50, capMovesOffset: false, withTotal });
    expect(await readAllOrders(bank, QUERY)).toMatchObject({ orders: records, stable: true });
  });

  test('and reports a refusal of that size too', async () => {
    const refused = new BadRequestError('2002', { outcome: 'refused', retryable: false, operation: 'GET list' });
    const bank = { orders: { list: () => Promise.reject(refused) } } as unknown as Bank;
    await expect(readAllOrders(bank, QUERY)).rejects.toBe(refused);
  });
});

describe('a scan is not stable', () => {
  const moving = (change: (call: number, all: Order[]) => Order[]) => {
    let call = 0;
    return pagedList(() => change(call++, ordersNamed(45))).bank;
  };

  test.each<[string, (call: number, all: Order[]) => Order[]]>([
    ['an order arrives at the front while reading', (call, all) => [...ordersNamed(call, 'new'), ...all]],
    ['an order arrives at the end while reading', (call, all) => [...all, ...ordersNamed(call, 'new')]],
    ['the list shrinks while reading', (call, all) => all.slice(0, 45 - call)],
    [
      'one order replaces another between the scan and the second look',
      (call, all) => [...ordersNamed(call, `n${call}`), ...all].slice(0, 45),
    ],
  ])('when %s', async (_what, change) => {
    const scan = await readAllOrders(moving(change), QUERY, { pageSize: 20 });
    expect(scan.stable).toBe(false);
  });

  test('when total says more than the pages hold', async () => {
    const bank = {
      orders: { list: async ({ page }: OrderQuery) => ({ total: 9, records: page === 1 ? ordersNamed(5) : [] }) },
    };
    expect(await readAllOrders(bank as unknown as Bank, QUERY)).toMatchObject({ stable: false, orders: { length: 5 } });
  });

  test('when the bank repeats a page for ever, and the scan ends', async () => {
    const bank = { orders: { list: async () => ({ total: 50, records: ordersNamed(20) }) } } as unknown as Bank;
    expect(await readAllOrders(bank, QUERY)).toMatchObject({ stable: false, orders: { length: 20 } });
  });
});

test('tells its progress and passes the signal on', async () => {
  const progress: unknown[] = [];
  const { signal } = new AbortController();
  const { bank } = pagedList(() => ordersNamed(30));
  const { list } = bank.orders;
  const signals = new Set<unknown>();
  bank.orders.list = (query, options) => {
    signals.add(options?.signal);
    return list(query);
  };
  await readAllOrders(bank, QUERY, { pageSize: 20, onPage: (page) => progress.push(page), signal });
  expect(progress).toEqual([
    { page: 1, seen: 20, total: 30 },
    { page: 2, seen: 30, total: 30 },
  ]);
  expect([...signals]).toEqual([signal]);
});

test('beneficiaries are read the same way', async () => {
  const payees = Array.from({ length: 130 }, (_, index) => ({ id: `b-${index}` }));
  const list = async ({ page = 1, page_size = 20 }: BeneficiaryQuery) => ({
    total: payees.length,
    records: payees.slice((page - 1) * page_size, page * page_size),
  });
  const scan = await readAllBeneficiaries({ beneficiaries: { list } } as unknown as Bank, { uid: 'u-1' });
  expect(scan).toMatchObject({ beneficiaries: payees, stable: true, total: 130 });
});
