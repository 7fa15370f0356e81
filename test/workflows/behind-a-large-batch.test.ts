import { describe, expect, it } from 'vitest';
import type { BatchControl, PayoutState } from '../../src/domain/payout-state.ts';
import { startBatch } from '../../src/platform/temporal/workflow-executions.ts';
import { rowsOf } from '../support/claimed-batch.ts';
import { type Product, startProduct } from '../support/product.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;
const SLOW_BANK = { settle: { SUBMITTED: HOUR_MS } };

/** Claims a batch of so many rows, documents named for it, and starts it. */
async function start(product: Product, batchId: string, count: number, control?: BatchControl): Promise<void> {
  const rows = rowsOf(Array.from({ length: count }, (_, n) => ({ id: `${batchId}-${n}` })));
  await product.store.claimBatch({ batchId, file: 'test.csv', sha256: batchId, by: 'maker', rows, at: Date.now() });
  if (control !== undefined) await product.store.controlBatch({ batchId, control, by: 'alice', at: Date.now() });
  await startBatch(product.client, batchId, 'test.csv');
}

const countOf = async ({ store }: Product, batchId: string, ...states: PayoutState[]): Promise<number> => {
  const counts = await store.stateCounts(batchId);
  return states.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
};

describe('a batch of one row behind a large one of the same user', () => {
  it('is sent while the large one is being released', async () => {
    await using product = await startProduct({ settings: { window: 10 } });
    await start(product, 'large', 200);
    await until(async () => (await countOf(product, 'large', 'received')) <= 180);
    const before = await countOf(product, 'large', 'received');
    await start(product, 'small', 1);
    await until(async () => (await countOf(product, 'small', 'processing', 'completed')) === 1);
    const released = before - (await countOf(product, 'large', 'received'));
    // As many as the two have windows for, some times over, and not what was there before it.
    expect(released).toBeLessThan(before / 2);
    await product.stopWorker();
  });

  it('is sent though the large one has as many orders open as all together may have', async () => {
    await using product = await startProduct({ settings: { window: 4, openOrders: 8 }, sandbox: SLOW_BANK });
    await start(product, 'large', 20);
    await until(async () => (await countOf(product, 'large', 'processing')) === 8);
    await start(product, 'small', 6);
    await until(async () => (await countOf(product, 'small', 'processing')) === 4);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await countOf(product, 'small', 'processing')).toBe(4);
    expect(await countOf(product, 'large', 'processing')).toBe(8);
  });
});

it('more batches that wait than the SDK has places for activities keep no payout from being sent', async () => {
  await using product = await startProduct({ settings: { batchPulseMs: 1_000 } });
  const waiting = Array.from({ length: 105 }, (_, n) => `waiting-${n}`);
  for (const batchId of waiting) await start(product, batchId, 1, 'paused');
  await start(product, 'small', 1);
  await until(async () => (await countOf(product, 'small', 'completed')) === 1);
  for (const batchId of waiting) expect(await countOf(product, batchId, 'received')).toBe(1);
  await product.stopWorker();
});
