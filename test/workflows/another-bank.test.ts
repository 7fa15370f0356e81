import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cursorBank } from '../contract/cursor-bank/provider.ts';
import { type CursorBank, startCursorBank } from '../contract/cursor-bank/server.ts';
import { until } from '../support/payout-routes.ts';
import { type Product, startProduct } from '../support/product.ts';

const PAYEE = {
  uid: 'o-1',
  account_id: 'pot-1',
  amount: '10.00',
  currency: 'USD',
  beneficiary_id: undefined,
  beneficiary_type: 'personal',
  payment_type: 'wire',
  holder: 'Sample Payee',
  account_no: '12345678',
};

describe('a payout at a bank with other codes, words and times, and a cursor', () => {
  let server: CursorBank;
  let product: Product;
  beforeAll(async () => {
    server = await startCursorBank();
    product = await startProduct({ bank: () => cursorBank(server.url) });
  });
  afterAll(async () => {
    await product?.[Symbol.asyncDispose]();
    await server?.close();
  });

  it('adds its payee and is paid', async () => {
    const before = server.payments.length;
    const handle = await product.start({ id: 'plain', ...PAYEE });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(server.payments).toHaveLength(before + 1);
  });

  it('whose answer is lost is found in the list and paid once', async () => {
    server.losesAnswers = 1;
    const before = server.payments.length;
    const handle = await product.start({ id: 'lost', ...PAYEE });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(server.payments).toHaveLength(before + 1);
  });

  it('is held by a pot that the bank has blocked and shows people the code of the bank', async () => {
    const handle = await product.start({ id: 'blocked', ...PAYEE, account_id: 'pot-3' });
    const { reason } = await until(handle, 'held');
    expect(reason).toMatchObject({ code: 'account-frozen', message: expect.stringContaining('code 31') });
    const pot = server.pots.get('pot-3');
    if (pot !== undefined) pot.blocked = false;
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });
});
