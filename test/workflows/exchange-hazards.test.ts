import { describe, expect, it } from 'vitest';
import { addDecimals, compareDecimals } from '../../src/domain/money.ts';
import { statesOf, storedRows } from '../support/claimed-batch.ts';
import { runExchanged } from '../support/exchanged-batch.ts';
import { LOST_ANSWERS_BY_EFFECT } from '../support/lost-answers.ts';
import { type Product, startProduct } from '../support/product.ts';
import { until } from '../support/until.ts';

const THREE = [{ amount: '100.00' }, { amount: '50.00' }, { amount: '7.77' }];
const BY = { by: 'alice' };

const dollars = async ({ bank }: Product): Promise<string> => (await bank.accounts.get('acc-u1001-usd')).balance;
const euros = async ({ bank }: Product): Promise<string> => (await bank.accounts.get('acc-u1001-eur')).balance;

const exchangesAtBank = async ({ bank }: Product) => {
  const { orders } = await bank.orders.listAll({ uid: 'u-1001', currency: 'USD', from: 0 });
  return orders.filter(({ type }) => type === 'FX');
};

const isExchange =
  ({ store }: Product, exchange: string, state: string) =>
  async (): Promise<boolean> =>
    (await store.payout(exchange))?.state === state;

const areAll =
  ({ store }: Product, state: string) =>
  async (): Promise<boolean> =>
    (await statesOf(store)).every((it) => it === state);

/** Sold once, for as much as the plan quoted, to a minor unit; what was bought is what was paid. */
async function expectSoldOnce(product: Product, { before, quoted }: { before: [string, string]; quoted: string }) {
  const sold = addDecimals(before[0], `-${await euros(product)}`);
  expect(compareDecimals(sold, addDecimals(quoted, '0.01'))).not.toBe(1);
  expect(compareDecimals(sold, addDecimals(quoted, '-0.01'))).not.toBe(-1);
  expect(await dollars(product)).toBe(before[1]);
}

const balances = async (product: Product): Promise<[string, string]> => [await euros(product), await dollars(product)];

describe.concurrent('an exchange for all rows', () => {
  it.each(LOST_ANSWERS_BY_EFFECT)('whose answer is lost ($name) is made once', async ({ fault }) => {
    await using product = await startProduct();
    const before = await balances(product);
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.fx', ...fault });
    const { batch, quoted } = await runExchanged(product, THREE);
    expect((await batch.result()).counts).toMatchObject({ total: 3, completed: 3 });
    await expectSoldOnce(product, { before, quoted });
  });

  it('is completed while no worker runs: its rows are paid once one does', async () => {
    await using product = await startProduct({ sandbox: { settle: { SUBMITTED: 3_600_000 } } });
    const before = await balances(product);
    const { batch, exchange, quoted } = await runExchanged(product, THREE);
    await until(isExchange(product, exchange, 'processing'));
    await until(areAll(product, 'awaiting-funds'));
    await product.stopWorker();
    const [order] = await exchangesAtBank(product);
    await product.sandboxTest('POST', `orders/${order?.order_id}/status`, { status: 'COMPLETED' });
    await product.restartWorker();
    await until(isExchange(product, exchange, 'completed'));
    await until(areAll(product, 'processing'));
    await product.sandboxTest('POST', 'clock', { advance_ms: 3_700_000 });
    expect((await batch.result()).counts).toMatchObject({ completed: 3 });
    await expectSoldOnce(product, { before, quoted });
  });

  it('is completed, and the worker is gone before a row continues', async () => {
    await using product = await startProduct();
    const before = await balances(product);
    const { batch, exchange, quoted } = await runExchanged(product, THREE);
    await until(isExchange(product, exchange, 'completed'));
    await product.restartWorker();
    expect((await batch.result()).counts).toMatchObject({ completed: 3 });
    await expectSoldOnce(product, { before, quoted });
  });

  it('that failed and is shown as completed later is an incident, and no row is paid without people', async () => {
    await using product = await startProduct({ sandbox: { settle: { SUBMITTED: 3_600_000 } } });
    const { batch, exchange } = await runExchanged(product, THREE);
    await until(isExchange(product, exchange, 'processing'));
    const [order] = await exchangesAtBank(product);
    await product.sandboxTest('POST', `orders/${order?.order_id}/status`, { status: 'FAILED', stay: true });
    await until(areAll(product, 'held'));
    expect((await storedRows(product.store)).map(({ reasonCode }) => reasonCode)).toEqual(
      THREE.map(() => 'exchange-not-made'),
    );
    await product.sandboxTest('POST', `orders/${order?.order_id}/status`, { status: 'COMPLETED', stay: true });
    await until(async () => (await product.store.incidentsOf([exchange])).length > 0);
    expect(await statesOf(product.store)).toEqual(THREE.map(() => 'held'));
    for (const { workflowId } of await storedRows(product.store))
      await product.client.workflow.getHandle(workflowId).signal('reject', { ...BY, remark: 'asks the bank first' });
    expect((await batch.result()).counts).toMatchObject({ rejected: 3 });
    expect(await exchangesAtBank(product)).toHaveLength(1);
  });

  it('stays made for a row that is cancelled after it, and the others are paid', async () => {
    const approvalRules = [{ kinds: ['payout'] as const, approvals: 1 }];
    await using product = await startProduct({ settings: { approvalRules } });
    const [, before] = await balances(product);
    const { batch, exchange } = await runExchanged(product, THREE);
    await until(areAll(product, 'awaiting-approval'));
    await until(isExchange(product, exchange, 'completed'));
    const [first, ...others] = (await storedRows(product.store)).map(({ workflowId }) =>
      product.client.workflow.getHandle(workflowId),
    );
    await first?.executeUpdate('cancel', { args: [{ ...BY, reason: 'not now' }] });
    for (const other of others) await other.signal('approve', BY);
    expect((await batch.result()).counts).toMatchObject({ cancelled: 1, completed: 2 });
    expect(compareDecimals(addDecimals(await dollars(product), `-${before}`), '100.00')).not.toBe(-1);
    expect(await exchangesAtBank(product)).toHaveLength(1);
  });
});
