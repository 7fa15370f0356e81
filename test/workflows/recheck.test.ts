import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { MESSAGES } from '../../src/domain/names.ts';
import { until } from '../support/payout-routes.ts';
import { startProduct } from '../support/product.ts';

it('a payout that is short of money and asked to check again continues as soon as the money is there', async () => {
  const HOUR_MS = 3_600_000;
  await using product = await startProduct({ terms: { waits: { pollMs: HOUR_MS, pollMaxMs: HOUR_MS } } });
  const poor = { uid: 'u-1001', currency: 'USD', account_id: 'acc-poor-usd', balance: '1.00' };
  await product.sandboxTest('POST', 'accounts', poor);
  const handle = await product.start({ id: 'r', account_id: 'acc-poor-usd' });
  await until(handle, 'awaiting-funds');
  await handle.signal(MESSAGES.orderChanged);
  await until(handle, 'awaiting-funds');
  await product.sandboxTest('POST', 'accounts/acc-poor-usd/deposit', { amount: '1000.00' });
  await handle.signal(MESSAGES.orderChanged);
  const attempts = async () => (await product.store.attempts(referenceOf('u-1001', 'r'))).length;
  await expect.poll(attempts).toBe(1);
});

it('a held payout that is asked to check again does so long before it would by itself', async () => {
  const HOUR_MS = 3_600_000;
  await using product = await startProduct({ terms: { waits: { pollMs: HOUR_MS, pollMaxMs: HOUR_MS } } });
  await product.sandboxTest('POST', 'accounts/acc-u1001-usd/freeze');
  const handle = await product.start({ id: 'r' });
  expect((await until(handle, 'held')).reason?.code).toBe('account-frozen');
  await product.sandboxTest('POST', 'accounts/acc-u1001-usd/unfreeze');
  await handle.signal(MESSAGES.orderChanged);
  const attempts = async () => (await product.store.attempts(referenceOf('u-1001', 'r'))).length;
  await expect.poll(attempts).toBe(1);
});
