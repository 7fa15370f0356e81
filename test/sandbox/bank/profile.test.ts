import { describe, expect, test } from 'vitest';
import {
  accountOf,
  orderOf,
  PAYMENT,
  pay,
  paymentOf,
  runningSandbox,
  START,
  type TestSandbox,
} from '../running-sandbox.ts';

const TRANSACTIONS = '/v1/banking/transactions';
const OF_USER = { uid: 'u-1001', currency: 'USD' };

const listed = async ({ bank }: TestSandbox, query: Record<string, string> = {}) =>
  (await bank.call('GET', TRANSACTIONS, { query: { ...OF_USER, ...query } })).data;

async function withPayments(it: TestSandbox, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    ids.push(await pay(it.bank));
    it.sandbox.clock.advance(1);
  }
  return ids;
}

const idsOf = (page: { records: { order_id: string }[] }): string[] => page.records.map(({ order_id }) => order_id);

describe('profiles', () => {
  test('listLagMs: a new order is missing from the list, its total and nowhere else', async () => {
    const it = await runningSandbox({ profile: { listLagMs: 500 } });
    const orderId = await pay(it.bank);
    it.sandbox.clock.advance(499);
    expect(await listed(it)).toMatchObject({ total: 0, records: [] });
    expect(await orderOf(it.bank, orderId)).toMatchObject({ order_id: orderId });
    it.sandbox.clock.advance(1);
    expect(await listed(it)).toMatchObject({ total: 1, records: [{ order_id: orderId }] });
  });

  test('getLagMs: a new order is 2005 by id, and in the list', async () => {
    const it = await runningSandbox({ profile: { getLagMs: 500 } });
    const orderId = await pay(it.bank);
    const get = async () => (await it.bank.call('GET', `${TRANSACTIONS}/${orderId}`)).code;
    expect([await get(), (await listed(it)).total]).toEqual([2005, 1]);
    it.sandbox.clock.advance(500);
    expect(await get()).toBe(0);
  });

  test('pageOrder oldest turns the list round', async () => {
    const it = await runningSandbox({ profile: { pageOrder: 'oldest' } });
    const ids = await withPayments(it, 3);
    expect(idsOf(await listed(it))).toEqual(ids);
  });

  test('pageOrder shuffled: each request in another order, each whole, the same after each start', async () => {
    const orders: string[][] = [];
    for (let start = 0; start < 2; start += 1) {
      const it = await runningSandbox({ profile: { pageOrder: 'shuffled' } });
      const ids = await withPayments(it, 12);
      for (let request = 0; request < 2; request += 1) {
        const page = idsOf(await listed(it));
        expect(page.toSorted()).toEqual(ids.toSorted());
        orders.push(page.map((id) => `${ids.indexOf(id)}`));
      }
    }
    expect(orders[0]).not.toEqual(orders[1]);
    expect(orders.slice(2)).toEqual(orders.slice(0, 2));
  });

  test('pageCap answers a larger page with a smaller one, and says so', async () => {
    const it = await runningSandbox({ profile: { pageCap: 2 } });
    await withPayments(it, 3);
    expect(await listed(it, { page_size: '50' })).toMatchObject({ total: 3, pages: 2, page_size: 2 });
    const query = { uid: 'u-1001', page_size: '50' };
    expect((await it.bank.call('GET', '/v1/banking/beneficiaries', { query })).data.records).toHaveLength(2);
  });

  test('unknownStatus: orders pass through a status nobody listed, the money still held', async () => {
    const it = await runningSandbox({ profile: { unknownStatus: true } });
    const [fine, bad] = [await pay(it.bank), await pay(it.bank, { note: 'sandbox:fail' })];
    it.sandbox.clock.advance(1_500);
    expect(await orderOf(it.bank, fine)).toMatchObject({ status: 'IN_CLEARING' });
    expect(await orderOf(it.bank, bad)).toMatchObject({ status: 'FAILED' });
    expect(await accountOf(it.bank)).toMatchObject({ frozen: '101.00' });
    it.sandbox.clock.advance(1_000);
    expect(await orderOf(it.bank, fine)).toMatchObject({ status: 'COMPLETED', updated_at: START + 2_500 });
    expect(it.sandbox.checkConservation().problems).toEqual([]);
  });

  test.each([
    ['upper-case', 'REFERENCE-IN-LOWER-CASE'],
    ['cut', 'reference-in-lower-c'],
  ] as const)(
    'references %s: so they come back by id and in the list, and so they are not kept',
    async (form, shown) => {
      const it = await runningSandbox({ profile: { references: form } });
      const reference = 'reference-in-lower-case';
      const orderId = await pay(it.bank, { reference });
      expect(await orderOf(it.bank, orderId)).toMatchObject({ client_order_id: shown });
      expect((await listed(it)).records).toMatchObject([{ client_order_id: shown }]);
      expect((await it.proxy('GET', '/state')).orders).toMatchObject([{ client_order_id: reference }]);
      expect((await it.bank.call('POST', PAYMENT, { body: paymentOf({ reference }) })).code).toBe(2003);
    },
  );

  test('decimals number: amounts without quotes, every digit kept', async () => {
    const it = await runningSandbox({ profile: { decimals: 'number' } });
    const orderId = await pay(it.bank, { amount: '100.10' });
    const text = await (await it.bank.raw('GET', `${TRANSACTIONS}/${orderId}`)).text();
    expect(text).toContain('"transaction_amount":100.10,"fee":1.00,');
    expect(await accountOf(it.bank)).toMatchObject({ balance: 999898.9, frozen: 101.1 });
  });

  test('can be switched while the sandbox runs; what is not named stays', async () => {
    const it = await runningSandbox({ profile: { pageCap: 7 } });
    expect(await it.proxy('PUT', '/profile', { listLagMs: 9 })).toMatchObject({ pageCap: 7, listLagMs: 9 });
    await expect(it.proxy('PUT', '/profile', { pageOrder: 'random' })).rejects.toThrow('HTTP 400');
  });
});
