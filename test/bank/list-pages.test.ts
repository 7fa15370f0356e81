import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { envelopeError, UnknownOutcomeError } from '../../src/bank/errors.ts';
import type { Beneficiary } from '../../src/bank/schemas/beneficiaries.ts';
import type { Order } from '../../src/bank/schemas/orders.ts';
import type { Page } from '../../src/bank/schemas/wire.ts';
import { type OrderPages, type Pages, readAllBeneficiaries, readAllOrders } from '../../src/bank/whole-lists.ts';
import { LIST_DOUBTS } from '../../src/domain/absence.ts';
import { ModelList, modelLists } from './support/model-list.ts';

const ordersNamed = (count: number, prefix = 'o') =>
  Array.from({ length: count }, (_, index) => ({ order_id: `${prefix}-${index}`, status: 'COMPLETED' }) as Order);

const QUERY = { uid: 'u-1', currency: 'USD' };
const refused = envelopeError(2002, { operation: 'GET list' });
const withoutEnvelope = (httpStatus: number) =>
  new UnknownOutcomeError('no envelope', { outcome: 'ambiguous', retryable: false, operation: 'GET list', httpStatus });

/** A bank with one list, and the pages and sizes asked of it. */
function listing(list: (query: { page: number; page_size: number }) => Page<Order>) {
  const requests: [number, number][] = [];
  const bank: { orders: OrderPages } = {
    orders: {
      list: async ({ page, page_size }) => {
        requests.push([page, page_size]);
        return list({ page, page_size });
      },
    },
  };
  return { requests, bank };
}

const still = (orders: Order[]) =>
  listing(({ page, page_size }) => ({
    total: orders.length,
    records: orders.slice((page - 1) * page_size, page * page_size),
  }));

describe('with any behaviour of the bank, a list that is called stable', () => {
  test('holds every order that was in it when the reading began', async () => {
    await fc.assert(
      fc.asyncProperty(modelLists({ honest: false }), async (how) => {
        const list = new ModelList(how);
        const before = list.ids();
        const scan = await readAllOrders(list.bank.orders, QUERY, { pageSize: how.pageSize });
        const shown = new Set(scan.orders.map(({ order_id }) => order_id));
        if (scan.stable) expect(before.filter((id) => !shown.has(id))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

test('a list whose pages and total are true is stable, in any order that it keeps and while orders arrive', async () => {
  await fc.assert(
    fc.asyncProperty(modelLists({ honest: true }), async (how) => {
      const list = new ModelList(how);
      const { orders, stable, pagesRead } = await readAllOrders(list.bank.orders, QUERY, { pageSize: how.pageSize });
      expect(stable).toBe(true);
      expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(orders.length);
      expect(pagesRead).toBe(list.requests);
    }),
    // Seeded: of a shuffled list that grows during every read, once in many thousand, no read is whole; then it is called
    // unstable.
    { numRuns: 500, seed: 2026 },
  );
});

test('a list in order costs one call more than it has pages', async () => {
  const { bank, requests } = still(ordersNamed(150));
  const scan = await readAllOrders(bank.orders, QUERY);
  expect(requests).toEqual([
    [1, 100],
    [2, 100],
    [3, 100],
  ]);
  expect(scan).toMatchObject({ stable: true, pagesRead: 3 });
});

test('pages that overlap show every order, prove nothing, and are read three times', async () => {
  const orders = ordersNamed(21);
  const { bank, requests } = listing(({ page, page_size }) => ({
    total: orders.length,
    page_size: 5,
    records: orders.slice((page - 1) * 4, (page - 1) * 4 + Math.min(5, page_size)),
  }));
  const scan = await readAllOrders(bank.orders, QUERY);
  expect(scan.orders).toHaveLength(21);
  expect(scan.stable).toBe(false);
  expect(requests).toHaveLength(3 * 6);
});

test('orders that keep arriving at the front of 50 pages cost part of a second round', async () => {
  let call = 0;
  const { bank, requests } = listing(({ page, page_size }) => {
    call += 1;
    const all = [...ordersNamed(Math.floor(call / 2), 'new').reverse(), ...ordersNamed(50 * page_size)];
    return { total: all.length, records: all.slice((page - 1) * page_size, page * page_size) };
  });
  expect((await readAllOrders(bank.orders, QUERY)).stable).toBe(true);
  expect(requests.length).toBeLessThan(60);
});

test('an empty list that says so is stable at its first page', async () => {
  const { bank, requests } = still([]);
  expect(await readAllOrders(bank.orders, QUERY)).toMatchObject({ orders: [], stable: true });
  expect(requests).toEqual([[1, 100]]);
});

describe('a list is read no further', () => {
  test('once the caller has seen enough, and then it proves nothing', async () => {
    const { bank, requests } = still(ordersNamed(250));
    const enough = (page: readonly Order[]) => page.some(({ order_id }) => order_id === 'o-120');
    const scan = await readAllOrders(bank.orders, QUERY, { pageSize: 100, enough });
    expect([scan.stable, scan.orders.length]).toEqual([false, 200]);
    expect(requests).toEqual([
      [1, 100],
      [2, 100],
    ]);
  });
});

describe('behind the last page a bank may', () => {
  const orders = ordersNamed(150);
  test.each<[string, (last: Page<Order>) => Page<Order>]>([
    ['serve an empty page without a total', () => ({ records: [] })],
    ['serve an empty page with a total of 0', () => ({ total: 0, records: [] })],
    ['show the last page and say so', (last) => ({ ...last, page: 2 })],
    ...[2002, 2004, 2005].map((code): [string, () => never] => [
      `refuse with ${code}`,
      () => {
        throw envelopeError(code, { operation: 'GET list' });
      },
    ]),
    [
      'answer 404 with a page',
      () => {
        throw withoutEnvelope(404);
      },
    ],
  ])('%s', async (_, behind) => {
    const { bank } = listing(({ page, page_size }) => {
      const last = { total: 150, records: orders.slice(100) };
      return page > 2 ? behind(last) : page === 2 ? last : { total: 150, records: orders.slice(0, page_size) };
    });
    expect(await readAllOrders(bank.orders, QUERY)).toMatchObject({ stable: true, pagesRead: 3 });
  });
});

describe('falls back to the documented page size of 20', () => {
  test('when a larger one is refused', async () => {
    const orders = ordersNamed(30);
    const { bank, requests } = listing(({ page, page_size }) => {
      if (page_size > 20) throw refused;
      return { total: 30, records: orders.slice((page - 1) * page_size, page * page_size) };
    });
    expect(await readAllOrders(bank.orders, QUERY)).toMatchObject({ stable: true });
    expect(requests).toEqual([
      [1, 100],
      [1, 20],
      [2, 20],
      [3, 20],
    ]);
  });

  test.each([true, false])('when a cap leaves gaps between the pages (total given: %s)', async (withTotal) => {
    const orders = ordersNamed(120);
    const { bank } = listing(({ page, page_size }) => {
      const offset = (page - 1) * page_size;
      const records = orders.slice(offset, offset + Math.min(page_size, 50));
      return withTotal ? { total: 120, records } : { records };
    });
    const scan = await readAllOrders(bank.orders, QUERY);
    expect(scan).toMatchObject({ stable: true, orders: { length: 120 } });
  });

  test('and reports a refusal of that size too', async () => {
    const { bank } = listing(() => {
      throw refused;
    });
    await expect(readAllOrders(bank.orders, QUERY)).rejects.toBe(refused);
  });

  test('and a refusal before the end, which proves nothing about what is behind it', async () => {
    const { bank } = listing(({ page, page_size }) => {
      if (page > 1) throw refused;
      return { records: ordersNamed(page_size) };
    });
    await expect(readAllOrders(bank.orders, QUERY)).rejects.toBe(refused);
  });
});

describe('a list is not stable, and its reading ends,', () => {
  const pageOf = (orders: Order[], page: number, size: number) => orders.slice((page - 1) * size, page * size);

  test.each<[string, (page: number, size: number) => Page<Order>]>([
    ['when total says more than the pages hold', (page) => ({ total: 9, records: page === 1 ? ordersNamed(5) : [] })],
    [
      'when total says fewer than the pages hold',
      (page, size) => ({ total: 40, records: pageOf(ordersNamed(45), page, size) }),
    ],
    [
      'when total is what the page holds',
      (page, size) => {
        const records = pageOf(ordersNamed(60), page, size);
        return { total: records.length, records };
      },
    ],
    ['when total is 0 on a page with orders', () => ({ total: 0, records: ordersNamed(20) })],
    [
      'when only the first pages can be read',
      (page, size) => ({
        total: 90,
        records: page > 3 ? [] : pageOf(ordersNamed(90), page, size),
      }),
    ],
    ['when page 1 is repeated for ever', () => ({ total: 50, records: ordersNamed(20) })],
    ['when page 1 is repeated for ever without a total', () => ({ records: ordersNamed(20) })],
    ['when orders are made up for ever', (page, size) => ({ records: ordersNamed(size, `p${page}`) })],
    ['when pages are short and no total says so', (page) => ({ records: pageOf(ordersNamed(45), page, 10) })],
  ])('%s', async (_, list) => {
    const { bank } = listing(({ page, page_size }) => list(page, page_size));
    expect((await readAllOrders(bank.orders, QUERY, { pageSize: 20 })).stable).toBe(false);
  });

  test.each<[string, (call: number, all: Order[]) => Order[]]>([
    ['when it shrinks with every page', (call, all) => all.slice(0, 45 - call)],
    ['when every page has other orders', (call, all) => [...ordersNamed(call, `n${call}`), ...all].slice(0, 45)],
  ])('%s', async (_, change) => {
    let call = 0;
    const { bank } = listing(({ page, page_size }) => {
      const all = change(call++, ordersNamed(45));
      return { total: all.length, records: pageOf(all, page, page_size) };
    });
    expect((await readAllOrders(bank.orders, QUERY, { pageSize: 20, rounds: 8 })).stable).toBe(false);
  });
});

describe('a list is in doubt', () => {
  const orders = ordersNamed(45);
  const served = (page: number, size: number) => ({ total: 45, records: orders.slice((page - 1) * size, page * size) });

  test.each<[string, (page: number, size: number) => Page<Order>, string]>([
    [
      'when a page says that it is another one',
      (page, size) => ({ ...served(page, size), page: page + 1 }),
      'another page',
    ],
    [
      'when page 2 is asked for and page 1 shown',
      (page, size) => ({ ...served(page === 2 ? 1 : page, size), page: page === 2 ? 1 : page }),
      'another page',
    ],
    [
      'when its pages are larger than asked',
      (page, size) => ({ ...served(page, size), page_size: size + 1 }),
      'larger pages',
    ],
    [
      'when only what is behind its last page is',
      (page, size) => ({ ...served(page, size), ...(page === 4 && { doubt: LIST_DOUBTS.age }) }),
      'before it was asked for',
    ],
  ])('%s', async (_, list, doubt) => {
    const { bank, requests } = listing(({ page, page_size }) => list(page, page_size));
    const scan = await readAllOrders(bank.orders, QUERY, { pageSize: 20 });
    expect(scan).toMatchObject({ stable: false, doubt: expect.stringContaining(doubt) });
    expect(requests.length).toBeLessThan(5);
  });

  test('but not of a bank whose smallest page is larger than asked', async () => {
    const { bank } = listing(({ page }) => ({ ...served(page, 20), page, page_size: 20 }));
    expect(await readAllOrders(bank.orders, QUERY, { pageSize: 2 })).toMatchObject({ stable: true, orders });
  });
});

describe('a page that is too large to be read is asked for again', () => {
  const operation = 'GET list';
  const tooLarge = new UnknownOutcomeError('too large', {
    outcome: 'ambiguous',
    retryable: false,
    operation,
    tooLarge: true,
  });
  const listOfSize = (sizeMax: number, heavy = 0) =>
    listing(({ page, page_size }) => {
      const records = ordersNamed(45).slice((page - 1) * page_size, page * page_size);
      if (page_size > sizeMax && records.some(({ order_id }) => order_id === `o-${heavy}`)) throw tooLarge;
      return { total: 45, records };
    });

  test.each([
    [20, 0],
    [1, 0],
    [1, 44],
  ])('with at most %i records, from the first page, if it holds order %i', async (sizeMax, heavy) => {
    const { bank, requests } = listOfSize(sizeMax, heavy);
    expect(await readAllOrders(bank.orders, QUERY)).toMatchObject({ stable: true, orders: { length: 45 } });
    expect(requests.at(-1)?.[1]).toBe(sizeMax);
    expect(requests.filter(([, size]) => size === 100)).toHaveLength(1);
  });

  test('until a single record is', async () => {
    const { bank, requests } = listOfSize(0);
    await expect(readAllOrders(bank.orders, QUERY)).rejects.toBe(tooLarge);
    expect(requests.map(([, size]) => size)).toEqual([100, 20, 1]);
  });
});

test('the signal is passed on', async () => {
  const { signal } = new AbortController();
  const { bank } = still(ordersNamed(30));
  const { list } = bank.orders;
  const signals = new Set<unknown>();
  bank.orders.list = (query, options) => {
    signals.add(options?.signal);
    return list(query, options);
  };
  await readAllOrders(bank.orders, QUERY, { signal });
  expect([...signals]).toEqual([signal]);
});

test('beneficiaries are read the same way', async () => {
  const payees = Array.from({ length: 130 }, (_, index) => ({ id: `b-${index}` }) as Beneficiary);
  const pages: Pages<unknown, Beneficiary> = {
    list: async ({ page, page_size }) => ({
      total: payees.length,
      records: payees.slice((page - 1) * page_size, page * page_size),
    }),
  };
  const scan = await readAllBeneficiaries(pages, { uid: 'u-1' });
  expect(scan).toMatchObject({ beneficiaries: payees, stable: true });
});
