import { describe, expect, it } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { referenceOf } from '../../src/domain/identity.ts';
import { REFUSALS_BELIEVED } from '../../src/domain/submission.ts';
import { until } from '../support/payout-routes.ts';
import { type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';

const REFERENCE = referenceOf('u-1001', 'r');

const refuse = (product: Product, code: number, times: number): Promise<unknown> =>
  product.sandboxTest('POST', 'faults', {
    operation: 'transactions.payment',
    kind: 'code',
    code,
    commit: false,
    times,
  });

const attempts = async (product: Product): Promise<number> => (await product.store.attempts(REFERENCE)).length;

const reasonOf = async (product: Product) => (await product.store.payout(REFERENCE))?.reason?.code;

/** A cache in front of the bank answers every read of this account as it once was. */
const cached =
  (balance: string) =>
  (bank: Bank): Bank => ({
    ...bank,
    accounts: {
      ...bank.accounts,
      get: async (...asked) => ({ ...(await bank.accounts.get(...asked)), balance, isStale: true }),
    },
  });

describe.concurrent('a balance that a cache serves for ever', () => {
  it('holds no payout that the bank executes', async ({ expect }) => {
    await using product = await startProduct({ bank: cached('0.00') });
    const handle = await product.start({ id: 'r' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it.each(['0.00', '1000000.00'])(
    'shows (%s) nothing of a refusal for lack of money, and is reported',
    async (balance) => {
      await using product = await startProduct({ bank: cached(balance) });
      await refuse(product, 2010, 100);
      const handle = await product.start({ id: 'r' });
      await expect.poll(() => reasonOf(product)).toBe('balance-from-cache');
      expect(await attempts(product)).toBe(REFUSALS_BELIEVED);
      await handle.executeUpdate('cancel', { args: [{ by: 'dave', reason: 'the account is empty' }] });
      expect(await handle.result()).toMatchObject({ state: 'cancelled' });
    },
  );
});

describe.concurrent('a bank that keeps refusing what it shows no reason to refuse', () => {
  it('is reported to people after a few attempts; an approval sends once more, and the payout can be cancelled', async ({
    expect,
  }) => {
    await using product = await startProduct();
    await refuse(product, 2010, 100);
    const handle = await product.start({ id: 'r' });
    await expect.poll(() => reasonOf(product)).toBe('refusal-contradicted');
    expect((await product.store.payout(REFERENCE))?.reason?.message).toMatch(
      /2010.*the account holds 1,000,000\.00, and [\d.]+ are needed/,
    );
    expect(await attempts(product)).toBe(REFUSALS_BELIEVED);
    await handle.signal('approve', { by: 'alice' });
    await expect.poll(() => attempts(product)).toBe(REFUSALS_BELIEVED + 1);
    await expect.poll(() => reasonOf(product)).toBe('refusal-contradicted');
    await handle.executeUpdate('cancel', { args: [{ by: 'dave', reason: 'pay it under a new reference' }] });
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
    await recordHistory(handle, 'payout', 'refused-for-ever');
  });

  it('is believed while it refuses less often', async ({ expect }) => {
    await using product = await startProduct();
    await refuse(product, 2010, REFUSALS_BELIEVED - 1);
    const handle = await product.start({ id: 'r' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await attempts(product)).toBe(REFUSALS_BELIEVED);
  });

  it('is believed about a frozen account however often it says so, as long as the list may lag behind', async ({
    expect,
  }) => {
    await using product = await startProduct({ terms: { waits: { listLagMs: 1_500 } } });
    await refuse(product, 2007, 100);
    const handle = await product.start({ id: 'r' });
    expect((await until(handle, 'held')).reason?.code).toBe('account-frozen');
    const seen = new Set<string>();
    while ((await attempts(product)) <= REFUSALS_BELIEVED) {
      const row = await product.store.payout(REFERENCE);
      if (row?.state === 'held') seen.add(`${row.reason?.code}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect([...seen]).toEqual(['account-frozen']);
    await handle.executeUpdate('cancel', { args: [{ by: 'dave', reason: 'pay it under a new reference' }] });
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
  });
});
