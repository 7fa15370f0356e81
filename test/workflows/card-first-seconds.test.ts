import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CardProduct, cardOf, startCardProduct } from '../support/card-product.ts';

/** What a client may ask for as soon as it has the answer of the create; nobody waits for a state before it. */
const IDS = Array.from({ length: 20 }, (_, index) => `${index + 1}`);

describe.concurrent('right after the answer of the create', () => {
  let product: CardProduct;
  beforeAll(async () => {
    product = await startCardProduct();
  });
  afterAll(() => product[Symbol.asyncDispose]());

  it.each(IDS)('a card is taken, and used once (%s)', async (index) => {
    const id = `card-${index}`;
    const handle = await product.ask({ id, card: null });
    expect(await product.giveCard(id, 'success')).toMatchObject({ status: 200, body: { accepted: true } });
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
    expect((await product.paymentsOf(id)).map(({ status }) => status)).toEqual(['SUCCEEDED']);
  });

  it.each(IDS)('the same request with a card gives it (%s)', async (index) => {
    const id = `repeated-${index}`;
    const handle = await product.ask({ id, card: null });
    const asked = { merchant_request_id: id, amount: '49.90', currency: 'EUR', return_url: 'http://127.0.0.1/back' };
    const again = await product.call('POST', '/v1/card-payments', { ...asked, card: cardOf('success') });
    expect(again.status).toBe(200);
    expect(await handle.result()).toMatchObject({ state: 'succeeded' });
  });

  it.each(IDS)('the amount is changed (%s)', async (index) => {
    const id = `amount-${index}`;
    const handle = await product.ask({ id, card: null });
    const changed = await product.call('POST', `/v1/card-payments/${id}/amount`, { amount: '7.00' });
    expect(changed).toMatchObject({ status: 200, body: { amount: '7.00' } });
    await product.giveCard(id, 'success');
    await handle.result();
    expect((await product.paymentsOf(id)).map(({ amount }) => amount)).toEqual(['7.00']);
  });

  it.each(IDS)('the payment is cancelled, with or without a card (%s)', async (index) => {
    const id = `cancelled-${index}`;
    const handle = await product.ask({ id, card: null });
    if (Number(index) % 2 === 0) await product.giveCard(id, 'success');
    const cancelled = await product.call('POST', `/v1/card-payments/${id}/cancel`, { reason: 'order withdrawn' });
    expect(cancelled.status).toBe(200);
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
    expect(await product.paymentsOf(id)).toEqual([]);
  });
});
