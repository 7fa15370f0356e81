import { describe, expect, it } from 'vitest';
import type { BatchProgress } from '../../src/activities/batch.ts';
import { controlBatch } from '../../src/cli/decision-actions.ts';
import type { Session } from '../../src/cli/session.ts';
import type { Policy } from '../../src/domain/authority.ts';
import { referenceOf } from '../../src/domain/identity.ts';
import { payoutWorkflowId } from '../../src/domain/names.ts';
import type { BatchControl } from '../../src/domain/payout-state.ts';
import type { Store } from '../../src/store/store.ts';
import { BATCH, rowsOf, runBatch, statesOf, storedRows } from '../support/claimed-batch.ts';
import { fakeSession } from '../support/fake-session.ts';
import { policyOf, signingPerson } from '../support/people.ts';
import { DEFAULT_PAYMENT, type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until } from '../support/until.ts';

const plain = (count: number): object[] => Array.from({ length: count }, () => ({}));
const by: { args: [{ by: string }] } = { args: [{ by: 'alice' }] };

/** Sets the batch's control when its first row is about to send. */
function controlledAtTheFirstSend(store: Store, control: BatchControl): Store {
  let isFirst = true;
  return {
    ...store,
    openOrder: async (request) => {
      if (isFirst) await store.controlBatch({ batchId: BATCH, control: control, by: 'alice', at: 1 });
      isFirst = false;
      return store.openOrder(request);
    },
  };
}

async function ordersAtTheBank(product: Product): Promise<string[]> {
  const state = (await product.sandboxTest('GET', 'state')) as { orders: { client_order_id: string }[] };
  return state.orders.map((order) => order.client_order_id);
}

/** A command on a product. */
const sessionOf = ({ store, client }: Product, policy?: Policy): Session => {
  const output = { result: () => undefined };
  const session = { store: async () => store, client: async () => client, output, config: { settings: { policy } } };
  return fakeSession(session);
};

const quietly = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.concurrent('a batch that is', () => {
  it('paused sends nothing more, rows under way included, until it is resumed', async () => {
    await using product = await startProduct({
      settings: { window: 3 },
      store: (store) => controlledAtTheFirstSend(store, 'paused'),
    });
    const handle = await runBatch(product, plain(6));
    await until(async () => (await statesOf(product.store)).filter((state) => state === 'held').length === 3);
    await quietly(1_000);
    expect(await ordersAtTheBank(product)).toEqual([]);
    expect((await statesOf(product.store)).filter((state) => state === 'received')).toHaveLength(3);
    expect((await storedRows(product.store)).find(({ state }) => state === 'held')?.reason?.code).toBe('switched-off');
    expect(await handle.executeUpdate('resume', by)).toEqual({ control: 'running' });
    expect((await handle.result()).counts).toMatchObject({ total: 6, completed: 6 });
    expect(await ordersAtTheBank(product)).toHaveLength(6);
  });

  it('cancelled after a restore ends no row before it was searched for at the bank', async () => {
    await using product = await startProduct({ settings: { window: 2 } });
    await product.store.recordRestore({ at: Date.now(), from: 0, by: 'olga', detail: {} });
    const [first] = rowsOf(plain(3));
    // Sent before the copy was put in the place of the store, which knows nothing of it.
    await product.bankCall('POST', '/v1/banking/transactions/payment', {
      ...DEFAULT_PAYMENT,
      reference: first?.reference,
    });
    const handle = await runBatch(product, plain(3), { control: 'cancelling' });
    expect((await handle.result()).counts).toMatchObject({ total: 3, completed: 1, cancelled: 2 });
    expect(await ordersAtTheBank(product)).toEqual([first?.reference]);
  });

  it('draining releases no further row, and those under way go to their end', async () => {
    await using product = await startProduct({
      settings: { window: 2 },
      store: (store) => controlledAtTheFirstSend(store, 'draining'),
    });
    const handle = await runBatch(product, plain(6));
    await until(async () => (await statesOf(product.store)).filter((state) => state === 'completed').length === 2);
    await quietly(1_000);
    expect((await statesOf(product.store)).filter((state) => state === 'received')).toHaveLength(4);
    expect(await handle.executeUpdate('drain', by)).toEqual({ control: 'draining' });
    expect(await handle.executeUpdate('resume', by)).toEqual({ control: 'running' });
    expect((await handle.result()).counts).toMatchObject({ total: 6, completed: 6 });
    await recordHistory(handle, 'payoutBatch', 'drained');
  });

  it('cancelled before its due date ends rows whose workflow has not begun', async () => {
    await using product = await startProduct({ settings: { quietRowMs: 300 } });
    const handle = await runBatch(product, [{ execute_on: '2999-01-01' }, { execute_on: '2999-01-01' }]);
    await until(async () => (await statesOf(product.store)).every((state) => state === 'scheduled'));
    await handle.executeUpdate('cancel', by);
    expect((await handle.result()).counts).toMatchObject({ cancelled: 2 });
    expect(await ordersAtTheBank(product)).toEqual([]);
  });
});

it.concurrent('a batch that ended while it was paused is resumed for a row that comes back from an operator', async () => {
  await using product = await startProduct();
  const { store, client } = product;
  await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before', times: 2 });
  const handle = await runBatch(product, [{}], { canary: 1 });
  expect(await handle.result()).toMatchObject({ control: 'paused', counts: { needsOperator: 1 } });
  const payout = client.workflow.getHandle(payoutWorkflowId(referenceOf('u-1001', 'row-1')));
  await payout.executeUpdate('resolve', { args: [{ action: 'resend', by: 'olga', evidence: 'statement' }] });
  await until(async () => (await statesOf(store))[0] === 'held');
  expect(await controlBatch(sessionOf(product), BATCH, 'resume', 'olga')).toBe(0);
  await until(async () => (await statesOf(store))[0] === 'completed');
});

it.concurrent('with a policy, a batch goes on by who is known, and not by an update of anyone who writes to the namespace', async () => {
  const policy = policyOf([signingPerson('maker', ['maker'])]);
  await using product = await startProduct({ settings: { policy } });
  const { store } = product;
  const handle = await runBatch(product, plain(2), { control: 'paused' });
  for (const update of ['resume', 'drain']) {
    expect(await handle.executeUpdate(update, by)).toEqual({ control: 'paused' });
  }
  await quietly(500);
  expect(await ordersAtTheBank(product)).toEqual([]);
  expect(await controlBatch(sessionOf(product, policy), BATCH, 'resume', 'olga')).toBe(0);
  expect(await handle.executeUpdate('drain', by)).toEqual({ control: 'draining' });
  expect(await handle.executeUpdate('pause', by)).toEqual({ control: 'paused' });
  expect(await controlBatch(sessionOf(product, policy), BATCH, 'resume', 'olga')).toBe(0);
  expect((await handle.result()).counts).toMatchObject({ completed: 2 });
  const resumed = (await store.auditEntriesOf(BATCH)).filter(({ detail }) => detail.inForce === 'running');
  expect(resumed.map(({ actor }) => actor)).toEqual(['olga', 'olga']);
});

describe.concurrent('the canary of a batch', () => {
  it('goes first, and the rest follows when all of it is completed', async () => {
    await using product = await startProduct();
    let early = 0;
    const handle = await runBatch(product, plain(6), { canary: 2 });
    await until(async () => {
      const states = await statesOf(product.store);
      const proven = states[0] === 'completed' && states[1] === 'completed';
      if (!proven && states.slice(2).some((state) => state !== 'received')) early += 1;
      return proven;
    });
    expect(early).toBe(0);
    expect((await handle.result()).counts).toMatchObject({ completed: 6 });
    expect(await product.store.batch(BATCH)).toMatchObject({ canary: null, control: 'running' });
    expect(await product.store.auditEntriesOf(BATCH)).toMatchObject([
      { actor: 'maker', action: 'batch claimed' },
      { actor: 'canary', action: 'canary over' },
    ]);
  });

  it.each([
    ['fails', 'sandbox:fail', 'canary: row 2 is failed (bank-failed)'],
    ['needs an operator', 'sandbox:close', 'canary: row 2 is needs-operator (status-unclear)'],
  ])('that %s pauses the batch and says why; resumed, the rest is released', async (_how, note, why) => {
    await using product = await startProduct();
    const handle = await runBatch(product, [{}, { note }, {}, {}], { canary: 2 });
    await until(async () => (await product.store.batch(BATCH))?.control === 'paused');
    expect((await product.store.batch(BATCH))?.controlReason).toBe(why);
    await until(async () => (await handle.query<BatchProgress | null>('progress'))?.control === 'paused');
    expect(await handle.query<BatchProgress>('progress')).toMatchObject({ controlReason: why });
    await quietly(500);
    expect((await statesOf(product.store)).slice(2)).toEqual(['received', 'received']);
    await handle.executeUpdate('resume', by);
    expect(await product.store.batch(BATCH)).toMatchObject({ canary: null, controlReason: null });
    expect((await handle.result()).counts).toMatchObject({ total: 4, completed: 3, open: 0 });
    const audits = (await product.store.auditEntriesOf(BATCH)).map(({ actor, action }) => [actor, action]);
    expect(audits).toEqual([
      ['maker', 'batch claimed'],
      ['canary', 'batch paused'],
      ['alice', 'batch running'],
    ]);
    await recordHistory(handle, 'payoutBatch', `canary-that-${_how.replaceAll(' ', '-')}`);
  });

  it('is made of rows of high priority first, and survives a pause', async () => {
    await using product = await startProduct({ settings: { window: 1 } });
    const handle = await runBatch(product, [{}, {}, { priority: 'high', note: 'sandbox:audit' }], { canary: 1 });
    await until(async () => (await statesOf(product.store))[2] === 'awaiting-bank-approval');
    await handle.executeUpdate('pause', by);
    await handle.executeUpdate('resume', by);
    await quietly(500);
    expect((await statesOf(product.store)).slice(0, 2)).toEqual(['received', 'received']);
    await handle.executeUpdate('approve', { args: [{ by: 'checker' }] });
    expect((await handle.result()).counts).toMatchObject({ completed: 3 });
  });
});

describe.concurrent('rows of a batch', () => {
  it('are released by priority, then by row', async () => {
    await using product = await startProduct({ settings: { window: 1 } });
    const handle = await runBatch(product, [{}, { priority: 'normal' }, { priority: 'high' }, { priority: 'high' }]);
    await handle.result();
    const released = (await storedRows(product.store)).toSorted((a, b) => (a.releasedAt ?? 0) - (b.releasedAt ?? 0));
    expect(released.map(({ row }) => row)).toEqual([3, 4, 1, 2]);
  });

  it('of high priority are given money first', async () => {
    await using product = await startProduct();
    await product.sandboxTest('POST', 'accounts', {
      account_id: 'acc-p',
      uid: 'u-1001',
      currency: 'USD',
      balance: '1.00',
    });
    const row = { account_id: 'acc-p', amount: '10.00' };
    await runBatch(product, [row, row, { ...row, priority: 'high' }]);
    await until(async () => (await statesOf(product.store)).every((state) => state === 'awaiting-funds'));
    await product.sandboxTest('POST', 'accounts/acc-p/deposit', { amount: '12.00' });
    await until(async () => (await statesOf(product.store)).includes('completed'));
    expect(await statesOf(product.store)).toEqual(['awaiting-funds', 'awaiting-funds', 'completed']);
  });

  it('under a switch are not released, and follow when it is on', async () => {
    await using product = await startProduct();
    const payee = { scope: 'payee', key: 'ben-u1001-gbp-local', reason: 'test', by: 'alice', at: 1 } as const;
    await product.store.switchOff(payee);
    const pounds = { account_id: 'acc-u1001-gbp', currency: 'GBP', beneficiary_id: 'ben-u1001-gbp-local' };
    const handle = await runBatch(product, [pounds, {}, pounds, {}]);
    await until(async () => (await statesOf(product.store)).filter((state) => state === 'completed').length === 2);
    await quietly(500);
    expect(await statesOf(product.store)).toEqual(['received', 'completed', 'received', 'completed']);
    await product.store.switchOn(payee);
    expect((await handle.result()).counts).toMatchObject({ completed: 4 });
  });

  it('due on a later day wait without a place in the window, without events and without being called gone', async () => {
    await using product = await startProduct({ settings: { window: 1, quietRowMs: 100, quietCheckMs: 200 } });
    await runBatch(product, [{ execute_on: '2999-01-01' }, { execute_on: '2999-01-01' }, {}, {}]);
    await until(async () => (await statesOf(product.store)).slice(2).every((state) => state === 'completed'));
    await quietly(1_000);
    const rows = await storedRows(product.store);
    expect(rows.slice(0, 2)).toMatchObject(Array(2).fill({ state: 'scheduled', reason: { code: 'not-yet-due' } }));
    const waiting = product.client.workflow.getHandle(payoutWorkflowId(referenceOf('u-1001', 'row-1')));
    expect((await waiting.fetchHistory()).events).toHaveLength(1);
    expect((await waiting.describe()).searchAttributes.PayoutState).toEqual(['scheduled']);
  });

  it('due on a closed day wait for the next open one', async () => {
    // Tomorrow as well: it may have become today when the row is read.
    const [today = '', tomorrow = ''] = [0, 86_400_000].map((ms) =>
      new Date(Date.now() + ms).toISOString().slice(0, 10),
    );
    const calendar = {
      weekend: [],
      paymentSystems: false,
      holidays: { USD: [today, tomorrow] },
      open: {},
      cutOffs: [],
    };
    await using product = await startProduct({ settings: { calendar } });
    await runBatch(product, [{ execute_on: today }, {}]);
    await until(async () => (await statesOf(product.store))[1] === 'completed');
    expect((await statesOf(product.store))[0]).toBe('scheduled');
  });
});
