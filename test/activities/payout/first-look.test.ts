import { expect, it, onTestFinished } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { type FirstLook, firstLooks } from '../../../src/activities/payout/first-look.ts';
import { BankError } from '../../../src/bank/errors.ts';
import { order as orderSchema } from '../../../src/bank/schemas/orders.ts';
import type { AttemptResult } from '../../../src/domain/submission.ts';
import type { Store } from '../../../src/store/store.ts';
import { payoutClaim } from '../../store/samples.ts';
import { openEmptyStore } from '../../support/empty-store.ts';
import { silentAfterEnd } from '../../support/silent-store.ts';

const caller = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const accepted: AttemptResult = { outcome: 'accepted', orderId: 'o-1' };

/** Payouts whose orders a bank has accepted, and how it shows each when it is read. */
async function sending({ afterMs = 250, over = (store: Store): Store => store } = {}) {
  const opened = await openEmptyStore();
  onTestFinished(() => opened.close());
  const store = over(opened);
  const state = { now: 5, reads: 0, status: 'COMPLETED', reference: '', slept: [] as number[], fails: false };
  const get = async () => {
    state.reads += 1;
    if (state.fails) throw new BankError('no answer', { outcome: 'ambiguous', retryable: true, operation: 'get' });
    const amounts = { transaction_currency: 'USD', transaction_amount: '10.50', fee: '1.50', fee_currency: 'USD' };
    return orderSchema.parse({ order_id: 'o-1', client_order_id: state.reference, status: state.status, ...amounts });
  };
  const settings = { firstLookMs: afterMs, sweepMaxMs: 1_000 };
  const executions = { wakeWatch: async () => {} };
  const deps = { store, bank: { orders: { get } }, executions, now: () => state.now, settings };
  const afterSend = firstLooks(deps as unknown as ActivityDeps);
  const longRun = { sleep: async (ms: number) => void state.slept.push(ms), signal: new AbortController().signal };
  async function send(id: string, { result = accepted, takes = 0, isAsked = true } = {}) {
    const { record } = await store.claimPayout(payoutClaim(id, { runId: caller.runId }));
    const { reference, term } = record;
    state.reference = reference;
    const claim = { storeId: store.id, reference, term };
    const sent = {
      accountId: 'acc-1',
      beneficiaryId: 'ben-1',
      payeeDigest: 'of-payee',
      amount: '10.50',
      currency: 'USD',
      expiredAt: 9,
    };
    const attempt = { reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt: 1, request: sent };
    const post = async () => {
      await store.recordAttempt(attempt);
      await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: 'o-1' });
      state.now += takes;
      return result;
    };
    const look: FirstLook = { claim, leg: 'payment', closedMeans: 'unclear' };
    const told = await afterSend({ caller, longRun }, post, isAsked ? look : undefined);
    return { told, stored: (await store.payout(reference))?.state };
  }
  return { send, state };
}

it('an order that is paid by then is the end of its payout, in the answer of its send', async () => {
  const { send, state } = await sending();
  const { told, stored } = await send('a');
  expect(told).toMatchObject({ ...accepted, paid: { status: 'COMPLETED', fee: '1.50', feeCurrency: 'USD' } });
  expect(stored).toBe('completed');
  expect(state.slept).toEqual([250]);
});

it.each(['ACCEPTED', 'WAIT_FOR_AUDIT', 'FAILED', 'CLOSED'])(
  '%s is nothing that a first look decides',
  async (status) => {
    const { send, state } = await sending();
    state.status = status;
    expect(await send('a')).toEqual({ told: accepted, stored: 'preparing' });
  },
);

it('a bank that gives no answer takes nothing back', async () => {
  const { send, state } = await sending();
  state.fails = true;
  expect(await send('a')).toEqual({ told: accepted, stored: 'preparing' });
});

it('a store that gives no answer may have stored the end, of which no watch tells: the payout is told to look itself', async () => {
  const { send } = await sending({ over: silentAfterEnd });
  const { told, stored } = await send('a');
  expect(stored).toBe('completed');
  expect(told).toEqual({ ...accepted, isUntold: true });
});

it.each([
  ['that is not asked for', {}, { isAsked: false }],
  ['that nobody wants', { afterMs: 0 }, {}],
  ['after a send that took long', {}, { takes: 10_001 }],
  ['after a doubt', {}, { result: { outcome: 'ambiguous', why: 'no answer' } as AttemptResult }],
])('no look %s', async (_which, settings, send) => {
  const looking = await sending(settings);
  const { told } = await looking.send('a', send);
  expect(told).not.toHaveProperty('paid');
  expect(looking.state.reads).toBe(0);
});

it('a slow bank is looked at ever more rarely, and a quick one after every send', async () => {
  const { send, state } = await sending();
  state.status = 'ACCEPTED';
  for (let i = 0; i < 130; i += 1) await send(`slow-${i}`);
  // After 0, 1, 3, 7, 15, 31 and 63 others.
  expect(state.reads).toBe(7);
  state.status = 'COMPLETED';
  for (let i = 0; i < 80; i += 1) await send(`quick-${i}`);
  expect(state.reads).toBeGreaterThan(7 + 10);
  const before = state.reads;
  for (let i = 0; i < 10; i += 1) await send(`again-${i}`);
  expect(state.reads).toBe(before + 10);
});

it('while nothing is known of the bank, one order at a time is looked at', async () => {
  const { send, state } = await sending();
  state.status = 'ACCEPTED';
  await Promise.all(Array.from({ length: 10 }, (_, at) => send(`at-once-${at}`)));
  expect(state.reads).toBe(1);
});
