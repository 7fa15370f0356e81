import { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { type PayoutHandle, until } from '../support/payout-routes.ts';
import { type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';

/**
 * A payout that awaits an approval, and whose run is signalled once while the end of its payout is stored: the server drops the
 * task in which that happens.
 */
async function ending(id: string): Promise<{ product: Product; handle: PayoutHandle; isSignalled: () => boolean }> {
  let toSignal: PayoutHandle | undefined;
  const store = (given: Store): Store => ({
    ...given,
    closeUnpaid: async (end) => {
      await toSignal?.signal('orderChanged');
      toSignal = undefined;
      return given.closeUnpaid(end);
    },
  });
  const product = await startProduct({ settings: { approvalRules: [{ approvals: 2 }] }, store });
  // The product's own client repeats an update that was dropped, which is in time on a quick machine.
  const { connection, options } = product.client;
  const once = new Client({ connection, namespace: options.namespace, dataConverter: options.dataConverter });
  const { workflowId } = await product.start({ id });
  const handle: PayoutHandle = once.workflow.getHandle(workflowId);
  await until(handle, 'awaiting-approval');
  toSignal = handle;
  return { product, handle, isSignalled: () => toSignal === undefined };
}

describe.concurrent('a caller who asks for what ends a payout is answered that it did, though a signal arrives as it ends', () => {
  it('a cancel', async () => {
    const { product, handle, isSignalled } = await ending('cancelled');
    await using _ = product;
    const cancel = { by: 'alice', reason: 'invoice withdrawn' };
    expect(await handle.executeUpdate('cancel', { args: [cancel] })).toEqual({ outcome: 'cancelled' });
    expect(isSignalled()).toBe(true);
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
    await recordHistory(handle, 'payout', 'cancelled-as-a-signal-arrives');
  });

  it('a rejection', async () => {
    const { product, handle, isSignalled } = await ending('rejected');
    await using _ = product;
    const decision = { decisionId: 'd-1', decision: 'reject', by: 'alice', remark: 'wrong payee' };
    const answer = await handle.executeUpdate('decide', { args: [decision] });
    expect(answer).toEqual({ outcome: 'rejected', missing: 0 });
    expect(isSignalled()).toBe(true);
    expect(await handle.result()).toMatchObject({ state: 'rejected' });
  });
});
