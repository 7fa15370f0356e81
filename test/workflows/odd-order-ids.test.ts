import { expect, it } from 'vitest';
import { until } from '../support/payout-routes.ts';
import { startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';

const PATH = '../accounts';

// In clear words for the case that one fails: the ids themselves are no names of tests.
const ODD = [
  ['too long for an id of an activity', 'x'.repeat(1_100)],
  ['too long for a search attribute', 'x'.repeat(2_100)],
  ['half a surrogate pair', 'ord-\ud83d'],
  ['a path', PATH],
] as const;

it.each(ODD)(
  'an order id that is %s is shown to people, and stops neither its payout nor its worker',
  async (_, id) => {
    await using product = await startProduct({
      terms: { waits: { patienceMs: 500 } },
      bank: (bank) => ({
        ...bank,
        transactions: {
          ...bank.transactions,
          payment: async (...given) => ({ ...(await bank.transactions.payment(...given)), order_id: id }),
        },
        orders: {
          ...bank.orders,
          listAll: async (...given) => ({ ...(await bank.orders.listAll(...given)), orders: [] }),
        },
      }),
    });
    const handle = await product.start({ id: 'odd' });
    const { reason } = await until(handle, 'needs-operator');
    expect(reason).toMatchObject({ code: 'status-unclear', message: expect.stringContaining('not readable') });
    if (id === PATH) await recordHistory(handle, 'payout', 'order-that-cannot-be-read');
  },
);
