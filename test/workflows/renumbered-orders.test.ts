import { describe, expect, it } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { envelopeError } from '../../src/bank/errors.ts';
import type { Order } from '../../src/bank/schemas/orders.ts';
import { referenceOf } from '../../src/domain/identity.ts';
import type { PayoutStateView, ResolveAnswer } from '../../src/workflows/messages.ts';
import { until } from '../support/payout-routes.ts';
import { ordersUnder, startProduct } from '../support/product.ts';
import { until as untilTrue } from '../support/until.ts';

/** A bank that gives open orders other ids, under which it then shows them; `redirects`: it finds them by the earlier ones too. */
function renumbering(redirects = false) {
  const ids = new Map<string, string>();
  const shown = (order: Order): Order => ({ ...order, order_id: ids.get(order.order_id) ?? order.order_id });
  const bank = (real: Bank): Bank => ({
    ...real,
    orders: {
      ...real.orders,
      get: async (orderId, options) => {
        if (ids.has(orderId) && !redirects) throw envelopeError(2005, { operation: 'GET' });
        const [before = orderId] = [...ids].find(([, id]) => id === orderId) ?? [];
        return shown(await real.orders.get(before, options));
      },
      listAll: async (...asked) => {
        const scan = await real.orders.listAll(...asked);
        return { ...scan, orders: scan.orders.map(shown) };
      },
      listStable: async (...asked) => {
        const scan = await real.orders.listStable(...asked);
        return { ...scan, orders: scan.orders.map(shown) };
      },
    },
  });
  return { bank, renumber: (orderId: string) => ids.set(orderId, `new-${orderId}`) };
}

/** An open order that gets another id once it was read. */
async function renumbered(id: string, redirects?: boolean) {
  const { bank, renumber } = renumbering(redirects);
  const product = await startProduct({ bank, terms: { waits: { lateCommitMs: 200, listLagMs: 100 } } });
  const handle = await product.start({ id, note: 'sandbox:stuck' });
  const reference = referenceOf('u-1001', id);
  await until(handle, 'processing');
  await untilTrue(async () => (await ordersUnder(product, reference)).length === 1);
  const [{ order_id: before = '' } = {}] = await ordersUnder(product, reference);
  await handle.signal('orderChanged');
  renumber(before);
  const view = () => handle.query<PayoutStateView>('state');
  await untilTrue(async () => (await view()).orderId === `new-${before}`);
  const ends = (status: string) => product.sandboxTest('POST', `orders/${before}/status`, { status, stay: true });
  return { product, handle, reference, now: `new-${before}`, ends, view };
}

describe.concurrent('an open order that the bank gives another id', () => {
  it.each([
    ['alone', false],
    ['beside the earlier one', true],
  ])('by which %s it is found, is followed to its end, and nothing is sent again', async (_which, redirects) => {
    const { product, handle, reference, now, ends, view } = await renumbered('renumbered', redirects);
    await using _product = product;
    expect((await view()).state).toBe('processing');
    await ends('COMPLETED');
    expect(await handle.result()).toMatchObject({ state: 'completed', reason: null, orderId: now });
    expect((await product.store.payout(reference))?.orderId).toBe(now);
    expect(await ordersUnder(product, reference)).toHaveLength(1);
  });

  it('asks people if it takes no money, since the first one may be another order', async () => {
    const { product, handle, reference, now, ends, view } = await renumbered('failed');
    await using _product = product;
    await ends('FAILED');
    await untilTrue(async () => (await view()).reason?.code === 'duplicate-suspected');
    const request = { action: 'adopt-order', by: 'alice', evidence: 'asked the bank', orderId: now };
    const answer = await handle.executeUpdate<ResolveAnswer, [object]>('resolve', { args: [request] });
    expect(answer.accepted).toBe(true);
    expect(await handle.result()).toMatchObject({ state: 'failed', reason: { code: 'bank-failed' } });
    expect(await ordersUnder(product, reference)).toHaveLength(1);
  });

  it('asks people too if the earlier id shows it, since that may have been a wrong answer', async () => {
    const { product, handle, now, ends, view } = await renumbered('redirected', true);
    await using _product = product;
    await ends('FAILED');
    await untilTrue(async () => (await view()).reason?.code === 'duplicate-suspected');
    const request = { action: 'adopt-order', by: 'alice', evidence: 'asked the bank', orderId: now };
    await handle.executeUpdate<ResolveAnswer, [object]>('resolve', { args: [request] });
    expect(await handle.result()).toMatchObject({ state: 'failed', reason: { code: 'bank-failed' } });
  });

  it('is followed too where it is the exchange before a payment', async () => {
    const { bank, renumber } = renumbering();
    const terms = { waits: { lateCommitMs: 200, listLagMs: 100 } };
    await using product = await startProduct({ bank, terms, sandbox: { settle: { SUBMITTED: 3_600_000 } } });
    const exchanges = async () => {
      const { orders } = await product.bank.orders.listAll({ uid: 'u-1001', currency: 'USD', from: 0 });
      return orders.filter(({ type }) => type === 'FX');
    };
    const handle = await product.start({ id: 'sold', account_id: 'acc-u1001-eur' });
    const view = () => handle.query<PayoutStateView>('state');
    await untilTrue(async () => (await exchanges())[0]?.status === 'SUBMITTED');
    const [{ order_id: before = '' } = {}] = await exchanges();
    await untilTrue(async () => (await view()).evidence.some(({ what }) => what.includes(`as order ${before}`)));
    renumber(before);
    await untilTrue(async () =>
      (await view()).evidence.some(({ what }) => what.includes(`order new-${before} is followed`)),
    );
    await product.sandboxTest('POST', `orders/${before}/status`, { status: 'COMPLETED' });
    const payments = () => ordersUnder(product, referenceOf('u-1001', 'sold'));
    await untilTrue(async () => (await payments())[0]?.status === 'SUBMITTED');
    await product.sandboxTest('POST', `orders/${(await payments())[0]?.order_id}/status`, { status: 'COMPLETED' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await exchanges()).toHaveLength(1);
  });

  it('ends under its present id if a read by the earlier one is all that shows it', async () => {
    const { bank, renumber } = renumbering(true);
    const unlisted = (real: Bank): Bank => {
      const { orders, ...others } = bank(real);
      const listAll: typeof orders.listAll = async (...asked) => ({ ...(await orders.listAll(...asked)), orders: [] });
      return { ...others, orders: { ...orders, listAll } };
    };
    await using product = await startProduct({ bank: unlisted });
    const handle = await product.start({ id: 'unlisted', note: 'sandbox:stuck' });
    const reference = referenceOf('u-1001', 'unlisted');
    await until(handle, 'processing');
    await untilTrue(async () => (await product.store.payout(reference))?.orderId != null);
    const before = (await product.store.payout(reference))?.orderId ?? '';
    renumber(before);
    await product.sandboxTest('POST', `orders/${before}/status`, { status: 'COMPLETED', stay: true });
    await handle.signal('orderChanged');
    expect(await handle.result()).toMatchObject({ state: 'completed', orderId: `new-${before}` });
    expect((await product.store.payout(reference))?.orderId).toBe(`new-${before}`);
  });

  it.each([
    ['to its end', undefined, 'completed'],
    ['if it takes no money, of which there is no notice', 'sandbox:fail', 'failed'],
  ])('is followed by its reference %s where the id of another order was returned for it', async (_how, note, state) => {
    const ids: string[] = [];
    const bank = (real: Bank): Bank => ({
      ...real,
      transactions: {
        ...real.transactions,
        payment: async (...asked) => {
          const made = await real.transactions.payment(...asked);
          ids.push(made.order_id);
          return { ...made, order_id: ids[0] ?? '' };
        },
      },
    });
    await using product = await startProduct({
      bank,
      sandbox: { settle: { ACCEPTED: 0, SUBMITTING: 0, SUBMITTED: 0 } },
    });
    expect(await (await product.start({ id: 'first' })).result()).toMatchObject({
      state: 'completed',
      orderId: ids[0],
    });
    const result = await (await product.start({ id: 'second', ...(note !== undefined && { note }) })).result();
    expect(result).toMatchObject({ state, orderId: ids[1] });
  });
});
