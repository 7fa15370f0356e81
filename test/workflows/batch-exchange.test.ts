import { expect, it } from 'vitest';
import { addDecimals } from '../../src/domain/money.ts';
import { payoutWorkflowId } from '../../src/domain/names.ts';
import { BATCH, runBatch, statesOf, storedRows } from '../support/claimed-batch.ts';
import { runExchanged } from '../support/exchanged-batch.ts';
import { type Product, startProduct } from '../support/product.ts';
import { until } from '../support/until.ts';

const THREE = [{ amount: '100.00' }, { amount: '50.00' }, { amount: '7.77' }];
/** The exchange of the three buys 160.77. */
const ASKED_OF_IT = { approvalRules: [{ kinds: ['exchange'] as const, approvals: 1 }] };
const BY = { by: 'alice' };

const exchangesAtBank = async ({ bank }: Product): Promise<number> => {
  const { orders } = await bank.orders.listAll({ uid: 'u-1001', currency: 'USD', from: 0 });
  return orders.filter(({ type }) => type === 'FX').length;
};

const dollars = async ({ bank }: Product): Promise<string> => (await bank.accounts.get('acc-u1001-usd')).balance;

const areAll =
  ({ store }: Product, state: string) =>
  async (): Promise<boolean> =>
    (await statesOf(store)).every((it) => it === state);

const sentFor = async ({ store }: Product): Promise<number> =>
  (await store.attemptsOf((await storedRows(store)).map(({ reference }) => reference))).length;

const handleOf = ({ client }: Product, workflowId: string) => client.workflow.getHandle(workflowId);

it('buys once for all rows, and pays them with it', async () => {
  await using product = await startProduct();
  const before = await dollars(product);
  const { batch, exchange } = await runExchanged(product, THREE);
  const { counts } = await batch.result();
  expect(counts).toMatchObject({ total: 3, completed: 3 });
  const bought = await product.store.payout(exchange);
  expect(bought).toMatchObject({ kind: 'exchange', batchId: BATCH, row: null, state: 'completed' });
  // The fees are bought with the amounts, and nothing is left over.
  expect(bought?.instruction.amount).toBe('160.77');
  expect(await dollars(product)).toBe(before);
  expect(await exchangesAtBank(product)).toBe(1);
});

it('pays rows that may sell nothing from what the account in their currency holds, with no exchange', async () => {
  await using product = await startProduct();
  const before = await dollars(product);
  const held = { account_id: 'acc-u1001-eur', sell_currency: 'EUR', max_rate: '0', paying_account_id: 'acc-u1001-usd' };
  const batch = await runBatch(
    product,
    THREE.map((row) => ({ ...row, ...held })),
  );
  expect((await batch.result()).counts).toMatchObject({ total: 3, completed: 3 });
  // With three fees of a dollar.
  expect(addDecimals(before, '-160.77')).toBe(await dollars(product));
  expect(await exchangesAtBank(product)).toBe(0);
});

it('pays no row before people have approved the exchange, also when the worker stops meanwhile', async () => {
  await using product = await startProduct({ settings: ASKED_OF_IT });
  const { batch, exchange } = await runExchanged(product, THREE);
  await until(areAll(product, 'awaiting-funds'));
  expect((await storedRows(product.store)).map(({ reason }) => reason?.code)).toEqual(
    THREE.map(() => 'awaiting-exchange'),
  );
  await product.restartWorker();
  expect(await sentFor(product)).toBe(0);
  await handleOf(product, payoutWorkflowId(exchange, 'exchange')).signal('approve', BY);
  expect((await batch.result()).counts).toMatchObject({ completed: 3 });
  expect(await exchangesAtBank(product)).toBe(1);
});

it('asks about each row if the exchange buys nothing: who lets it through pays it from its account, with no exchange', async () => {
  await using product = await startProduct({ settings: ASKED_OF_IT });
  const { batch, exchange } = await runExchanged(product, THREE);
  await until(areAll(product, 'awaiting-funds'));
  const refused = { by: 'alice', remark: 'the rate is bad' };
  await handleOf(product, payoutWorkflowId(exchange, 'exchange')).signal('reject', refused);
  await until(areAll(product, 'held'));
  const [first, second, third] = await storedRows(product.store);
  expect([first, second, third].map((row) => row?.reason?.code)).toEqual(THREE.map(() => 'exchange-not-made'));
  await handleOf(product, first?.workflowId ?? '').signal('approve', BY);
  await handleOf(product, second?.workflowId ?? '').signal('reject', refused);
  await handleOf(product, third?.workflowId ?? '').executeUpdate('cancel', { args: [{ ...BY, reason: 'not now' }] });
  expect((await batch.result()).counts).toMatchObject({ completed: 1, rejected: 1, cancelled: 1 });
  expect(await exchangesAtBank(product)).toBe(0);
});

it('a batch that is cancelled while its exchange is at the bank ends with what was bought, and no row paid', async () => {
  await using product = await startProduct({ sandbox: { settle: { SUBMITTED: 3_000 } } });
  const { batch, exchange } = await runExchanged(product, THREE);
  await until(async () => (await product.store.payout(exchange))?.state === 'processing');
  await until(areAll(product, 'awaiting-funds'));
  await batch.executeUpdate('cancel', { args: [BY] });
  expect((await batch.result()).counts).toMatchObject({ total: 3, cancelled: 3 });
  expect((await product.store.payout(exchange))?.state).toBe('completed');
  expect(await sentFor(product)).toBe(0);
});

it('a batch that is cancelled before its exchange is sent buys nothing', async () => {
  await using product = await startProduct({ settings: ASKED_OF_IT });
  const { batch, exchange } = await runExchanged(product, THREE);
  await until(areAll(product, 'awaiting-funds'));
  await batch.executeUpdate('cancel', { args: [BY] });
  expect((await batch.result()).counts).toMatchObject({ total: 3, cancelled: 3 });
  expect((await product.store.payout(exchange))?.state).toBe('cancelled');
  expect(await exchangesAtBank(product)).toBe(0);
});

it('counts the exchange as one of the first rows, which are completed before the others are released', async () => {
  await using product = await startProduct({ settings: ASKED_OF_IT });
  const { batch, exchange } = await runExchanged(product, THREE, { canary: 1 });
  await until(async () => (await statesOf(product.store))[0] === 'awaiting-funds');
  expect(await statesOf(product.store)).toEqual(['awaiting-funds', 'received', 'received']);
  await handleOf(product, payoutWorkflowId(exchange, 'exchange')).signal('approve', BY);
  expect((await batch.result()).counts).toMatchObject({ completed: 3 });
});

it('lets as many rows continue at a time as the window has room for', async () => {
  await using product = await startProduct({
    settings: { ...ASKED_OF_IT, window: 2, openOrders: 2 },
    sandbox: { settle: { SUBMITTED: 1_000 } },
  });
  const { batch, exchange } = await runExchanged(
    product,
    Array.from({ length: 6 }, () => ({ amount: '1.00' })),
  );
  await until(areAll(product, 'awaiting-funds'));
  await handleOf(product, payoutWorkflowId(exchange, 'exchange')).signal('approve', BY);
  let most = 0;
  await until(async () => {
    const states = await statesOf(product.store);
    most = Math.max(most, states.filter((state) => ['submitting', 'processing'].includes(state)).length);
    return states.every((state) => state === 'completed');
  });
  expect(most).toBeLessThanOrEqual(3);
  await batch.result();
});

it('pays no row that names what is no exchange of its batch', async () => {
  await using product = await startProduct();
  const other = { account_id: 'acc-u1001-eur', exchanged_by: 'fa1b9a0e-0000-5000-8000-000000000000' };
  await runBatch(product, [{ ...other, sell_currency: 'EUR', max_rate: '2', paying_account_id: 'acc-u1001-usd' }]);
  await until(areAll(product, 'held'));
  expect((await storedRows(product.store))[0]?.reason?.code).toBe('exchange-not-made');
  expect(await sentFor(product)).toBe(0);
  await product.stopWorker();
});
