import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { mainOrderKindOf, payoutWorkflowId, TASK_QUEUE, workflowTypeOf } from '../../src/domain/names.ts';
import { assertBudget } from '../support/history-budget.ts';
import { OWN_MOVE_ROUTES, starting } from '../support/own-move-routes.ts';
import { type PayoutHandle, taskBefore } from '../support/payout-routes.ts';
import { ordersUnder, type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until } from '../support/until.ts';

function openSecondAccount(product: Product): Promise<unknown> {
  const account = { uid: 'u-1001', currency: 'USD', account_id: 'acc-u1001-usd-2', balance: '1.00' };
  return product.sandboxTest('POST', 'accounts', account);
}

describe('a transfer or an exchange by itself on a real Temporal server', () => {
  it.concurrent.each(OWN_MOVE_ROUTES)(
    '$kind: $name',
    async ({
      name,
      kind,
      settings,
      terms,
      sandbox,
      store,
      bank,
      travel,
      ends,
      because,
      eventsMax,
      notices,
      orders,
    }) => {
      await using product = await startProduct({ settings, terms, sandbox, store, bank });
      await openSecondAccount(product);
      const handle = await travel(product, starting(product, kind));
      const result = await handle.result();

      expect(result).toMatchObject(ends);
      expect(result.reason?.code).toBe(because);
      if (eventsMax !== undefined) await assertBudget(handle, eventsMax, notices);
      const reference = referenceOf('u-1001', 'r', mainOrderKindOf(kind));
      expect(result.reference).toBe(reference);
      const placed = await ordersUnder(product, reference);
      expect(placed).toHaveLength(orders ?? 0);
      const type = kind === 'transfer' ? 'TRANSFER' : 'FX';
      expect(placed.map((order) => order.type)).toEqual(placed.map(() => type));
      const stored = await product.store.payout(reference);
      const { state, orderId, fee, reason } = result;
      expect(stored).toMatchObject({ kind, state, orderId, fee, reason });
      for (const uid of ['u-1001', 'u-1002']) {
        // An order leaves the open set after its run was notified of its end.
        for (const currency of ['USD', 'EUR'])
          await until(async () => (await product.store.openOrders({ uid, currency })).length === 0);
      }
      await recordHistory(handle, workflowTypeOf(kind), name);
    },
  );
});

describe.concurrent.each(['transfer', 'exchange'] as const)('hazards of one %s', (kind) => {
  it('a reset to before the submit moves nothing twice', async () => {
    await using product = await startProduct();
    await openSecondAccount(product);
    const handle = await starting(product, kind)();
    const first = await handle.result();
    const submit = kind === 'transfer' ? 'submitTransfer' : 'submitExchange';
    const { runId } = await product.client.workflow.workflowService.resetWorkflowExecution({
      namespace: product.namespace,
      workflowExecution: { workflowId: handle.workflowId },
      reason: 'test',
      workflowTaskFinishEventId: (await taskBefore(handle, submit)) as unknown as never,
      requestId: 'reset-1',
    });
    const again: PayoutHandle = product.client.workflow.getHandle(handle.workflowId, runId);
    expect(await again.result()).toMatchObject({ state: 'completed', orderId: first.orderId });
    expect(await ordersUnder(product, first.reference)).toHaveLength(1);
  });

  it('a document is one thing: a payout, a transfer or an exchange', async () => {
    await using product = await startProduct();
    await openSecondAccount(product);
    await (await product.start({ id: 'r' })).result();
    const handle = await starting(product, kind)();
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'IdReused' } });
    expect(await ordersUnder(product, referenceOf('u-1001', 'r', mainOrderKindOf(kind)))).toEqual([]);
    await product.start({ id: 'other' }, { kind }).then((other) => other.result());
    const payout = await product.start({ id: 'other' });
    await expect(payout.result()).rejects.toMatchObject({ cause: { type: 'IdReused' } });
  });

  it('a workflow id of another kind is refused, and so is one of another document', async () => {
    await using product = await startProduct();
    const input = { id: 'r', uid: 'u-1001', account_id: 'a', to_account_id: 'b', amount: '1.00', currency: 'USD' };
    for (const workflowId of [`payout/${referenceOf('u-1001', 'r')}`, payoutWorkflowId('other', kind)]) {
      const handle = await product.client.workflow.start(workflowTypeOf(kind), {
        taskQueue: TASK_QUEUE,
        workflowId,
        args: [input],
      });
      await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'WrongWorkflowId' } });
    }
  });
});
