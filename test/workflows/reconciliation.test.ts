import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { createBank } from '../../src/bank/client.ts';
import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import {
  batchWorkflowId,
  orderWatchWorkflowId,
  payoutWorkflowId,
  RECONCILIATION_ID,
  TASK_QUEUE,
  WORKFLOW_TYPES,
} from '../../src/domain/names.ts';
import { NOTHING_FOUND, type ReconciliationPass } from '../../src/domain/reconciliation.ts';
import {
  startBatch,
  startReconciliation,
  startReconciliationPass,
} from '../../src/platform/temporal/workflow-executions.ts';
import { SANDBOX_KEY, SANDBOX_SECRET } from '../../src/sandbox/start-sandbox.ts';
import { DEFAULT_INSTRUCTION, DEFAULT_PAYMENT, type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until } from '../support/until.ts';

const IN_GBP = { account_id: 'acc-u1001-gbp', currency: 'GBP', beneficiary_id: 'ben-u1001-gbp-local' };

const referenceFor = (id: string): string => referenceOf('u-1001', id);

/** A product at a bank that takes a reference as often as it comes, and what happens there behind its back. */
interface World extends AsyncDisposable {
  product: Product;
  bank: Bank;
  /** Pays it to its end, and waits until nobody watches its orders any more. */
  ended(id: string, fields?: Record<string, string>): Promise<{ reference: string; orderId: string }>;
  /** A payment that nobody of ours asked for. */
  plant(reference: string): Promise<string>;
  startPass(): Promise<WorkflowHandle<() => Promise<ReconciliationPass>>>;
  onePass(): Promise<ReconciliationPass>;
  incidentsOf(id: string): Promise<string[]>;
}

async function openWorld(): Promise<World> {
  const product = await startProduct({ sandbox: { profile: { dedupe: 'none' } as never } });
  const bank = createBank({ baseUrl: product.sandbox.url, apiKey: SANDBOX_KEY, apiSecret: SANDBOX_SECRET });
  let passes = 0;
  const startPass = async () => {
    passes += 1;
    return startReconciliationPass(product.client, `pass-${passes}`, undefined);
  };
  return {
    product,
    bank,
    async ended(id, fields = {}) {
      const { reference, orderId } = await (await product.start({ id, ...fields })).result();
      for (const currency of ['USD', 'EUR', 'GBP']) {
        const watch = product.client.workflow.getHandle(orderWatchWorkflowId('u-1001', currency));
        await watch.result().catch(() => undefined);
      }
      return { reference, orderId: orderId ?? '' };
    },
    async plant(reference) {
      const placed = await bank.transactions.payment({ ...DEFAULT_PAYMENT, reference });
      return placed.order_id;
    },
    startPass,
    onePass: async () => (await startPass()).result(),
    incidentsOf: async (id) =>
      (await product.store.incidentsOf([referenceFor(id)])).map(({ kind, orderId }) => `${kind} ${orderId}`),
    async [Symbol.asyncDispose]() {
      await bank.close();
      await product[Symbol.asyncDispose]();
    },
  };
}

describe.concurrent('a pass of the reconciliation', () => {
  it('finds money that came back when nobody watches any more, once', async () => {
    await using world = await openWorld();
    const { product, ended, startPass, onePass } = world;
    const { reference, orderId } = await ended('refunded');
    await product.sandboxTest('POST', `orders/${orderId}/refund`, { amount: '4.00' });
    expect(await product.store.returnsOf([reference])).toEqual([]);
    const handle = await startPass();
    expect(await handle.result()).toMatchObject({
      keys: 1,
      unreadKeys: 0,
      findings: { orders: 2, returns: 1, incidents: 0, unaskedOrders: 0, recorded: 1 },
    });
    expect(await product.store.returnsOf([reference])).toMatchObject([{ amount: '4.00', currency: 'USD' }]);
    expect(await product.store.payout(reference)).toMatchObject({ state: 'completed', orderId });
    await recordHistory(handle, 'reconciliation', 'one-pass');
    expect((await onePass()).findings).toMatchObject({ returns: 1, recorded: 0 });
  });

  it('finds a second order that appears after the payout was completed', async () => {
    await using world = await openWorld();
    const { product, ended, plant, onePass, incidentsOf } = world;
    const { reference, orderId } = await ended('double');
    const second = await plant(reference);
    const { findings } = await onePass();
    expect(findings).toMatchObject({
      incidents: 1,
      unaskedOrders: 0,
      shown: [{ kind: 'second-order', reference, orderId: second }],
    });
    expect(await incidentsOf('double')).toEqual([`second-order ${second}`]);
    expect(await product.store.payout(reference)).toMatchObject({ state: 'completed', orderId });
    expect((await onePass()).findings).toMatchObject({ incidents: 1, recorded: 0 });
  });

  it('finds an order under the reference of a payout that ended unpaid', async () => {
    await using world = await openWorld();
    const { product, ended, plant, onePass, incidentsOf } = world;
    const { reference } = await ended('failed', { note: 'sandbox:fail' });
    expect((await onePass()).findings).toMatchObject({ orders: 1, incidents: 0 });
    const late = await plant(reference);
    await onePass();
    expect(await incidentsOf('failed')).toEqual([`order-after-end ${late}`]);
    expect(await product.store.payout(reference)).toMatchObject({ state: 'failed' });
  });

  it('finds an order that turned from paid to failed, and one that turned from failed to paid', async () => {
    await using world = await openWorld();
    const { product, ended, onePass, incidentsOf } = world;
    const paid = await ended('flipped');
    const failed = await ended('revived', { note: 'sandbox:fail', ...IN_GBP });
    await product.sandboxTest('POST', `orders/${paid.orderId}/status`, { status: 'FAILED', stay: true });
    await product.sandboxTest('POST', `orders/${failed.orderId}/status`, { status: 'COMPLETED', stay: true });
    expect(await onePass()).toMatchObject({ keys: 2, findings: { orders: 2, incidents: 2, recorded: 2 } });
    expect(await incidentsOf('flipped')).toEqual([`end-contradicted ${paid.orderId}`]);
    expect(await incidentsOf('revived')).toEqual([`end-contradicted ${failed.orderId}`]);
    expect(await product.store.payout(paid.reference)).toMatchObject({ state: 'completed' });
    expect(await product.store.payout(failed.reference)).toMatchObject({ state: 'failed' });
  });

  it('knows an exchange for one of its payout, and finds a second one', async () => {
    await using world = await openWorld();
    const { bank, ended, onePass } = world;
    const { reference } = await ended('converted', { account_id: 'acc-u1001-eur' });
    // The exchange is in the lists of both its currencies.
    expect((await onePass()).findings).toMatchObject({ orders: 3, incidents: 0, unaskedOrders: 0, recorded: 0 });
    const placed = await bank.transactions.fx({
      sell_account: 'acc-u1001-eur',
      buy_account: 'acc-u1001-usd',
      amount: '12.50',
      currency: 'USD',
      reference: referenceOf('u-1001', 'converted', 'exchange'),
    });
    expect((await onePass()).findings.shown).toEqual([{ kind: 'second-order', reference, orderId: placed.order_id }]);
  });

  it('notes orders of nobody, and leaves open payouts to themselves', async () => {
    await using world = await openWorld();
    const { product, plant, onePass } = world;
    const open = await product.start({ id: 'open', note: 'sandbox:audit' });
    await until(async () => (await product.store.payout(referenceFor('open')))?.state === 'awaiting-bank-approval');
    await plant('nobody');
    expect((await onePass()).findings).toMatchObject({ orders: 2, incidents: 0, unaskedOrders: 1 });
    await open.terminate();
  });

  it('waits for a bank that does not answer', async () => {
    await using world = await openWorld();
    const { product, ended, onePass } = world;
    const { orderId } = await ended('unread');
    await product.sandboxTest('POST', `orders/${orderId}/refund`, {});
    const refused = { operation: 'orders.list', kind: 'code', code: 2006, commit: false, times: 2 };
    await product.sandboxTest('POST', 'faults', refused);
    expect(await onePass()).toMatchObject({ unreadKeys: 0, findings: { returns: 1 } });
  });

  it('goes on behind the last key compared, with what was found, when it continues as new', async () => {
    await using world = await openWorld();
    const { product, ended } = world;
    await ended('in-usd');
    await ended('in-gbp', IN_GBP);
    const underWay: ReconciliationPass = {
      after: { uid: 'u-1001', currency: 'GBP' },
      keys: 7,
      unreadKeys: 1,
      findings: { ...NOTHING_FOUND, orders: 40, incidents: 2 },
    };
    const result = await product.client.workflow.execute<(input: object) => Promise<ReconciliationPass>>(
      WORKFLOW_TYPES.reconciliation,
      { workflowId: 'continued', taskQueue: TASK_QUEUE, args: [{ once: true, underWay }] },
    );
    expect(result).toMatchObject({ keys: 8, unreadKeys: 1, findings: { orders: 41, incidents: 2 } });
  });

  it('records a second order of an ended payout that the watch of others meets first', async () => {
    await using world = await openWorld();
    const { product, ended, plant, onePass, incidentsOf } = world;
    const { reference } = await ended('met');
    const other = await product.start({ id: 'other', note: 'sandbox:stuck' });
    await until(async () => (await product.store.payout(referenceFor('other')))?.orderId != null);
    const second = await plant(reference);
    await until(async () => (await incidentsOf('met')).length > 0);
    expect(await incidentsOf('met')).toEqual([`second-order ${second}`]);
    expect((await onePass()).findings).toMatchObject({ incidents: 1, recorded: 0, unaskedOrders: 0 });
    await other.terminate();
  });
});

describe.concurrent('the end of a batch', () => {
  const BATCH = 'batch-1';

  async function claim({ product }: World, instruction: Record<string, string>): Promise<string> {
    const full = { ...DEFAULT_INSTRUCTION, id: 'row-1', ...instruction };
    const reference = referenceFor(full.id);
    const digest = payloadDigest(full);
    const workflowId = payoutWorkflowId(reference);
    const rows = [{ row: 1, reference, workflowId, instruction: full, payloadDigest: digest }];
    await product.store.claimBatch({ batchId: BATCH, file: 'f.csv', sha256: 'x', by: 'maker', rows, at: Date.now() });
    return reference;
  }

  const listsRead = async ({ product }: World): Promise<number> =>
    ((await product.sandboxTest('GET', 'faults')) as { faults: { fired: number }[] }).faults[0]?.fired ?? 0;

  it('knows the refund and the second order that are there already, for one read of the list', async () => {
    await using world = await openWorld();
    const { product, ended, plant, incidentsOf } = world;
    const reference = await claim(world, {});
    const { orderId } = await ended('row-1');
    await product.sandboxTest('POST', `orders/${orderId}/refund`, { amount: '1.00' });
    const second = await plant(reference);
    await product.sandboxTest('POST', 'faults', { operation: 'orders.list', kind: 'delay-after', ms: 0, times: 1_000 });

    await startBatch(product.client, BATCH, 'f.csv');
    await product.client.workflow.getHandle(batchWorkflowId(BATCH)).result();
    const [returned] = await product.store.returnsOf([reference]);
    expect(returned).toMatchObject({ amount: '1.00' });
    const found = new Set(await incidentsOf('row-1'));
    expect(found).toEqual(new Set([`returned ${returned?.orderId}`, `second-order ${second}`]));
    // The page, and the page again to see whether it was stable.
    expect(await listsRead(world)).toBe(2);
  });

  it('does not wait for a bank that refuses or does not answer', async () => {
    await using world = await openWorld();
    const { product, ended } = world;
    await claim(world, {});
    await ended('row-1');
    // For longer than this test may take.
    const silent = { operation: 'orders.list', kind: 'delay-after', ms: 600_000, times: 1_000 };
    await product.sandboxTest('POST', 'faults', silent);
    await startBatch(product.client, BATCH, 'f.csv');
    const result = await product.client.workflow.getHandle(batchWorkflowId(BATCH)).result();
    expect(result).toMatchObject({ done: true, counts: { completed: 1 } });
    expect((await product.store.batch(BATCH))?.endedAt).not.toBeNull();
  });
});

describe.concurrent('the reconciliation that goes on for ever', () => {
  it('starts batches that nobody runs, finds what is new pass after pass, and is there once', async () => {
    await using world = await openWorld();
    const { product, plant, incidentsOf } = world;
    const instruction = { ...DEFAULT_INSTRUCTION, id: 'outbox' };
    const reference = referenceFor('outbox');
    const workflowId = payoutWorkflowId(reference);
    const rows = [{ row: 1, reference, workflowId, instruction, payloadDigest: payloadDigest(instruction) }];
    await product.store.claimBatch({ batchId: 'b', file: 'f.csv', sha256: 'x', by: null, rows, at: Date.now() });

    await startReconciliation(product.client, product.store.id);
    const handle = product.client.workflow.getHandle(RECONCILIATION_ID);
    const { runId } = await handle.describe();
    await until(async () => (await product.store.batch('b'))?.endedAt != null);
    await startReconciliation(product.client, product.store.id);
    expect((await handle.describe()).runId).toBe(runId);

    const second = await plant(reference);
    await until(async () => (await incidentsOf('outbox')).length > 0);
    expect(await incidentsOf('outbox')).toEqual([`second-order ${second}`]);
    await recordHistory(handle, 'reconciliation', 'for-ever');
    const { events } = await handle.fetchHistory();
    // What makes it begin a pass: its pause is over, or somebody asks.
    const begun = (events ?? []).filter(
      (event) => event.timerStartedEventAttributes != null || event.workflowExecutionSignaledEventAttributes != null,
    );
    // A pass over one key: the frame, the key and the pause.
    expect(events?.length).toBeLessThanOrEqual(3 + (begun.length + 1) * 20);
    await handle.terminate();
  });

  it('makes a pass as soon as a worker comes up, however long it was to sleep', async () => {
    await using patient = await startProduct({ settings: { reconcileEveryMs: 3_600_000 } });
    const handle = patient.client.workflow.getHandle(RECONCILIATION_ID);
    const passes = async (): Promise<number> => {
      const { events } = await handle.fetchHistory();
      return (events ?? []).filter(({ timerStartedEventAttributes }) => timerStartedEventAttributes != null).length;
    };
    await startReconciliation(patient.client, patient.store.id);
    await until(async () => (await passes()) === 1);
    await startReconciliation(patient.client, patient.store.id);
    await until(async () => (await passes()) === 2);
    await handle.terminate();
  });
});
