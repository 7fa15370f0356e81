import { describe, expect, it } from 'vitest';
import type { Bank, OrderScan } from '../../src/bank/bank.ts';
import { BankError } from '../../src/bank/errors.ts';
import type { Order } from '../../src/bank/schemas/orders.ts';
import { referenceOf } from '../../src/domain/identity.ts';
import type { ResolveRequest } from '../../src/domain/payout-state.ts';
import type { ResolveAnswer } from '../../src/workflows/messages.ts';
import { type PayoutHandle, until } from '../support/payout-routes.ts';
import { DEFAULT_PAYMENT, ordersUnder, type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until as untilTrue } from '../support/until.ts';

const PAYMENT_URL = '/v1/banking/transactions/payment';

/** A bank that shows each order otherwise than it was sent. */
const showing =
  (shown: (order: Order) => Order) =>
  (bank: Bank): Bank => {
    const all = ({ orders, ...scan }: OrderScan): OrderScan => ({ ...scan, orders: orders.map(shown) });
    const orders: Bank['orders'] = {
      ...bank.orders,
      get: async (...args) => shown(await bank.orders.get(...args)),
      listAll: async (...args) => all(await bank.orders.listAll(...args)),
      listStable: async (...args) => all(await bank.orders.listStable(...args)),
    };
    return { ...bank, orders };
  };

const says = (
  handle: PayoutHandle,
  by: string,
  wish: Pick<ResolveRequest, 'action' | 'orderId'>,
): Promise<ResolveAnswer> =>
  handle.executeUpdate('resolve', { args: [{ ...wish, by, evidence: 'letter of the bank' }] });

/** The first person to say it is noted, and the same person does not count twice. */
async function bothSay(handle: PayoutHandle, wish: Pick<ResolveRequest, 'action' | 'orderId'>): Promise<void> {
  await untilTrue(async () => (await says(handle, 'alice', wish)).message.includes('a second person'));
  expect(await says(handle, 'Alice', wish)).toMatchObject({ accepted: false });
  expect(await says(handle, 'bob', wish)).toEqual({ accepted: true, message: expect.any(String) });
}

const untilConflict = (product: Product, id: string): Promise<void> =>
  untilTrue(async () => {
    const row = await product.store.payout(referenceOf('u-1001', id));
    return row?.reason?.code === 'reference-conflict';
  });

describe.concurrent('what the bank does not show as it was sent, two people settle with evidence', () => {
  it('an order whose answer was lost, and whose reference came back cut, is adopted', async () => {
    await using product = await startProduct({ sandbox: { profile: { references: 'cut', dedupe: 'none' } as never } });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-after' });
    const handle = await product.start({ id: 'cut' });
    await untilConflict(product, 'cut');
    const reference = referenceOf('u-1001', 'cut');
    const [order] = await ordersUnder(product, reference);
    const { reason } = await until(handle, 'needs-operator');
    expect(reason?.message).toContain(order?.order_id);
    expect(await says(handle, 'alice', { action: 'close-as-not-paid' })).toMatchObject({ accepted: false });
    await bothSay(handle, { action: 'adopt-order', orderId: order?.order_id });
    expect(await handle.result()).toMatchObject({ state: 'completed', orderId: order?.order_id });
    expect(await ordersUnder(product, reference)).toHaveLength(1);
    await recordHistory(handle, 'payout', 'order-with-a-cut-reference-adopted');
  });

  it('one that shows no reference is adopted', async () => {
    await using product = await startProduct({
      terms: { referenceDedupe: 'none' },
      bank: showing((order) => ({ ...order, client_order_id: undefined })),
    });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-after' });
    const handle = await product.start({ id: 'hidden' });
    await until(handle, 'needs-operator');
    const [order] = await ordersUnder(product, referenceOf('u-1001', 'hidden'));
    await bothSay(handle, { action: 'adopt-order', orderId: order?.order_id });
    expect(await handle.result()).toMatchObject({ state: 'completed', orderId: order?.order_id });
  });

  it('a payout whose reference the bank has for something else is closed', async () => {
    await using product = await startProduct();
    const reference = referenceOf('u-1001', 'foreign');
    await product.bankCall('POST', PAYMENT_URL, { ...DEFAULT_PAYMENT, reference, amount: '99.00' });
    const handle = await product.start({ id: 'foreign' });
    await untilConflict(product, 'foreign');
    await bothSay(handle, { action: 'close-as-not-paid' });
    expect(await handle.result()).toMatchObject({
      state: 'failed',
      reason: { code: 'closed-by-operator', message: expect.stringContaining('by alice and bob') },
    });
    await recordHistory(handle, 'payout', 'closed-beside-an-order-for-something-else');
  });

  it.each([
    ['COMPLETED', 'adopt-order', 'completed'],
    ['REJECTED', 'close-as-not-paid', 'failed'],
  ] as const)('an accepted order that is shown with another amount as %s: %s', async (status, action, state) => {
    await using product = await startProduct({
      terms: { waits: { patienceMs: 500 } },
      bank: showing((order) => ({ ...order, transaction_amount: '12.49' })),
    });
    const id = `shown-${status}`;
    const handle = await product.start({ id, note: 'sandbox:stuck' });
    await untilConflict(product, id);
    const [order] = await ordersUnder(product, referenceOf('u-1001', id));
    const orderId = order?.order_id;
    expect(await says(handle, 'alice', { action: 'close-as-not-paid' })).toMatchObject({
      accepted: false,
      message: 'the bank shows an order that takes money, or still may',
    });
    await product.sandboxTest('POST', `orders/${orderId}/status`, { status, stay: true });
    await bothSay(handle, action === 'adopt-order' ? { action, orderId } : { action });
    expect(await handle.result()).toMatchObject({ state, orderId });
    await recordHistory(handle, 'payout', `another-amount-shown-${status.toLowerCase()}`);
  });

  it('a payout is closed whose accepted order the bank never shows', async () => {
    await using product = await startProduct({
      terms: { waits: { statusAgeLimitMs: 500, patienceMs: 500 } },
      bank: (bank) => ({
        ...bank,
        transactions: { ...bank.transactions, payment: async () => ({ order_id: 'ord-nobody' }) as never },
      }),
    });
    const handle = await product.start({ id: 'nobody' });
    const { reason } = await until(handle, 'needs-operator');
    expect(reason).toMatchObject({ code: 'status-stuck', message: expect.stringContaining('NOT_FOUND') });
    await bothSay(handle, { action: 'close-as-not-paid' });
    expect(await handle.result()).toMatchObject({
      state: 'failed',
      reason: {
        code: 'closed-by-operator',
        message: 'an operator closed it as not paid (by alice and bob, bank status NOT_FOUND)',
      },
    });
    await recordHistory(handle, 'payout', 'closed-beside-an-order-that-nobody-shows');
  });

  it('a payout is not closed while the list shows its order, though no read by its id finds it', async () => {
    let isFound = false;
    const notFound = new BankError('no such order', {
      outcome: 'refused',
      retryable: false,
      operation: 'orders.get',
      code: 2005,
      condition: 'order-not-found',
    });
    await using product = await startProduct({
      terms: { waits: { statusAgeLimitMs: 500, patienceMs: 500 } },
      bank: (bank) => ({
        ...bank,
        orders: { ...bank.orders, get: (...args) => (isFound ? bank.orders.get(...args) : Promise.reject(notFound)) },
      }),
    });
    const handle = await product.start({ id: 'listed', note: 'sandbox:stuck' });
    await until(handle, 'needs-operator');
    for (const by of ['alice', 'bob']) {
      expect(await says(handle, by, { action: 'close-as-not-paid' })).toEqual({
        accepted: false,
        message: 'the order list of the bank shows an order that may be this one',
      });
    }
    const [order] = await ordersUnder(product, referenceOf('u-1001', 'listed'));
    isFound = true;
    await product.sandboxTest('POST', `orders/${order?.order_id}/status`, { status: 'COMPLETED', stay: true });
    expect(await handle.result()).toMatchObject({ state: 'completed', orderId: order?.order_id });
  });
});
