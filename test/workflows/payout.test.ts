import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { assertBudget } from '../support/history-budget.ts';
import { PAYOUT_ROUTES } from '../support/payout-routes.ts';
import { startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until } from '../support/until.ts';

interface SandboxState {
  orders: { client_order_id: string; type: string }[];
  conservation: unknown;
}

describe('a payout on a real Temporal server', () => {
  it.concurrent.each(PAYOUT_ROUTES)(
    '$name',
    async ({ name, settings, terms, sandbox, store, checks, travel, ends, because, eventsMax, notices, orders }) => {
      await using product = await startProduct({ settings, terms, sandbox, store, checks });
      const handle = await travel(product);
      const result = await handle.result();

      expect(result).toMatchObject(ends);
      expect(result.reason?.code).toBe(because);
      if (eventsMax !== undefined) await assertBudget(handle, eventsMax, notices);
      const state = (await product.sandboxTest('GET', 'state')) as SandboxState;
      const reference = referenceOf('u-1001', 'r');
      expect(state.orders.filter((order) => order.client_order_id === reference)).toHaveLength(orders ?? 0);
      const stored = await product.store.payout(reference);
      expect(stored).toMatchObject({ state: result.state, orderId: result.orderId, fee: result.fee });
      // An order leaves the open set after its run was notified of its end.
      await until(async () => (await product.store.openOrders({ uid: 'u-1001', currency: 'USD' })).length === 0);
      await recordHistory(handle, 'payout', name);
    },
  );
});
