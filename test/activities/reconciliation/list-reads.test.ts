import { expect, test } from 'vitest';
import { listReader } from '../../../src/activities/lists.ts';
import type { Bank, OrdersOf } from '../../../src/bank/bank.ts';
import type { Order } from '../../../src/bank/schemas/orders.ts';
import { newStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

const NOW = 200 * 3_600_000;
const USD = { uid: 'u', currency: 'USD' };
const request = (from: number) => ({ ...USD, since: from, from, toProve: false });

/** A list that is answered after a while, what was asked of it, and who reads it. */
async function listing({ fails = false, stable = true, orders = [] as Order[] } = {}) {
  const asked: OrdersOf[] = [];
  const listStable = async (query: OrdersOf) => {
    asked.push(query);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (fails) throw new Error('the bank does not answer');
    return { orders, stable, pagesRead: 1 };
  };
  const store = await newStore();
  const bank = { clock: UNMEASURED_CLOCK, orders: { listStable } } as unknown as Bank;
  return { asked, store, readList: listReader({ bank, store, settings: quickSettings, now: () => NOW }) };
}

test('many reads at once cost two calls: the one under way and the one after all have asked', async () => {
  const { asked, readList } = await listing();
  const first = readList(request(1_000));
  await Promise.resolve();
  const others = Array.from({ length: 200 }, (_, index) => readList(request(5_000 - index)));
  expect((await Promise.all([first, ...others])).every(({ doubt }) => doubt === undefined)).toBe(true);
  expect(asked).toHaveLength(2);
  expect(asked.map(({ from }) => from)).toEqual([1_000, 4_801]);
});

test('a reading begins after everybody who shares it has asked', async () => {
  const { asked, readList } = await listing();
  await readList(request(1));
  const before = asked.length;
  await readList(request(1));
  expect(asked.length).toBe(before + 1);
});

test.each([
  ['joined by one that allows it', { after: NOW }, 1],
  ['not joined by one that needs a later reading', { after: NOW + 1 }, 2],
  ['not joined by one that reaches further back', { after: NOW, from: 999 }, 2],
  ['not joined by one that is to prove', { after: NOW, toProve: true }, 2],
])('a reading under way is %s', async (_, other, readings) => {
  const { asked, readList } = await listing();
  const first = readList(request(1_000));
  await Promise.resolve();
  await Promise.all([first, readList({ ...request(1_000), ...other })]);
  expect(asked).toHaveLength(readings);
});

test('users and currencies are read apart', async () => {
  const { asked, readList } = await listing();
  await Promise.all([readList(request(1)), readList({ ...request(1), currency: 'EUR' })]);
  expect(asked).toHaveLength(2);
});

test('a reading that fails fails for those who share it, and the next one is made', async () => {
  const { asked, readList } = await listing({ fails: true });
  const [first, ...shared] = [1, 2, 3].map((from) => readList(request(from)));
  await expect(first).rejects.toThrow();
  expect((await Promise.allSettled(shared)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(readList(request(4))).rejects.toThrow();
  expect(asked.map(({ from }) => from)).toEqual([1, 2, 4]);
});

test('a whole read is recorded, and counts for a store that was never opened', async () => {
  const { readList, store } = await listing();
  await readList({ ...USD, since: 0, from: 0, toProve: true });
  expect(await store.listReadsOf([USD])).toEqual([{ ...USD, beganAt: NOW, reachesFrom: 0, resumption: NOW }]);
});

test.each([
  ['that proves nothing', { stable: false }, true],
  ['that is to prove nothing', {}, false],
])('a read %s is not recorded', async (_, list, toProve) => {
  const { readList, store } = await listing(list);
  await readList({ ...USD, since: 0, from: 0, toProve });
  expect(await store.listReadsOf([USD])).toEqual([]);
});
