import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import type { PayoutResult } from '../../src/workflows/payout.ts';
import { type PayoutHandle, until } from '../support/payout-routes.ts';
import { type Product, startProduct } from '../support/product.ts';
import { until as untilTrue } from '../support/until.ts';

const REJECTION = { decisionId: 'd-1', decision: 'reject', by: 'alice', remark: 'wrong payee' };

const reject = (handle: PayoutHandle): Promise<string> =>
  handle.executeUpdate<{ outcome: string }, [object]>('decide', { args: [REJECTION] }).then(
    ({ outcome }) => outcome,
    () => 'no such answer',
  );

/** Starts the run over, from its first task, without what it received. */
async function reset(product: Product, { workflowId }: PayoutHandle) {
  const { runId } = await product.client.workflow.workflowService.resetWorkflowExecution({
    namespace: product.namespace,
    workflowExecution: { workflowId },
    reason: 'test',
    workflowTaskFinishEventId: 4 as unknown as never,
    requestId: 'reset-1',
    resetReapplyExcludeTypes: [1, 2],
  });
  return product.client.workflow.getHandle<() => Promise<PayoutResult>>(workflowId, runId);
}

describe.concurrent('a rejection that was answered as such holds', () => {
  it('after a reset to before it', async () => {
    await using product = await startProduct({ settings: { approvalRules: [{ approvals: 1 }] } });
    const handle = await product.start({ id: 'held' });
    await until(handle, 'awaiting-approval');
    expect(await reject(handle)).toBe('rejected');
    expect(await (await reset(product, handle)).result()).toMatchObject({ state: 'rejected' });
  });

  it('and is not answered before its end is stored, since a reset would lose it', async () => {
    const isStoring = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    let calls = 0;
    const store = (given: Store): Store => ({
      ...given,
      closeUnpaid: async (end) => {
        calls += 1;
        // The first one is part of the task that takes the rejection, which answers nobody before it is over.
        if (calls > 1) isStoring.resolve();
        await goesOn.promise;
        return given.closeUnpaid(end);
      },
    });
    await using product = await startProduct({ settings: { approvalRules: [{ approvals: 1 }] }, store });
    const handle = await product.start({ id: 'lost' });
    await until(handle, 'awaiting-approval');
    let reported: string | undefined;
    void reject(handle).then((outcome) => {
      reported = outcome;
    });
    await isStoring.promise;
    await until(await reset(product, handle), 'awaiting-approval');
    const before = reported;
    goesOn.resolve();
    expect(before).not.toBe('rejected');
  });

  it('nor before the bank has taken that of its order', async () => {
    const isSent = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    await using product = await startProduct({
      bank: (bank) => ({
        ...bank,
        orders: {
          ...bank.orders,
          reject: async (...asked) => {
            isSent.resolve();
            await goesOn.promise;
            return bank.orders.reject(...asked);
          },
        },
      }),
    });
    const handle = await product.start({ id: 'audited', note: 'sandbox:audit' });
    await until(handle, 'awaiting-bank-approval');
    let reported: string | undefined;
    const answer = reject(handle).then((outcome) => {
      reported = outcome;
      return outcome;
    });
    await isSent.promise;
    await untilTrue(async () => (await handle.query<{ state: string }>('state')).state === 'processing');
    const before = reported;
    goesOn.resolve();
    expect(before).toBeUndefined();
    expect(await answer).toBe('passed-on');
    expect(await handle.result()).toMatchObject({ state: 'rejected' });
  });

  it('and is not answered to whom the bank carries out the order all the same', async () => {
    await using product = await startProduct({
      bank: (bank) => ({ ...bank, orders: { ...bank.orders, reject: (orderId) => bank.orders.approve(orderId) } }),
    });
    const handle = await product.start({ id: 'carried-out', note: 'sandbox:audit' });
    await until(handle, 'awaiting-bank-approval');
    expect(await reject(handle)).toBe('passed-on');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });
});
