import { expect, onTestFinished, test } from 'vitest';
import { looksAtLists } from '../../../src/activities/lists.ts';
import type { Bank, OrdersOf } from '../../../src/bank/bank.ts';
import type { Order } from '../../../src/bank/schemas/orders.ts';
import { openEmptyStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

const NOW = 200 * 3_600_000;
const USD = { uid: 'u', currency: 'USD' };
const looking = (from: number) => ({ ...USD, since: from, from, toProve: false });

/** A list that is answered after a while, what was asked of it, and who looks at it. */
async function listing({ fails = false, stable = true, orders = [] as Order[] } = {}) {
  const asked: OrdersOf[] = [];
  const listSettled = async (query: OrdersOf) => {
    asked.push(query);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (fails) throw new Error('the bank does not answer');
    return { orders, stable, pagesRead: 1 };
  };
  const store = await openEmptyStore();
  onTestFinished(() => store.close());
  const bank = { clock: UNMEASURED_CLOCK, orders: { listSettled } } as unknown as Bank;
  return { asked, store, look: looksAtLists({ bank, store, settings: quickSettings, now: () => NOW }) };
}

test('many looks at once cost two readings: the one under way and the one after all have asked', async () => {
  const { asked, look } = await listing();
  const first = look(looking(1_000));
  await Promise.resolve();
  const others = Array.from({ length: 200 }, (_, index) => look(looking(5_000 - index)));
  expect((await Promise.all([first, ...others])).every(({ doubt }) => doubt === undefined)).toBe(true);
  expect(asked).toHaveLength(2);
  expect(asked.map(({ from }) => from)).toEqual([1_000, 4_801]);
});

test('a reading begins after everybody who shares it has asked', async () => {
  const { asked, look } = await listing();
  await look(looking(1));
  const before = asked.length;
  await look(looking(1));
  expect(asked.length).toBe(before + 1);
});

test('users and currencies are read apart', async () => {
  const { asked, look } = await listing();
  await Promise.all([look(looking(1)), look({ ...looking(1), currency: 'EUR' })]);
  expect(asked).toHaveLength(2);
});

test('a reading that fails fails for those who share it, and the next one is made', async () => {
  const { asked, look } = await listing({ fails: true });
  const [first, ...shared] = [1, 2, 3].map((from) => look(looking(from)));
  await expect(first).rejects.toThrow();
  expect((await Promise.allSettled(shared)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(look(looking(4))).rejects.toThrow();
  expect(asked.map(({ from }) => from)).toEqual([1, 2, 4]);
});

test('a whole look is recorded, and counts for a store that was never opened', async () => {
  const { look, store } = await listing();
  await look({ ...USD, since: 0, from: 0, toProve: true });
  expect(await store.looksAt([USD])).toEqual([{ ...USD, beganAt: NOW, reachesFrom: 0, resumption: NOW }]);
});

test.each([
  ['that proves nothing', { stable: false }, true],
  ['that is to prove nothing', {}, false],
])('a look %s is not recorded', async (_, list, toProve) => {
  const { look, store } = await listing(list);
  await look({ ...USD, since: 0, from: 0, toProve });
  expect(await store.looksAt([USD])).toEqual([]);
});
