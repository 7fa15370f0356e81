import { describe, expect, it } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import type { Order } from '../../src/bank/schemas/orders.ts';
import type { PayoutStateView } from '../../src/workflows/messages.ts';
import { type Product, startProduct } from '../support/product.ts';

/** A bank whose first answers about an order, or whose first lists with one, are wrong. */
const bankThatErrs = (times: number, wrong: Partial<Order>, where: 'reads' | 'lists') => {
  let left = times;
  const erring = (order: Order): Order => ({ ...order, ...wrong });
  return (bank: Bank): Bank => ({
    ...bank,
    orders: {
      ...bank.orders,
      get: async (...asked) => {
        const order = await bank.orders.get(...asked);
        if (where === 'reads' && left > 0) left -= 1;
        else return order;
        return erring(order);
      },
      listStable: async (...asked) => {
        const scan = await bank.orders.listStable(...asked);
        if (where === 'lists' && left > 0 && scan.orders.length > 0) left -= 1;
        else return scan;
        return { ...scan, orders: scan.orders.map(erring) };
      },
    },
  });
};

const OTHER_AMOUNT = { transaction_amount: '1.00', fee: '0', fee_currency: 'USD' };
const CLOSED = { status: 'CLOSED', stage: 'closed' } as const;

async function states(product: Product, id: string): Promise<{ state: string; parked: boolean }> {
  const handle = await product.start({ id });
  const { state } = await handle.result();
  const { evidence } = await handle.query<PayoutStateView>('state');
  return { state, parked: evidence.some(({ what }) => what.startsWith('needs-operator')) };
}

describe.concurrent('a bank that errs about an order', () => {
  it.each([
    ['in another amount', OTHER_AMOUNT],
    ['in a status of no meaning', CLOSED],
  ])('%s, for some seconds, asks nobody', async (_, wrong) => {
    await using product = await startProduct({ bank: bankThatErrs(3, wrong, 'reads') });
    expect(await states(product, 'odd')).toEqual({ state: 'completed', parked: false });
  });

  it('for longer, asks people, who need not answer: the payout goes on by itself', async () => {
    await using product = await startProduct({ bank: bankThatErrs(7, OTHER_AMOUNT, 'reads') });
    expect(await states(product, 'odd')).toEqual({ state: 'completed', parked: true });
  });

  it('in a list that is searched for it, asks nobody', async () => {
    await using product = await startProduct({
      settings: { listPollMs: 3_600_000, listPollMaxMs: 3_600_000 },
      terms: { waits: { patienceMs: 1_000 } },
      bank: bankThatErrs(2, OTHER_AMOUNT, 'lists'),
    });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-after' });
    expect(await states(product, 'lost')).toEqual({ state: 'completed', parked: false });
  });
});
