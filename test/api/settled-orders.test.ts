import { describe, expect, test } from 'vitest';
import type { Bank } from '../../src/api/bank.ts';
import { readAllOrders } from '../../src/api/list-pages.ts';
import type { Order, OrderQuery } from '../../src/api/schemas/orders.ts';
import { readSettledOrders } from '../../src/api/settled-orders.ts';

const START = 1_700_000_000_000;
const PAGE = 5;

interface Behaviour {
  /** Somebody else's order arrives with every so many requests. */
  arrivesEvery?: number;
  shuffled?: boolean;
  ignoresUpperBound?: boolean;
  /** A request with an upper bound leaves this order out. */
  hides?: string;
  withoutTimes?: boolean;
}

/** A list with one order every ten seconds, served five to a page, newest first. */
function busyBank(count: number, behaviour: Behaviour): Bank {
  const orders: (Order & { created_at: number })[] = [];
  const add = (id: string, created_at: number) =>
    orders.push({ order_id: id, status: 'COMPLETED', created_at } as never);
  for (let index = 0; index < count; index += 1) add(`o-${index}`, START + index * 10_000);
  let requests = 0;
  const list = async ({ page = 1, created_at_from = 0, create_at_to }: OrderQuery) => {
    requests += 1;
    if (requests % (behaviour.arrivesEvery ?? Number.POSITIVE_INFINITY) === 0)
      add(`foreign-${requests}`, START + (count + requests) * 10_000);
    const to =
      create_at_to === undefined || behaviour.ignoresUpperBound ? Number.POSITIVE_INFINITY : Number(create_at_to);
    const shown = orders
      .filter((order) => order.created_at >= created_at_from && order.created_at <= to)
      .filter((order) => create_at_to === undefined || order.order_id !== behaviour.hides)
      .sort((a, b) => (behaviour.shuffled ? order(a, requests) - order(b, requests) : b.created_at - a.created_at));
    const records = shown.slice((page - 1) * PAGE, page * PAGE);
    return {
      total: shown.length,
      records: behaviour.withoutTimes ? records.map(({ created_at: _, ...rest }) => rest) : records,
    };
  };
  return { orders: { list } } as unknown as Bank;
}

/** Another order of the records for every request, the same in every run. */
const order = ({ created_at }: { created_at: number }, request: number): number =>
  ((created_at / 10_000) * 7_919 * request) % 1_009;

const read = (bank: Bank) =>
  readSettledOrders(bank, { uid: 'u', currency: 'USD', from: START - 60_000 }, { pageSize: PAGE });

describe('a list that never stands still', () => {
  test.each([
    ['new orders keep arriving', { arrivesEvery: 4 }],
    ['every request sorts it anew', { shuffled: true }],
    ['both', { arrivesEvery: 9, shuffled: true }],
  ])('is read to a proof in parts: %s', async (_, behaviour) => {
    const whole = await readAllOrders(busyBank(40, behaviour), { uid: 'u', currency: 'USD' }, { pageSize: PAGE });
    expect(whole.stable).toBe(false);
    const scan = await read(busyBank(40, behaviour));
    expect(scan.stable).toBe(true);
    const ids = scan.orders.map(({ order_id }) => order_id);
    expect(ids.filter((id) => id.startsWith('o-'))).toHaveLength(40);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    ['ignores the upper bound', { arrivesEvery: 4, ignoresUpperBound: true }],
    ['leaves an order out under an upper bound', { arrivesEvery: 4, hides: 'o-3' }],
    ['shows no times', { arrivesEvery: 4, withoutTimes: true }],
  ])('proves nothing when the bank %s', async (_, behaviour) => {
    expect((await read(busyBank(40, behaviour))).stable).toBe(false);
  });
});

test('a list that stands still is read once, without bounds of our own', async () => {
  const bank = busyBank(12, {});
  const queries: OrderQuery[] = [];
  const list = bank.orders.list;
  bank.orders.list = (query, options) => {
    queries.push(query);
    return list(query, options);
  };
  expect((await read(bank)).stable).toBe(true);
  expect(queries).toHaveLength(4);
  expect(queries.every((query) => query.create_at_to === undefined)).toBe(true);
});
