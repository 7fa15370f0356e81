import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import type { PayoutStateView } from '../../src/workflows/messages.ts';
import { assertBudget } from '../support/history-budget.ts';
import { changePayee, NEW_PAYEE, PAYEE_URL, readAt, until } from '../support/payout-routes.ts';
import { DEFAULT_PAYMENT, ordersUnder, type Product, startProduct } from '../support/product.ts';
import { HANGS_MS, until as untilTrue } from '../support/until.ts';

/** Rows of the failure table (test/docs/failures.md) that no other file of this folder goes through. */

const PAYMENT_URL = '/v1/banking/transactions/payment';

describe.concurrent('identity', () => {
  it('a payout whose closed execution is gone is started again, returns its end, and sends nothing', async () => {
    await using product = await startProduct();
    const first = await product.start({ id: 'again' });
    const end = await first.result();
    await product.client.workflowService.deleteWorkflowExecution({
      namespace: product.namespace,
      workflowExecution: { workflowId: first.workflowId },
    });
    await untilTrue(async () => (await first.describe().catch(() => undefined)) === undefined);
    const second = await product.start({ id: 'again' });
    expect(await second.result()).toEqual(end);
    expect(await ordersOf(product, 'again')).toHaveLength(1);
  });

  it('a reference that the bank has already is adopted when its order is ours', async () => {
    await using product = await startProduct();
    const reference = referenceOf('u-1001', 'planted');
    await product.bankCall('POST', PAYMENT_URL, { ...DEFAULT_PAYMENT, reference });
    const handle = await product.start({ id: 'planted' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await ordersOf(product, 'planted')).toHaveLength(1);
  });

  it('a reference that the bank has for something else is a conflict for people, never paid', async () => {
    await using product = await startProduct();
    const reference = referenceOf('u-1001', 'foreign');
    await product.bankCall('POST', PAYMENT_URL, { ...DEFAULT_PAYMENT, reference, amount: '99.00' });
    const handle = await product.start({ id: 'foreign' });
    const { reason } = await until(handle, 'needs-operator');
    expect(reason?.code).toBe('reference-conflict');
    const refused = await handle.executeUpdate('resolve', {
      args: [{ action: 'resend', by: 'alice', evidence: 'none' }],
    });
    expect(refused).toMatchObject({ accepted: false });
  });
});

describe.concurrent('a payee', () => {
  it('that is changed after the approval makes it void: people are asked again', async () => {
    await using product = await startProduct({ settings: { approvalRules: [{ approvals: 1 }] } });
    const handle = await product.start({ id: 'changed' }, { by: 'maker' });
    const { awaited } = await until(handle, 'awaiting-approval');
    await changePayee(product);
    await handle.signal('approve', { by: 'checker' });
    const digest = async (): Promise<string | undefined> =>
      (await handle.query<PayoutStateView>('state')).awaited?.digest;
    await untilTrue(async () => ![undefined, awaited?.digest].includes(await digest()));
    expect(await ordersOf(product, 'changed')).toEqual([]);
    await handle.signal('approve', { by: 'checker' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('that is deleted after the approval is not made again: the payout is held', async () => {
    await using product = await startProduct({ settings: { approvalRules: [{ approvals: 1 }] } });
    const handle = await product.start({ id: 'deleted' }, { by: 'maker' });
    await until(handle, 'awaiting-approval');
    await product.bankCall('DELETE', PAYEE_URL);
    await handle.signal('approve', { by: 'checker' });
    const { reason } = await until(handle, 'held');
    expect(reason?.code).toBe('beneficiary-not-found');
    expect(await ordersOf(product, 'deleted')).toEqual([]);
  });

  it('that the bank says it has, and does not show as it was asked for, is held', async () => {
    await using product = await startProduct();
    const has = { operation: 'beneficiaries.add', kind: 'code', code: 2003, commit: false, times: 10 };
    await product.sandboxTest('POST', 'faults', has);
    const handle = await product.start({ id: 'known', ...NEW_PAYEE });
    const { reason } = await until(handle, 'held');
    expect(reason?.code).toBe('beneficiary-conflict');
    expect(await ordersOf(product, 'known')).toEqual([]);
  });
});

describe.concurrent('a refusal after a lost answer is no refusal', () => {
  // The first order is committed and not listed yet; the resend meets a refusal that it caused itself.
  it.each([
    ['2002', { kind: 'code', code: 2002, commit: false }],
    ['2004', { kind: 'code', code: 2004, commit: false }],
    ['2007', { kind: 'code', code: 2007, commit: false }],
    ['2009', { kind: 'code', code: 2009, commit: false }],
    ['2010', { kind: 'code', code: 2010, commit: false }],
    ['401', { kind: 'http', status: 401, commit: false }],
  ])('%s', async (_, refusal) => {
    await using product = await startProduct({
      // The proof window is open, and the order not listed, until the resend has been answered, however late that is.
      terms: { referenceDedupe: 'verified', waits: { lateCommitMs: HANGS_MS } },
      sandbox: { profile: { dedupe: 'same-order', listLagMs: HANGS_MS } },
    });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-after' });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', ...refusal });
    const handle = await product.start({ id: 'pair' });
    await untilTrue(async () => (await attemptsOf(product, 'pair'))[1]?.outcome != null);
    await product.sandboxTest('PUT', 'profile', { listLagMs: 0 });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await ordersOf(product, 'pair')).toHaveLength(1);
    const outcomes = (await attemptsOf(product, 'pair')).map(({ outcome }) => outcome);
    expect(outcomes.slice(0, 2)).toEqual(['ambiguous', outcomes[1]]);
    expect(['refused', 'not-sent']).toContain(outcomes[1]);
  });
});

describe.concurrent('an order at the bank', () => {
  it('whose audit is over by its own time refuses late decisions and ends as the bank says', async () => {
    await using product = await startProduct();
    const expires_at = new Date(Date.now() + 15_000).toISOString();
    const handle = await product.start({ id: 'late', note: 'sandbox:audit', expires_at });
    await until(handle, 'awaiting-bank-approval');
    await pause(Date.parse(expires_at) - Date.now() + 50);
    const late = handle.executeUpdate('decide', {
      args: [{ decisionId: 'd1', decision: 'approve', by: 'alice' }],
    });
    await expect(late).rejects.toThrow();
    expect(await handle.result()).toMatchObject({ state: 'cancelled', reason: { code: 'bank-cancelled' } });
  });

  it('whose audit goes on after the bank took our approval is approved once more', async () => {
    let approvals = 0;
    await using product = await startProduct({
      // Longer than the test.
      terms: { waits: { patienceMs: 600_000 } },
      bank: (bank) => ({
        ...bank,
        orders: {
          ...bank.orders,
          async approve(...given) {
            approvals += 1;
            if (approvals > 1) await bank.orders.approve(...given);
          },
        },
      }),
    });
    const handle = await product.start({ id: 'twice', note: 'sandbox:audit' });
    await until(handle, 'awaiting-bank-approval');
    await handle.signal('approve', { by: 'alice' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(approvals).toBe(2);
  });

  it('that stays in APPROVING goes to an operator, and on by itself when it moves', async () => {
    await using product = await startProduct({
      terms: { waits: { statusAgeLimitMs: 1_000, patienceMs: 1_500 } },
    });
    const handle = await product.start({ id: 'stuck', note: 'sandbox:stuck' });
    const orderId = await orderIdOf(product, 'stuck');
    await product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'APPROVING', stay: true });
    const { reason } = await until(handle, 'needs-operator');
    expect(reason?.code).toBe('status-stuck');
    await product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'COMPLETED', stay: true });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('that cannot be read by id yet counts as open', async () => {
    await using product = await startProduct({ sandbox: { profile: { getLagMs: 2_500 } } });
    const handle = await product.start({ id: 'lag' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('in a status that nobody announced is read until it has one that means something', async () => {
    await using product = await startProduct({ sandbox: { profile: { unknownStatus: true } } });
    const handle = await product.start({ id: 'unlisted' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('that says "failed" once and "completed" then is paid', async () => {
    await using product = await startProduct({ terms: { waits: { noMoneyRecheckMs: 5_000 } } });
    const handle = await product.start({ id: 'flip', note: 'sandbox:stuck' });
    const orderId = await orderIdOf(product, 'flip');
    await product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'FAILED', stay: true });
    await untilTrue(async () => (await handle.query<PayoutStateView>('state')).bankStatus === 'FAILED');
    await product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'COMPLETED', stay: true });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('is followed through an outage of the bank in a history that does not grow with it', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'outage' });
    await orderIdOf(product, 'outage');
    await product.sandboxTest('POST', 'outage', { ms: 6_000 });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await assertBudget(handle, 30);
  });
});

describe.concurrent('what people and signals say', () => {
  it('a notice of an order that is not there changes nothing', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'noise', note: 'sandbox:stuck' });
    const orderId = await orderIdOf(product, 'noise');
    const reference = referenceOf('u-1001', 'noise');
    for (const unreal of ['ord-nowhere', '../transactions']) {
      await handle.signal('orderChanged', { reference, orderId: unreal, status: 'COMPLETED' });
    }
    await product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'COMPLETED', stay: true });
    expect(await handle.result()).toMatchObject({ state: 'completed', orderId });
  });

  it('a close as not paid is judged by what the bank shows now, not by what it showed before', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'close', note: 'sandbox:close' });
    const { orderId } = await until(handle, 'needs-operator');
    await product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'COMPLETED', stay: true });
    const answer = await handle.executeUpdate('resolve', {
      args: [{ action: 'close-as-not-paid', by: 'alice', evidence: 'statement of yesterday' }],
    });
    expect(answer).toMatchObject({ accepted: false });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });
});

describe.concurrent('a cancel', () => {
  it('keeps what is in doubt from being sent again on the word of the bank alone', async () => {
    await using product = await startProduct({ terms: { referenceDedupe: 'verified' } });
    await readAt(product);
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
    await product.sandboxTest('POST', 'faults', { operation: 'orders.list', kind: 'refuse-before', times: 1_000 });
    const handle = await product.start({ id: 'cancel-verified' });
    await untilLost(product, 'cancel-verified');
    await handle.cancel();
    await product.sandboxTest('DELETE', 'faults');
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
    expect(await ordersOf(product, 'cancel-verified')).toEqual([]);
  });

  it('while a lost answer is searched for waits for the proof, then stops the payout unsent', async () => {
    await using product = await startProduct();
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
    const handle = await product.start({ id: 'cancel-lost' });
    await untilLost(product, 'cancel-lost');
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
    expect(await ordersOf(product, 'cancel-lost')).toEqual([]);
    const attempts = await attemptsOf(product, 'cancel-lost');
    const { endedAt } = (await product.store.payout(referenceOf('u-1001', 'cancel-lost'))) ?? {};
    expect((endedAt ?? 0) - (attempts[0]?.sentAt ?? 0)).toBeGreaterThanOrEqual(2_000);
  });

  it('while a lost answer is searched for comes too late for the order that is found', async () => {
    await using product = await startProduct({ sandbox: { profile: { listLagMs: 1_000 } } });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-after' });
    const handle = await product.start({ id: 'cancel-found' });
    await untilLost(product, 'cancel-found');
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await ordersOf(product, 'cancel-found')).toHaveLength(1);
  });

  it('after the approval at the bank is answered "too late"', async () => {
    // The bank is at it until the cancel was answered, however late that is.
    await using product = await startProduct({ sandbox: { settle: { APPROVING: 600_000 } } });
    const handle = await product.start({ id: 'cancel-late', note: 'sandbox:audit' });
    const { orderId } = await until(handle, 'awaiting-bank-approval');
    await handle.signal('approve', { by: 'alice' });
    await until(handle, 'processing');
    const answer = await handle.executeUpdate('cancel', { args: [{ by: 'bob', reason: 'withdrawn' }] });
    expect(answer).toEqual({ outcome: 'too-late' });
    await product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'COMPLETED', stay: true });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });
});

const ordersOf = (product: Product, id: string) => ordersUnder(product, referenceOf('u-1001', id));
const attemptsOf = ({ store }: Product, id: string) => store.attempts(referenceOf('u-1001', id));

/** The order id once the bank has accepted it. */
async function orderIdOf(product: Product, id: string): Promise<string> {
  await untilTrue(async () => (await product.store.payout(referenceOf('u-1001', id)))?.orderId != null);
  return (await product.store.payout(referenceOf('u-1001', id)))?.orderId ?? '';
}

async function untilLost(product: Product, id: string): Promise<void> {
  await untilTrue(async () => (await attemptsOf(product, id))[0]?.outcome === 'ambiguous');
}
