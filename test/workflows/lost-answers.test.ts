import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';
import type { EndState } from '../../src/domain/payout-state.ts';
import { LOST_ANSWERS_BY_EFFECT } from '../support/lost-answers.ts';
import { NEW_PAYEE, type PayoutHandle, until } from '../support/payout-routes.ts';
import { type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until as untilTrue } from '../support/until.ts';

interface Step {
  operation: string;
  instruction: Partial<PayoutInstruction>;
  ends: EndState;
  act?: (handle: PayoutHandle) => Promise<void>;
}

const audited = { note: 'sandbox:audit' };
const inAudit = async (handle: PayoutHandle, signal: string): Promise<void> => {
  await until(handle, 'awaiting-bank-approval');
  await handle.signal(signal, { by: 'alice', remark: 'not ours' });
};

/** Every POST of a payout. What the client makes of every other fault: `test/activities/sending/lost-answers.test.ts`. */
const STEPS: readonly (readonly [string, Step])[] = [
  ['the beneficiary', { operation: 'beneficiaries.add', instruction: NEW_PAYEE, ends: 'completed' }],
  ['the exchange', { operation: 'transactions.fx', instruction: { account_id: 'acc-u1001-eur' }, ends: 'completed' }],
  ['the payment', { operation: 'transactions.payment', instruction: {}, ends: 'completed' }],
  [
    'the approval',
    {
      operation: 'orders.approve',
      instruction: audited,
      ends: 'completed',
      act: (handle) => inAudit(handle, 'approve'),
    },
  ],
  [
    'the rejection',
    { operation: 'orders.reject', instruction: audited, ends: 'rejected', act: (handle) => inAudit(handle, 'reject') },
  ],
];

// First, beside all that follows: it lasts as long as a sender may live.
describe.concurrent('a sender that never answers again', () => {
  it('and that never came to its record is none, once the bank is proven to have no order', async () => {
    const stuck = Promise.withResolvers<never>();
    let calls = 0;
    await using product = await startProduct({
      terms: { referenceDedupe: 'none' },
      store: (store) => ({
        ...store,
        recordAttempt: async (attempt) => {
          calls += 1;
          return calls === 1 ? stuck.promise : store.recordAttempt(attempt);
        },
      }),
    });
    const handle = await product.start({ id: 'lost' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'sender-that-never-came-to-its-record');
    stuck.reject(new Error('the test is over'));
    await expectOneEffect(product);
  });
});

describe.concurrent.each(STEPS)('the answer about %s is lost', (_, step) => {
  it.each(LOST_ANSWERS_BY_EFFECT)('$name', async ({ fault }) => {
    await using product = await startProduct();
    await product.sandboxTest('POST', 'faults', { operation: step.operation, ...fault });
    const handle = await product.start({ id: 'lost', ...step.instruction });
    await step.act?.(handle);
    expect(await handle.result()).toMatchObject({ state: step.ends });
    await expectOneEffect(product);
  });
});

describe.concurrent('no connection', () => {
  it('F1 sends nothing, waits, and pays once when the bank is back', async () => {
    await using product = await startProduct();
    // The bank goes away while it still owes the last answer before the submit.
    await product.sandboxTest('POST', 'faults', {
      operation: 'transactions.paymentFee',
      kind: 'delay-after',
      ms: 4_000,
    });
    const handle = await product.start({ id: 'lost' });
    await untilTrue(async () => (await faultsFired(product)) > 0);
    await product.sandboxTest('POST', 'outage', { ms: 10_000 });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    const outcomes = (await product.store.attempts(referenceOf('u-1001', 'lost'))).map(({ outcome }) => outcome);
    expect(outcomes.length).toBeGreaterThan(1);
    expect(outcomes.pop()).toBe('accepted');
    expect(new Set(outcomes)).toEqual(new Set(['not-sent']));
    await expectOneEffect(product);
  });
});

async function faultsFired(product: Product): Promise<number> {
  const { faults } = (await product.sandboxTest('GET', 'faults')) as { faults: { fired: number }[] };
  return faults.reduce((sum, { fired }) => sum + fired, 0);
}

/** One live order of each kind, one payee, books that add up, and a fault that did fire. */
async function expectOneEffect(product: Product): Promise<void> {
  const state = (await product.sandboxTest('GET', 'state')) as {
    orders: { client_order_id: string; type: string }[];
    conservation: { balanced: boolean };
    faults: { fired: number }[];
  };
  expect(state.faults.every(({ fired }) => fired > 0)).toBe(true);
  for (const kind of ['payment', 'exchange'] as const) {
    const reference = referenceOf('u-1001', 'lost', kind);
    const orders = state.orders.filter((order) => order.client_order_id === reference);
    expect(orders.length).toBeLessThanOrEqual(1);
  }
  const payees = (await product.bankCall('GET', '/v1/banking/beneficiaries?uid=u-1001&currency=USD&page_size=100')) as {
    records: { items: Record<string, string> }[];
  };
  const added = payees.records.filter(({ items }) => items.account_no === NEW_PAYEE.account_no);
  expect(added.length).toBeLessThanOrEqual(1);
}
