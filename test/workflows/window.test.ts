import { describe, expect, it } from 'vitest';
import { BATCH, runBatch, statesOf } from '../support/claimed-batch.ts';
import { type Product, startProduct } from '../support/product.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;
/** Orders of this bank settle when its clock is moved on, and not before. */
const SLOW_BANK = { settle: { SUBMITTED: HOUR_MS } };

interface BankOrder {
  status: string;
  created_at: number;
  updated_at: number;
}

const ordersOf = async (product: Product): Promise<BankOrder[]> =>
  ((await product.sandboxTest('GET', 'state')) as { orders: BankOrder[] }).orders;

const countOf = async ({ store }: Product, state: string): Promise<number> =>
  (await statesOf(store)).filter((it) => it === state).length;

/** The most orders that were open at one time, by the bank's books; all of them are completed. */
function mostOpen(orders: readonly BankOrder[]): number {
  const openAt = (time: number): number =>
    orders.filter(({ created_at, updated_at }) => created_at <= time && time < updated_at).length;
  return Math.max(...orders.map(({ created_at }) => openAt(created_at)));
}

describe.concurrent('rows of a batch at a bank that settles in an hour', () => {
  it('are all sent, with a window of 5: it counts what the bank has not accepted', async () => {
    await using product = await startProduct({ settings: { window: 5 }, sandbox: SLOW_BANK });
    await runBatch(product, Array(40).fill({}));
    await until(async () => (await countOf(product, 'processing')) === 40);
    const orders = await ordersOf(product);
    expect(orders).toHaveLength(40);
    expect(orders.filter(({ status }) => status === 'COMPLETED')).toEqual([]);
  });

  it('are never more open there than the cap, which releases the next ones as orders end', async () => {
    await using product = await startProduct({ settings: { window: 7, openOrders: 10 }, sandbox: SLOW_BANK });
    const batch = await runBatch(product, Array(25).fill({}));
    for (const sent of [10, 20, 25]) {
      await until(async () => (await ordersOf(product)).length === sent && (await atWork(product)) === 0);
      expect(await countOf(product, 'received')).toBe(25 - sent);
      product.sandbox.clock.advance(2 * HOUR_MS);
    }
    expect(await batch.result()).toMatchObject({ counts: { total: 25, completed: 25 } });
    expect(mostOpen(await ordersOf(product))).toBe(10);
  });
});

/** Rows that have been released and are not at the bank yet. */
async function atWork({ store }: Product): Promise<number> {
  return (await store.inFlight(BATCH)).unaccepted;
}
