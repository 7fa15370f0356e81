import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { payoutWorkflowId, TASK_QUEUE } from '../../src/domain/names.ts';
import { restartPayout } from '../../src/platform/temporal/workflow-executions.ts';
import type { PayoutRecord, Store } from '../../src/store/store.ts';
import type { ResolveAnswer } from '../../src/workflows/messages.ts';
import {
  cancel,
  changePayee,
  NEW_PAYEE,
  type PayoutHandle,
  taskBefore,
  until,
  untilReason,
} from '../support/payout-routes.ts';
import {
  DEFAULT_INSTRUCTION,
  DEFAULT_PAYMENT,
  ordersUnder,
  type Product,
  quickSettings,
  startProduct,
} from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { silentAfterEnd } from '../support/unanswering-store.ts';
import { until as untilTrue } from '../support/until.ts';

/** The payout whose run was closed, in its next run. */
async function startedAgain(product: Product, id: string): Promise<{ row: PayoutRecord; again: PayoutHandle }> {
  const row = await product.store.payout(referenceOf('u-1001', id));
  if (row === undefined) throw new Error('the payout has no row');
  await restartPayout(product.client, row);
  return { row, again: product.client.workflow.getHandle(row.workflowId) };
}

/** How often the first fault that was asked for has come. */
async function fired(product: Product): Promise<number> {
  const { faults } = (await product.sandboxTest('GET', 'faults')) as { faults: { fired: number }[] };
  return faults[0]?.fired ?? 0;
}

/** A payout that a second order under its reference has stopped for people, and whose own order is paid. */
async function withSecondOrder(product: Product, id: string) {
  const handle = await product.start({ id, note: 'sandbox:stuck' });
  const reference = referenceOf('u-1001', id);
  await untilTrue(async () => (await product.store.payout(reference))?.orderId != null);
  const ours = (await product.store.payout(reference))?.orderId;
  await product.bankCall('POST', '/v1/banking/transactions/payment', { ...DEFAULT_PAYMENT, reference });
  await untilReason(handle, 'duplicate-suspected');
  await product.sandboxTest('POST', `orders/${ours}/status`, { status: 'COMPLETED', stay: true });
  return { handle, reference, ours };
}

/** The operator tries again only where the bank did not answer in time, as on a busy machine; any other refusal is a fault. */
const adopted = (handle: PayoutHandle, orderId: string | undefined): Promise<void> =>
  untilTrue(async () => {
    const request = { action: 'adopt-order', by: 'alice', evidence: 'statement', orderId };
    const answer = await handle.executeUpdate<ResolveAnswer, [object]>('resolve', { args: [request] });
    if (!answer.accepted) expect(answer.message).toBe('the bank does not show just now that this order may pay it');
    return answer.accepted;
  });

describe.concurrent('hazards of a payout', () => {
  it('a reset to before the submit pays nothing twice', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'reset' });
    const first = await handle.result();
    const { runId } = await product.client.workflow.workflowService.resetWorkflowExecution({
      namespace: product.namespace,
      workflowExecution: { workflowId: handle.workflowId },
      reason: 'test',
      workflowTaskFinishEventId: (await taskBefore(handle, 'submitPayment')) as unknown as never,
      requestId: 'reset-1',
    });
    const again = product.client.workflow.getHandle<() => Promise<typeof first>>(handle.workflowId, runId);
    expect(await again.result()).toMatchObject({ state: 'completed', orderId: first.orderId });
    expect(await ordersUnder(product, first.reference)).toHaveLength(1);
    await recordHistory(again, 'payout', 'reset');
  });

  it('an order accepted by a run that was terminated is adopted, even while no list shows it', async () => {
    await using product = await startProduct({ terms: { waits: { lateCommitMs: 100, listLagMs: 50 } } });
    const handle = await product.start({ id: 'adopt', note: 'sandbox:audit' });
    const { orderId } = await until(handle, 'awaiting-bank-approval');
    await handle.terminate('test');
    await product.sandboxTest('POST', 'faults', {
      operation: 'orders.list',
      kind: 'code',
      code: 2001,
      commit: false,
      times: 1_000,
    });
    const { row, again } = await startedAgain(product, 'adopt');
    await product.sandboxTest('DELETE', 'faults');
    await until(again, 'awaiting-bank-approval');
    await again.signal('approve', { by: 'alice' });
    expect(await again.result()).toMatchObject({ state: 'completed', orderId });
    expect(await ordersUnder(product, row.reference)).toHaveLength(1);
  });

  it('an end that the watch has stored without an answer ends its payout all the same', async () => {
    const terms = { waits: { patienceMs: 3_600_000 } };
    await using product = await startProduct({ terms, store: silentAfterEnd });
    const handle = await product.start({ id: 'silent' });
    const result = await handle.result();
    expect(result).toMatchObject({ state: 'completed', reason: null });
    const { state, orderId, fee } = (await product.store.payout(referenceOf('u-1001', 'silent'))) ?? {};
    expect(result).toMatchObject({ state, orderId, fee });
    await recordHistory(handle, 'payout', 'end-that-was-not-confirmed');
  });

  it('a payout that is asked to read while its order is sent reads it, though nobody else reports it', async () => {
    const terms = { waits: { patienceMs: 3_600_000 } };
    const sent = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const forgetful = (store: Store): Store => ({
      ...store,
      async finishAttempt(reference, attempt, result) {
        sent.resolve();
        await asked.promise;
        await store.finishAttempt(reference, attempt, result);
        await store.closeOrder(reference);
      },
    });
    await using product = await startProduct({ terms, store: forgetful });
    const handle = await product.start({ id: 'asked' });
    await sent.promise;
    await handle.signal('orderChanged');
    asked.resolve();
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'asked-to-look-while-sending');
  });

  it('a payee that was changed in the audit is not approved at the bank by a run that was started since', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'changed', note: 'sandbox:audit' });
    const { orderId } = await until(handle, 'awaiting-bank-approval');
    await changePayee(product);
    await handle.terminate('test');
    const { row, again } = await startedAgain(product, 'changed');
    await until(again, 'awaiting-bank-approval');
    await again.signal('approve', { by: 'alice' });
    await untilReason(again, 'beneficiary-changed');
    expect(await ordersUnder(product, row.reference)).toMatchObject([{ order_id: orderId, status: 'WAIT_FOR_AUDIT' }]);
    await again.signal('reject', { by: 'alice', remark: 'the payee was changed' });
    expect(await again.result()).toMatchObject({ state: 'rejected' });
  });

  it('a payout terminated with an operator comes back with an operator: nothing is sent without a decision', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'parked', execute_on: '2999-01-01' });
    await until(handle, 'scheduled');
    await handle.terminate('test');
    const reference = referenceOf('u-1001', 'parked');
    const reason = { code: 'order-not-found', message: 'test' };
    await product.store.changePayout(reference, { state: 'needs-operator', reason, at: Date.now() });
    const row = await product.store.payout(reference);
    if (row === undefined) throw new Error('the payout has no row');
    await restartPayout(product.client, row);
    const again: PayoutHandle = product.client.workflow.getHandle(handle.workflowId);
    await until(again, 'needs-operator');
    const close = { action: 'close-as-not-paid', by: 'alice', evidence: 'withdrawn' };
    // Refused until the searches have proven that there is no order.
    await untilTrue(async () => {
      const { accepted } = await again.executeUpdate<{ accepted: boolean }, [typeof close]>('resolve', {
        args: [close],
      });
      return accepted;
    });
    expect(await again.result()).toMatchObject({ state: 'failed', reason: { code: 'closed-by-operator' } });
    expect(await ordersUnder(product, reference)).toEqual([]);
  });

  it('the account of another user is not sold for a payout, even at a bank that would do it', async () => {
    let fromWhom = 'acc-u1002-eur';
    await using product = await startProduct({
      bank: (bank) => ({
        ...bank,
        transactions: {
          ...bank.transactions,
          // Sold for the right user, which does not show here.
          fxQuote: (asked, ...more) => bank.transactions.fxQuote({ ...asked, sell_account: 'acc-u1001-eur' }, ...more),
          fx(asked, ...more) {
            fromWhom = asked.sell_account;
            return bank.transactions.fx({ ...asked, sell_account: 'acc-u1001-eur' }, ...more);
          },
        },
      }),
    });
    const handle = await product.start({ id: 'foreign', account_id: fromWhom });
    fromWhom = 'nobody';
    expect(await handle.result()).toMatchObject({ state: 'failed', reason: { code: 'account-not-own' } });
    expect(fromWhom).toBe('nobody');
  });

  it('the approval of an exchange does not serve the payment behind it', async () => {
    await using product = await startProduct({ sandbox: { auditThreshold: { EUR: '1.00', USD: '1.00' } } });
    const handle = await product.start({ id: 'two', account_id: 'acc-u1001-eur' });
    await until(handle, 'awaiting-bank-approval');
    await handle.signal('approve', { by: 'alice' });
    const reference = referenceOf('u-1001', 'two');
    await untilTrue(async () => (await ordersUnder(product, reference))[0]?.status === 'WAIT_FOR_AUDIT');
    await until(handle, 'awaiting-bank-approval');
    expect((await ordersUnder(product, reference))[0]?.status).toBe('WAIT_FOR_AUDIT');
    await handle.signal('reject', { by: 'alice', remark: 'not this one' });
    expect(await handle.result()).toMatchObject({ state: 'rejected' });
  });

  it('a payee that we added and somebody changed at the bank is held, not paid', async () => {
    await using product = await startProduct();
    await (await product.start({ id: 'first', ...NEW_PAYEE })).result();
    const list = await product.bankCall('GET', '/v1/banking/beneficiaries?uid=u-1001&currency=USD&page_size=100');
    const payee = (list as { records: { id: string; items: Record<string, string> }[] }).records.find(
      ({ items }) => items.account_no === NEW_PAYEE.account_no,
    );
    await product.bankCall('PUT', `/v1/banking/beneficiaries/${payee?.id}`, {
      uid: 'u-1001',
      ...payee?.items,
      account_no: '666666666',
    });
    const handle = await product.start({ id: 'second', ...NEW_PAYEE });
    await until(handle, 'held');
    await handle.signal('reject', { by: 'alice', remark: 'fraud' });
    expect(await handle.result()).toMatchObject({ state: 'rejected' });
    expect(await ordersUnder(product, referenceOf('u-1001', 'second'))).toEqual([]);
  });

  it('a second order under the reference stops the payout for people', async () => {
    await using product = await startProduct({ sandbox: { profile: { dedupe: 'none' } as never } });
    const handle = await product.start({ id: 'double', note: 'sandbox:stuck' });
    const reference = referenceOf('u-1001', 'double');
    await untilTrue(async () => (await product.store.payout(reference))?.orderId != null);
    await product.bankCall('POST', '/v1/banking/transactions/payment', { ...DEFAULT_PAYMENT, reference });
    const view = await until(handle, 'needs-operator');
    expect(view.reason?.code).toBe('duplicate-suspected');
    const answer = await handle.executeUpdate('resolve', {
      args: [{ action: 'adopt-order', by: 'alice', evidence: 'the other is being called back', orderId: view.orderId }],
    });
    expect(answer).toMatchObject({ accepted: true });
    await product.sandboxTest('POST', `orders/${view.orderId}/status`, { status: 'COMPLETED', stay: true });
    expect(await handle.result()).toMatchObject({ state: 'completed', orderId: view.orderId });
  });

  it('an end that a notice reports and the bank does not show is not searched for as long as the order is open', async () => {
    let reads = 0;
    await using product = await startProduct({
      terms: { waits: { pollMs: 5, pollMaxMs: 10 } },
      bank: (bank) => ({
        ...bank,
        orders: {
          ...bank.orders,
          get: (...asked) => {
            reads += 1;
            return bank.orders.get(...asked);
          },
        },
      }),
    });
    const handle = await product.start({ id: 'reported', note: 'sandbox:stuck' });
    const reference = referenceOf('u-1001', 'reported');
    const orderId = async () => (await product.store.payout(reference))?.orderId ?? undefined;
    await untilTrue(async () => (await orderId()) !== undefined);
    await handle.signal('orderChanged', { reference, orderId: 'ord-nobody-knows', status: 'COMPLETED', stage: 'paid' });
    await untilTrue(async () => reads >= 20);
    await untilTrue(async () => {
      const before = reads;
      await pause(1_000);
      return reads === before;
    });
    await product.sandboxTest('POST', `orders/${await orderId()}/status`, { status: 'COMPLETED', stay: true });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('an order that only a notice has named, and that the bank does not show, is not followed in place of one that it shows', async () => {
    await using product = await startProduct({ sandbox: { profile: { dedupe: 'none' } as never } });
    const handle = await product.start({ id: 'named-only', note: 'sandbox:stuck' });
    const reference = referenceOf('u-1001', 'named-only');
    await untilTrue(async () => (await product.store.payout(reference))?.orderId != null);
    const ours = (await product.store.payout(reference))?.orderId;
    await handle.signal('orderChanged', { reference, orderId: 'ord-nobody-knows', status: 'COMPLETED', stage: 'open' });
    await product.bankCall('POST', '/v1/banking/transactions/payment', { ...DEFAULT_PAYMENT, reference });
    await until(handle, 'needs-operator');
    const adopt = (orderId: unknown) =>
      handle.executeUpdate('resolve', { args: [{ action: 'adopt-order', by: 'alice', evidence: 'list', orderId }] });
    expect(await adopt('ord-nobody-knows')).toMatchObject({ accepted: false });
    expect(await product.store.payout(reference)).toMatchObject({ orderId: ours });
    const other = (await ordersUnder(product, reference)).find(({ order_id }) => order_id !== ours)?.order_id;
    expect(await adopt(other)).toMatchObject({ accepted: true });
    await product.sandboxTest('POST', `orders/${other}/status`, { status: 'COMPLETED', stay: true });
    expect(await handle.result()).toMatchObject({ state: 'completed', orderId: other });
    await recordHistory(handle, 'payout', 'order-named-only-not-adopted');
  });

  it('what was decided about one order at the bank is not driven for the other that is adopted in its place', async () => {
    const settle = { APPROVED: 600_000 };
    await using product = await startProduct({ sandbox: { profile: { dedupe: 'none' } as never, settle } });
    const handle = await product.start({ id: 'other-audit', note: 'sandbox:audit' });
    const reference = referenceOf('u-1001', 'other-audit');
    await until(handle, 'awaiting-bank-approval');
    await handle.signal('approve', { by: 'carol' });
    const statuses = async () => (await ordersUnder(product, reference)).map(({ status }) => status);
    await untilTrue(async () => (await statuses()).includes('APPROVED'));
    const body = { ...DEFAULT_PAYMENT, note: 'sandbox:audit', reference };
    const other = (await product.bankCall('POST', '/v1/banking/transactions/payment', body)) as { order_id: string };
    await until(handle, 'needs-operator');
    const answer = await handle.executeUpdate('resolve', {
      args: [{ action: 'adopt-order', by: 'alice', evidence: 'the bank recalls the first', orderId: other.order_id }],
    });
    expect(answer).toMatchObject({ accepted: true });
    await until(handle, 'awaiting-bank-approval');
    expect((await statuses()).toSorted()).toEqual(['APPROVED', 'WAIT_FOR_AUDIT']);
    await handle.signal('reject', { by: 'alice', remark: 'the first is paid' });
    await untilTrue(async () => (await statuses()).includes('REJECTED'));
    const reported = (await product.store.auditEntriesOf(reference)).filter(({ action }) =>
      action.endsWith('at the bank'),
    );
    expect(reported.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'carol approve at the bank',
      'alice reject at the bank',
    ]);
  });

  it('a lost answer is not sent again before the bank had its time to commit and to show it', async () => {
    await using product = await startProduct();
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
    const handle = await product.start({ id: 'patience' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    const [lost, resent, ...more] = await product.store.attempts(referenceOf('u-1001', 'patience'));
    expect(more).toEqual([]);
    const { lateCommitMs, listLagMs } = quickSettings.terms.waits;
    expect((resent?.sentAt ?? 0) - (lost?.sentAt ?? 0)).toBeGreaterThanOrEqual(lateCommitMs + listLagMs);
  });

  it('a payout with a second order is not stored as completed before people have spoken', async () => {
    await using product = await startProduct({ sandbox: { profile: { dedupe: 'none' } as never } });
    const { handle, reference, ours } = await withSecondOrder(product, 'double-paid');
    await handle.executeUpdate('resolve', { args: [{ action: 'keep-looking', by: 'alice', evidence: 'list' }] });
    expect(await product.store.payout(reference)).toMatchObject({ state: 'needs-operator' });
    const other = (await ordersUnder(product, reference)).find(({ order_id }) => order_id !== ours)?.order_id;
    await adopted(handle, other);
    expect(await handle.result()).toMatchObject({ state: 'completed', orderId: other });
  });

  it('a second order that the bank does not show for once still stops the payout', async () => {
    await using product = await startProduct({ sandbox: { profile: { dedupe: 'none' } as never } });
    const { handle, reference, ours } = await withSecondOrder(product, 'not-shown-once');
    await product.sandboxTest('POST', 'faults', { operation: 'orders.get', kind: 'code', code: 2004, commit: false });
    await handle.executeUpdate('resolve', { args: [{ action: 'keep-looking', by: 'alice', evidence: 'list' }] });
    await untilTrue(async () => {
      const { faults } = (await product.sandboxTest('GET', 'faults')) as { faults: { fired: number }[] };
      return faults.every(({ fired }) => fired === 1);
    });
    const other = (await ordersUnder(product, reference)).find(({ order_id }) => order_id !== ours)?.order_id;
    await adopted(handle, other);
    expect(await handle.result()).toMatchObject({ state: 'completed', orderId: other });
    await recordHistory(handle, 'payout', 'second-order-not-shown-once');
  });

  it('a closed order is not called unpaid while the order that was set aside for it may be paid', async () => {
    await using product = await startProduct({ sandbox: { profile: { dedupe: 'none' } as never } });
    const handle = await product.start({ id: 'aside', note: 'sandbox:stuck' });
    const reference = referenceOf('u-1001', 'aside');
    await untilTrue(async () => (await product.store.payout(reference))?.orderId != null);
    await product.bankCall('POST', '/v1/banking/transactions/payment', { ...DEFAULT_PAYMENT, reference });
    const { orderId } = await until(handle, 'needs-operator');
    const adopt = { action: 'adopt-order', by: 'alice', evidence: 'the other is being called back', orderId };
    expect(await handle.executeUpdate('resolve', { args: [adopt] })).toMatchObject({ accepted: true });
    await product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'CLOSED', stay: true });
    await untilReason(handle, 'status-unclear');
    const close = { action: 'close-as-not-paid', by: 'alice', evidence: 'statement of today' };
    expect(await handle.executeUpdate('resolve', { args: [close] })).toMatchObject({ accepted: false });
    const other = (await ordersUnder(product, reference)).find((order) => order.order_id !== orderId)?.order_id;
    await product.sandboxTest('POST', `orders/${other}/status`, { status: 'REJECTED', stay: true });
    await untilTrue(async () => {
      const answer = await handle.executeUpdate<{ accepted: boolean }, [typeof close]>('resolve', { args: [close] });
      return answer.accepted;
    });
    expect(await handle.result()).toMatchObject({ state: 'failed', reason: { code: 'closed-by-operator' } });
    const attempts = await product.store.attempts(reference);
    expect(attempts.map(({ resolved }) => resolved)).toEqual(['unpaid']);
    await recordHistory(handle, 'payout', 'closed-beside-another-order');
  });

  it('a rejection given while a held payout is checked again counts', async () => {
    await using product = await startProduct();
    await product.sandboxTest('POST', 'accounts/acc-u1001-gbp/freeze');
    const gbp = { account_id: 'acc-u1001-gbp', currency: 'GBP', beneficiary_id: 'ben-u1001-gbp-local' };
    const handle = await product.start({ id: 'reject-held', ...gbp });
    await until(handle, 'held');
    // Every check of the hold now takes long enough for a decision to come in the middle of one.
    const slow = { operation: 'transactions.paymentFee', kind: 'delay-after', ms: 4_000, times: 100 };
    await product.sandboxTest('POST', 'faults', slow);
    await product.sandboxTest('POST', 'accounts/acc-u1001-gbp/unfreeze');
    await untilTrue(async () => (await fired(product)) >= 1);
    await handle.signal('reject', { by: 'alice', remark: 'not this one' });
    expect(await handle.result()).toMatchObject({ state: 'rejected' });
    expect(await ordersUnder(product, referenceOf('u-1001', 'reject-held'))).toEqual([]);
    await recordHistory(handle, 'payout', 'rejected-while-looked-at');
  });

  it('a rejection that comes when the payout has gone on in a new run, and before that asks again, counts', async () => {
    await using product = await startProduct();
    await product.sandboxTest('POST', 'accounts/acc-u1001-gbp/freeze');
    const gbp = { account_id: 'acc-u1001-gbp', currency: 'GBP', beneficiary_id: 'ben-u1001-gbp-local' };
    const handle = await product.start({ id: 'reject-afresh', ...gbp });
    await until(handle, 'held');
    const { runId } = await handle.describe();
    for (const operation of ['accounts.get', 'accounts.ofUser']) {
      await product.sandboxTest('POST', 'faults', { operation, kind: 'delay-after', ms: 3_000, times: 100 });
    }
    // What makes a history long; nobody listens to it.
    for (let i = 0; i < 3; i += 1) await handle.signal('padding', 'x'.repeat(1_600_000));
    await untilTrue(async () => (await handle.describe()).runId !== runId);
    await handle.signal('reject', { by: 'alice', remark: 'not this one' });
    await product.sandboxTest('POST', 'accounts/acc-u1001-gbp/unfreeze');
    expect(await handle.result()).toMatchObject({ state: 'rejected', reason: { code: 'approval-rejected' } });
    expect(await ordersUnder(product, referenceOf('u-1001', 'reject-afresh'))).toEqual([]);
    await recordHistory(handle, 'payout', 'rejected-by-who-saw-the-run-before');
  });

  it('a rejection that comes when a payout which has gone on in a new run was sent is refused', async () => {
    await using product = await startProduct();
    await product.sandboxTest('POST', 'accounts/acc-u1001-gbp/freeze');
    const gbp = { account_id: 'acc-u1001-gbp', currency: 'GBP', beneficiary_id: 'ben-u1001-gbp-local' };
    const handle = await product.start({ id: 'reject-late', note: 'sandbox:stuck', ...gbp });
    const { awaited } = await until(handle, 'held');
    const { runId } = await handle.describe();
    for (const operation of ['accounts.get', 'accounts.ofUser']) {
      await product.sandboxTest('POST', 'faults', { operation, kind: 'delay-after', ms: 3_000, times: 2 });
    }
    for (let i = 0; i < 3; i += 1) await handle.signal('padding', 'x'.repeat(1_600_000));
    await untilTrue(async () => (await handle.describe()).runId !== runId);
    await product.sandboxTest('POST', 'accounts/acc-u1001-gbp/unfreeze');
    const reference = referenceOf('u-1001', 'reject-late');
    await untilTrue(async () => (await product.store.payout(reference))?.orderId != null);
    const late = { decisionId: 'd-late', decision: 'reject', by: 'alice', remark: 'not this one' };
    const asked = handle.executeUpdate('decide', { args: [{ ...late, digest: awaited?.digest }] });
    await expect(asked).rejects.toMatchObject({ cause: { message: 'no approval is awaited' } });
    await handle.signal('reject', { by: 'alice', remark: 'not this one' });
    const [order] = await ordersUnder(product, reference);
    await product.sandboxTest('POST', `orders/${order?.order_id}/status`, { status: 'COMPLETED', stay: true });
    expect(await handle.result()).toMatchObject({ state: 'completed', reason: null });
    const reported = (await product.store.auditEntriesOf(reference)).map(({ actor, action }) => `${actor} ${action}`);
    expect(reported).toContainEqual(expect.stringContaining('alice'));
    await recordHistory(handle, 'payout', 'rejected-after-the-send-of-a-new-run');
  });

  it('a fee read that says "short of money" waits for money and not for a payee', async () => {
    await using product = await startProduct();
    const short = { operation: 'transactions.paymentFee', kind: 'code', code: 2010, commit: false, times: 6 };
    await product.sandboxTest('POST', 'faults', short);
    const handle = await product.start({ id: 'fee-short', ...NEW_PAYEE });
    await until(handle, 'awaiting-funds');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect((await handle.describe()).historyLength).toBeLessThan(150);
  });

  it('a decision whose answers are lost is repeated with growing pauses, also with a cancel on top', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'mute', note: 'sandbox:audit' });
    const { orderId } = await until(handle, 'awaiting-bank-approval');
    const lost = { operation: 'orders.reject', kind: 'drop-before', times: 1_000 };
    await product.sandboxTest('POST', 'faults', lost);
    await handle.signal('reject', { by: 'alice', remark: 'no' });
    await handle.cancel();
    await untilTrue(async () => (await fired(product)) >= 3);
    expect((await handle.describe()).historyLength).toBeLessThan(100);
    await product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'REJECTED', stay: true });
    expect(await handle.result()).toMatchObject({ state: 'rejected' });
  });

  it('a refused read says nothing about money: the payout goes on', async () => {
    await using product = await startProduct();
    const refused = { operation: 'orders.get', kind: 'code', code: 2007, commit: false, times: 2 };
    await product.sandboxTest('POST', 'faults', refused);
    const handle = await product.start({ id: 'read' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('a cancel asked for while nothing gets through ends the payout unsent', async () => {
    await using product = await startProduct();
    const closed = { operation: 'transactions.payment', kind: 'http', status: 401, commit: false, times: 1_000 };
    await product.sandboxTest('POST', 'faults', closed);
    const handle = await product.start({ id: 'stop' });
    await untilTrue(
      async () => (await product.store.payout(referenceOf('u-1001', 'stop')))?.reason?.code === 'bank-unreachable',
    );
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
    const { historyLength } = await handle.describe();
    expect(historyLength).toBeLessThan(200);
  });

  it('signals that are no decisions are ignored, and the payout stays answerable', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'garbage', note: 'sandbox:audit' });
    await until(handle, 'awaiting-bank-approval');
    for (const payload of [null, 7, 'x', { by: 7 }, { by: 'a', remark: null }, { by: 'a', remark: 3 }]) {
      await handle.signal('reject', payload as never);
      await handle.signal('orderChanged', payload as never);
    }
    await handle.signal('approve', null as never);
    await handle.signal('approve', { by: 'alice' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it.each([
    ['nothing', [], 'WrongWorkflowId'],
    ['no amount', [{ id: 'x', uid: 'u-1001', account_id: 'a', currency: 'USD' }], 'InvalidInput'],
    ['another instruction', [{ ...DEFAULT_INSTRUCTION, id: 'other' }], 'WrongWorkflowId'],
  ])('a start with %s fails with a clear reason', async (_, args, type) => {
    await using product = await startProduct();
    const workflowId = payoutWorkflowId(referenceOf('u-1001', 'x'));
    const handle = await product.client.workflow.start('payout', { workflowId, taskQueue: TASK_QUEUE, args });
    const failure: unknown = await handle.result().catch((error: WorkflowFailedError) => error.cause);
    expect(failure).toMatchObject({ type });
  });

  it('a payout started by anybody without attributes can be found by them', async () => {
    await using product = await startProduct();
    const instruction = { ...DEFAULT_INSTRUCTION, id: 'plain-start', note: 'sandbox:audit' };
    const reference = referenceOf('u-1001', 'plain-start');
    const workflowId = payoutWorkflowId(reference);
    const handle: PayoutHandle = await product.client.workflow.start('payout', {
      workflowId,
      taskQueue: TASK_QUEUE,
      args: [instruction],
    });
    await until(handle, 'awaiting-bank-approval');
    const { searchAttributes } = await handle.describe();
    expect(searchAttributes).toMatchObject({
      PayoutReference: [reference],
      PayoutDocument: ['plain-start'],
      PayoutUid: ['u-1001'],
      PayoutCurrency: ['USD'],
      PayoutNeedsAttention: [true],
    });
    const refused = handle.executeUpdate('resolve', { args: [{ action: 'fly', by: 'a', evidence: 'b' }] });
    await expect(refused).rejects.toThrow();
    await cancel(handle, { by: 'alice', reason: 'withdrawn' });
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
  });
});
