import { describe, expect, it } from 'vitest';
import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import { payoutWorkflowId, TASK_QUEUE } from '../../src/domain/names.ts';
import { isEnd } from '../../src/domain/payout-state.ts';
import type { Store } from '../../src/store/store.ts';
import { openEmptyStore } from '../support/empty-store.ts';
import { type PayoutHandle, until } from '../support/payout-routes.ts';
import { DEFAULT_INSTRUCTION, ordersUnder, type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { beingAStranger } from '../support/stranger.ts';
import { until as untilTrue } from '../support/until.ts';

const REFERENCE = referenceOf('u-1001', 'r');

/** Runs a workflow of somebody else that schedules one of the product's activities. */
const scheduleAsStranger = (
  product: Product,
  calls: readonly { activity: string; input: unknown }[],
): Promise<string[]> =>
  beingAStranger(product, () =>
    Promise.all(
      calls.map((call, index) =>
        product.client.workflow.execute<(given: unknown) => Promise<string>>('rogue', {
          workflowId: `rogue-${index}`,
          taskQueue: 'rogue',
          args: [call],
        }),
      ),
    ),
  );

/** Resets a payout to the task that scheduled an activity; signals and updates behind it are applied again. */
async function resetBefore(
  { client, namespace }: Product,
  handle: PayoutHandle,
  activity: string,
): Promise<PayoutHandle> {
  const { events } = await handle.fetchHistory();
  const scheduled = events?.find(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activity,
  );
  const { runId } = await client.workflow.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: handle.workflowId },
    reason: 'test',
    workflowTaskFinishEventId: scheduled?.activityTaskScheduledEventAttributes
      ?.workflowTaskCompletedEventId as unknown as never,
    requestId: `reset-${activity}`,
  });
  return client.workflow.getHandle(handle.workflowId, runId);
}

/** Every payload of a history, as text. */
function textsIn(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return typeof value === 'object' && value !== null ? Object.values(value).map(textsIn).join('\n') : String(value);
}

describe.concurrent('one claim', () => {
  it('a run reset to before its send does not apply again the cancel that came too late', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'r', note: 'sandbox:stuck' });
    await untilTrue(async () => (await product.store.payout(REFERENCE))?.state === 'processing');
    const cancel = { args: [{ by: 'alice', reason: 'withdrawn' }] };
    const [order] = await ordersUnder(product, REFERENCE);
    const reported = handle.executeUpdate<{ outcome: string }, [{ by: string; reason: string }]>(
      'cancel',
      cancel as never,
    );
    expect((await reported).outcome).not.toBe('cancelled');
    const again = await resetBefore(product, handle, 'submitPayment');
    await product.sandboxTest('POST', `orders/${order?.order_id}/status`, { status: 'COMPLETED', stay: true });
    expect(await again.result()).toMatchObject({ state: 'completed', orderId: order?.order_id });
    expect(await ordersUnder(product, REFERENCE)).toHaveLength(1);
  });

  it('nor ends for want of the money that its own payment has taken', async () => {
    await using product = await startProduct({ terms: { waits: { fundsPatienceMs: 200 } } });
    await product.sandboxTest('POST', 'accounts', {
      uid: 'u-1001',
      currency: 'USD',
      account_id: 'acc-just',
      balance: '13.60',
    });
    const handle = await product.start({ id: 'r', account_id: 'acc-just', note: 'sandbox:audit' });
    const { orderId } = await until(handle, 'awaiting-bank-approval');
    const again = await resetBefore(product, handle, 'submitPayment');
    await until(again, 'awaiting-bank-approval');
    await again.signal('approve', { by: 'alice' });
    expect(await again.result()).toMatchObject({ state: 'completed', orderId });
    expect(await ordersUnder(product, REFERENCE)).toHaveLength(1);
  });

  it('asks again whether a booked rate above the cap is accepted when it is reset while it asks', async () => {
    await using product = await startProduct({ sandbox: { profile: { fxDriftBasisPoints: 300 } as never } });
    const handle = await product.start({ id: 'r', account_id: 'acc-u1001-eur' });
    expect(await until(handle, 'held')).toMatchObject({ reason: { code: 'slippage-above-cap' } });
    const again = await resetBefore(product, handle, 'submitExchange');
    expect(await until(again, 'held')).toMatchObject({ reason: { code: 'slippage-above-cap' } });
    expect(await ordersUnder(product, REFERENCE)).toHaveLength(0);
    await again.signal('reject', { by: 'alice', remark: 'too dear' });
    expect(await again.result()).toMatchObject({ state: 'rejected' });
    await recordHistory(again, 'payout', 'reset-while-its-booked-rate-is-asked-about');
    expect(await ordersUnder(product, referenceOf('u-1001', 'r', 'exchange'))).toHaveLength(1);
  });

  it('a reset run searches before it sends though its store has forgotten what was sent', async () => {
    let isForgotten = false;
    const forgetful = (store: Store): Store => ({
      ...store,
      claimPayout: async (claim) => ({ ...(await store.claimPayout(claim)), ...(isForgotten && { attempts: [] }) }),
      attempts: async (reference) => (isForgotten ? [] : store.attempts(reference)),
    });
    await using product = await startProduct({
      terms: { referenceDedupe: 'none' },
      sandbox: { profile: { dedupe: 'none' } as never },
      store: forgetful,
    });
    const handle = await product.start({ id: 'r', note: 'sandbox:stuck' });
    await untilTrue(async () => (await product.store.payout(REFERENCE))?.state === 'processing');
    const [order] = await ordersUnder(product, REFERENCE);
    isForgotten = true;
    const again = await resetBefore(product, handle, 'submitPayment');
    await product.sandboxTest('POST', `orders/${order?.order_id}/status`, { status: 'COMPLETED', stay: true });
    expect(await again.result()).toMatchObject({ state: 'completed', orderId: order?.order_id });
    await recordHistory(again, 'payout', 'reset-that-the-store-has-forgotten');
    expect(await ordersUnder(product, REFERENCE)).toHaveLength(1);
  });

  it('an order that is read and not at its end is watched again, even if the store has forgotten it', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'r', note: 'sandbox:stuck' });
    await untilTrue(async () => (await product.store.payout(REFERENCE))?.state === 'processing');
    const [order] = await ordersUnder(product, REFERENCE);
    await product.store.closeOrder(REFERENCE);
    await handle.signal('orderChanged');
    const open = () => product.store.openOrders({ uid: 'u-1001', currency: 'USD' });
    await untilTrue(async () => (await open()).some(({ orderId }) => orderId === order?.order_id));
    await product.sandboxTest('POST', `orders/${order?.order_id}/status`, { status: 'COMPLETED', stay: true });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await untilTrue(async () => (await open()).length === 0);
  });

  it('a payout that is with people is so again in a store that has forgotten it', async () => {
    await using product = await startProduct({ terms: { referenceDedupe: 'none' } });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
    const handle = await product.start({ id: 'r' });
    await until(handle, 'needs-operator');
    await product.store.changePayout(REFERENCE, { state: 'resolving', reason: null, at: Date.now() });
    await untilTrue(async () => (await product.store.payout(REFERENCE))?.state === 'needs-operator');
    expect((await product.store.payout(REFERENCE))?.reason?.code).toBe('order-not-found');
  });

  it('a further generation that is not sent yet is held when an earlier one may have been paid after all', async () => {
    await using product = await startProduct({ settings: { approvalRules: [{ approvals: 1 }] } });
    const first = await product.start({ id: 'r' }, { by: 'maker' });
    await until(first, 'awaiting-approval');
    await first.signal('reject', { by: 'alice', remark: 'not ours' });
    expect(await first.result()).toMatchObject({ state: 'rejected' });
    const second: PayoutHandle = await product.client.workflow.start('payout', {
      taskQueue: TASK_QUEUE,
      workflowId: payoutWorkflowId(referenceOf('u-1001', 'r', 'payment', 1)),
      args: [{ ...DEFAULT_INSTRUCTION, id: 'r', generation: 1, by: 'maker' }],
    });
    await until(second, 'awaiting-approval');
    const incident = { kind: 'end-contradicted', reference: REFERENCE, orderId: 'ord-late' } as const;
    await product.store.recordIncident({ ...incident, seenAt: Date.now() });
    await second.signal('approve', { by: 'alice' });
    expect(await until(second, 'held')).toMatchObject({ reason: { code: 'earlier-generation-open' } });
    await second.signal('reject', { by: 'alice', remark: 'it was paid' });
    expect(await second.result()).toMatchObject({ state: 'rejected' });
    await recordHistory(second, 'payout', 'held-for-an-earlier-generation');
    expect(await ordersUnder(product, referenceOf('u-1001', 'r', 'payment', 1))).toEqual([]);
  });

  it.each([[-1], ['-7'], ['x'], ['0'], [1.5], [null], [[0]], [{}]])(
    'a raw start with the generation %j is refused, and pays nothing',
    async (generation) => {
      await using product = await startProduct();
      const handle = await product.client.workflow.start('payout', {
        taskQueue: TASK_QUEUE,
        workflowId: payoutWorkflowId(REFERENCE),
        args: [{ ...DEFAULT_INSTRUCTION, id: 'r', generation }],
      });
      await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'InvalidInput' } });
      expect(await product.sandboxTest('GET', 'state')).toMatchObject({ orders: [] });
    },
  );
});

describe.concurrent('one store', () => {
  it('a worker with another store does nothing for a payout that was claimed in this one', async () => {
    await using product = await startProduct();
    const rows = ['a', 'b', 'c', 'd'].map((id, index) => {
      const instruction = { ...DEFAULT_INSTRUCTION, id };
      const reference = referenceOf(instruction.uid, id);
      const workflowId = payoutWorkflowId(reference);
      return { row: index + 1, reference, workflowId, instruction, payloadDigest: payloadDigest(instruction) };
    });
    await product.store.claimBatch({ batchId: 'b-1', file: 't.csv', sha256: 'x', by: null, rows, at: Date.now() });
    const other = await openEmptyStore();
    await product.stopWorker();
    const rival = await product.joinWorker(other);
    const { uid, account_id, amount, currency } = DEFAULT_INSTRUCTION;
    const handles = await Promise.all(
      rows.map(({ workflowId, instruction: { id } }) =>
        product.client.workflow.start('payout', {
          taskQueue: TASK_QUEUE,
          workflowId,
          args: [{ id, uid, account_id, amount, currency, batchId: 'b-1' }],
        }),
      ),
    );
    for (const handle of handles) {
      await untilTrue(async () =>
        JSON.stringify((await handle.describe()).raw.pendingActivities).includes('WrongStore'),
      );
    }
    expect(await product.sandboxTest('GET', 'state')).toMatchObject({ orders: [] });
    await rival.stop();
    await product.restartWorker();
    for (const handle of handles) expect(await handle.result()).toMatchObject({ state: 'completed' });
    for (const { reference } of rows) {
      expect(await product.store.payout(reference)).toMatchObject({ state: 'completed' });
      expect(await ordersUnder(product, reference)).toHaveLength(1);
      expect(await other.payout(reference)).toBeUndefined();
      expect(await other.attempts(reference)).toEqual([]);
    }
    await other.close();
  });

  it('a batch payout has nothing of its payee in its history', async () => {
    await using product = await startProduct();
    const payee = { beneficiary_id: undefined, account_name: 'Canary Person', note: 'canary note' };
    const instruction = { ...DEFAULT_INSTRUCTION, ...payee, id: 'r' };
    const workflowId = payoutWorkflowId(REFERENCE);
    const row = { row: 1, reference: REFERENCE, workflowId, instruction, payloadDigest: payloadDigest(instruction) };
    await product.store.claimBatch({ batchId: 'b', file: 't.csv', sha256: 'x', by: null, rows: [row], at: Date.now() });
    const { uid, account_id, amount, currency } = DEFAULT_INSTRUCTION;
    const handle = await product.client.workflow.start('payout', {
      taskQueue: TASK_QUEUE,
      workflowId,
      args: [{ id: 'r', uid, account_id, amount, currency, batchId: 'b' }],
    });
    expect(await handle.result()).toMatchObject({ state: 'failed' });
    const { events } = await handle.fetchHistory();
    const texts = textsIn(events);
    expect(texts).toContain('acc-u1001-usd');
    expect(texts).not.toMatch(/canary/i);
  });
});

describe.concurrent('a workflow of somebody else', () => {
  it('moves nothing and ends nothing by scheduling our activities', async () => {
    await using product = await startProduct({ settings: { approvalRules: [{ approvals: 2 }] } });
    const handle = await product.start({ id: 'r' }, { by: 'maker' });
    await until(handle, 'awaiting-approval');
    const row = await product.store.payout(REFERENCE);
    const claim = { storeId: product.store.id, reference: REFERENCE, term: row?.term ?? 0 };
    const reason = { code: 'approval-rejected', message: 'x' };
    const input = { ...DEFAULT_INSTRUCTION, id: 'r' };
    const answers = await scheduleAsStranger(product, [
      { activity: 'submitPayment', input: { claim, attempt: 1 } },
      { activity: 'submitPayment', input: { claim: { ...claim, term: claim.term + 1 }, attempt: 1 } },
      { activity: 'submitPayment', input: { ...input, reference: REFERENCE, attempt: 1, amount: '777.00' } },
      { activity: 'prepare', input: { input } },
      { activity: 'assess', input: { claim, approved: [{ digest: 'x', by: ['ann', 'bob'] }] } },
      { activity: 'closePayout', input: { claim, state: 'rejected', reason, resolved: {} } },
      { activity: 'recordState', input: { claim, state: 'processing', reason: null } },
      { activity: 'addBeneficiary', input: { claim } },
      { activity: 'approveOrder', input: { claim, orderKind: 'payment', orderId: 'o', by: 'mallory' } },
    ]);
    expect(answers).toEqual(answers.map(() => expect.stringMatching(/^failed: |"not-sent"/)));
    expect(await product.sandboxTest('GET', 'state')).toMatchObject({ orders: [] });
    expect(await product.store.payout(REFERENCE)).toMatchObject({ state: 'awaiting-approval', term: claim.term });
    for (const by of ['ann', 'bob']) await handle.signal('approve', { by });
    const { state } = await handle.result();
    expect(isEnd(state) && state).toBe('completed');
    expect(await ordersUnder(product, REFERENCE)).toHaveLength(1);
  });
});
