import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { payoutWorkflowId, TASK_QUEUE } from '../../src/domain/names.ts';
import { type PayoutHandle, until } from '../support/payout-routes.ts';
import { DEFAULT_INSTRUCTION, DEFAULT_PAYMENT, ordersUnder, type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';

const REFERENCE = referenceOf('u-1001', 'r');
/** The bank carries it out, and says that the account is frozen. */
const REFUSED_BUT_DONE = { operation: 'transactions.payment', kind: 'code', code: 2007, commit: true };
const PAYMENT_URL = '/v1/banking/transactions/payment';

/** An order that the product has not sent. */
const sentByAnother = (product: Product, reference: string): Promise<unknown> =>
  product.bankCall('POST', PAYMENT_URL, { ...DEFAULT_PAYMENT, reference });

const startGeneration = (product: Product, generation: number): Promise<PayoutHandle> =>
  product.client.workflow.start('payout', {
    taskQueue: TASK_QUEUE,
    workflowId: payoutWorkflowId(referenceOf('u-1001', 'r', 'payment', generation)),
    args: [{ ...DEFAULT_INSTRUCTION, id: 'r', generation }],
  });

describe.concurrent('before anything is sent, the list of the bank is read', () => {
  it('an order under the reference that this store has not sent is followed to its end', async () => {
    await using product = await startProduct();
    await sentByAnother(product, REFERENCE);
    const handle = await product.start({ id: 'r' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await ordersUnder(product, REFERENCE)).toHaveLength(1);
    expect(await product.store.attempts(REFERENCE)).toEqual([]);
    await recordHistory(handle, 'payout', 'an-order-that-another-store-sent');
  });

  it('one that appears after the last approval is followed too', async () => {
    await using product = await startProduct({ settings: { approvalRules: [{ approvals: 1 }] } });
    const handle = await product.start({ id: 'r' }, { by: 'maker' });
    await until(handle, 'awaiting-approval');
    await sentByAnother(product, REFERENCE);
    // The store is opened anew, as it is by each worker that starts.
    await product.store.recordResumption({ at: Date.now(), from: 0, why: 'restart', detail: {} });
    await handle.signal('approve', { by: 'alice' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await ordersUnder(product, REFERENCE)).toHaveLength(1);
  });

  it('an exchange that was refused and carried out is followed, and nobody is asked to approve the payout again', async () => {
    await using product = await startProduct({ settings: { approvalRules: [{ approvals: 1 }] } });
    await product.sandboxTest('POST', 'faults', { ...REFUSED_BUT_DONE, operation: 'transactions.fx', code: 2010 });
    const handle = await product.start({ id: 'r', account_id: 'acc-u1001-eur' }, { by: 'maker' });
    await until(handle, 'awaiting-approval');
    await handle.signal('approve', { by: 'alice' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await ordersUnder(product, referenceOf('u-1001', 'r', 'exchange'))).toHaveLength(1);
    expect(await ordersUnder(product, REFERENCE)).toHaveLength(1);
  });

  it('a payout that is rejected while the list shows an order of it ends as that order does', async () => {
    await using product = await startProduct({ settings: { approvalRules: [{ approvals: 1 }] } });
    const handle = await product.start({ id: 'r' }, { by: 'maker' });
    await until(handle, 'awaiting-approval');
    await sentByAnother(product, REFERENCE);
    // A reading of the list, for another payout, notes it.
    await product.store.recordResumption({ at: Date.now(), from: 0, why: 'restart', detail: {} });
    await until(await product.start({ id: 'other' }, { by: 'maker' }), 'awaiting-approval');
    await handle.signal('reject', { by: 'alice', remark: 'wrong payee' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('a payout is held while the list proves nothing, and sent when it does', async () => {
    await using product = await startProduct();
    await product.sandboxTest('PUT', 'profile', { listTotal: 'one-more' });
    const handle = await product.start({ id: 'r' });
    expect(await until(handle, 'held')).toMatchObject({ reason: { code: 'list-proves-nothing' } });
    await product.sandboxTest('PUT', 'profile', { listTotal: 'exact' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await ordersUnder(product, REFERENCE)).toHaveLength(1);
    await recordHistory(handle, 'payout', 'held-until-the-list-proves-something');
  });

  it('a payout that was refused is not sent again if the bank has carried it out all the same', async () => {
    await using product = await startProduct();
    await product.sandboxTest('POST', 'faults', REFUSED_BUT_DONE);
    const handle = await product.start({ id: 'r' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await ordersUnder(product, REFERENCE)).toHaveLength(1);
  });

  it('a further generation is held if the bank then shows an order of an earlier one', async () => {
    await using product = await startProduct({ terms: { waits: { noMoneyRecheckMs: 50 } } });
    const first = await product.start({ id: 'r', note: 'sandbox:fail' });
    expect(await first.result()).toMatchObject({ state: 'failed' });
    await product.sandboxTest('PUT', 'profile', { dedupe: 'none' });
    await sentByAnother(product, REFERENCE);
    const second = await startGeneration(product, 1);
    expect(await until(second, 'held')).toMatchObject({ reason: { code: 'earlier-generation-open' } });
    await second.signal('reject', { by: 'alice', remark: 'it was paid' });
    expect(await second.result()).toMatchObject({ state: 'rejected' });
    expect(await ordersUnder(product, referenceOf('u-1001', 'r', 'payment', 1))).toEqual([]);
  });
});
