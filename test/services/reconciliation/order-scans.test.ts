import { expect, test } from 'vitest';
import type { Bank, OrdersOf } from '../../../src/api/bank.ts';
import { sharedScans } from '../../../src/services/reconciliation/order-scans.ts';

/** An empty list that answers after a while, and what was asked of it. */
function slowBank(fails = false) {
  const asked: OrdersOf[] = [];
  const listSettled = async (query: OrdersOf) => {
    asked.push(query);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (fails) throw new Error('the bank does not answer');
    return { orders: [], stable: true, pagesRead: 1 };
  };
  return { asked, bank: { orders: { listSettled } } as unknown as Bank };
}

const USD = { uid: 'u', currency: 'USD' };
test('many looks at once cost two scans: the one under way and the one after all have asked', async () => {
  const { asked, bank } = slowBank();
  const scan = sharedScans(bank, 100);
  const first = scan({ ...USD, from: 1_000 });
  await Promise.resolve();
  const others = Array.from({ length: 200 }, (_, index) => scan({ ...USD, from: 5_000 - index }));
  expect((await Promise.all([first, ...others])).every(({ stable }) => stable)).toBe(true);
  expect(asked).toHaveLength(2);
  expect(asked.map(({ from }) => from)).toEqual([1_000, 4_801]);
});

test('a scan begins after everybody who shares it has asked', async () => {
  const { asked, bank } = slowBank();
  const scan = sharedScans(bank, 100);
  await scan({ ...USD, from: 1 });
  const before = asked.length;
  await scan({ ...USD, from: 1 });
  expect(asked.length).toBe(before + 1);
});

test('users and currencies are scanned apart', async () => {
  const { asked, bank } = slowBank();
  const scan = sharedScans(bank, 100);
  await Promise.all([scan({ ...USD, from: 1 }), scan({ uid: 'u', currency: 'EUR', from: 1 })]);
  expect(asked).toHaveLength(2);
});

test('a scan that fails fails for those who share it, and the next one is made', async () => {
  const { asked, bank } = slowBank(true);
  const scan = sharedScans(bank, 100);
  const [first, ...shared] = [1, 2, 3].map((from) => scan({ ...USD, from }));
  await expect(first).rejects.toThrow();
  expect((await Promise.allSettled(shared)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(scan({ ...USD, from: 4 })).rejects.toThrow();
  expect(asked.map(({ from }) => from)).toEqual([1, 2, 4]);
});
