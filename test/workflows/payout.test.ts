import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from '../support/product.ts';

describe('a payout', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(async () => {
    await product[Symbol.asyncDispose]();
  });

  it('is paid once, and its history has at most 20 events', async () => {
    const handle = await product.start({ id: 'happy-1' });
    const result = await handle.result();
    expect(result).toMatchObject({ state: 'completed', reason: null });
    const { events } = await handle.fetchHistory();
    expect(events?.length).toBeLessThanOrEqual(20);
  });
});
