import { expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { notifyEnd } from '../../../src/activities/watch.ts';
import { BankError } from '../../../src/bank/errors.ts';
import { order as orderSchema } from '../../../src/bank/schemas/orders.ts';
import { orderEndActivityId } from '../../../src/domain/names.ts';
import type { PaidOrder } from '../../../src/domain/order-judgement.ts';
import type { PayoutState } from '../../../src/domain/payout-state.ts';
import { because } from '../../../src/domain/reasons.ts';
import { openOrderRequest, payoutClaim, SENT_PAYMENT } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';

const RUN = 'run-1';
/** A payout whose order the bank has accepted, as its run follows it. */
async function followed({ state = 'processing' as PayoutState } = {}) {
  const store = await newStore();
  const { record } = await store.claimPayout(payoutClaim('doc', { runId: RUN }));
  const { reference, workflowId, term } = record;
  const attempt = { attempt: 1, runId: RUN, activityId: '1', sentAt: 1 };
  await store.openOrder(openOrderRequest(reference));
  await store.recordAttempt({ reference, ...attempt, request: SENT_PAYMENT });
  await store.finishAttempt(reference, 1, { outcome: 'accepted', orderId: 'o-1' });
  await store.noteOrder(reference, { orderId: 'o-1' });
  await store.changePayout(reference, { state, orderId: 'o-1', term, at: 2 });
  const bank = { status: 'COMPLETED', amount: '10.50', reads: 0, fails: false, meanwhile: async () => {} };
  const notified: { runId: string; orderId: string; paid: PaidOrder; stored: PayoutState | undefined }[] = [];
  const receives = { isWaiting: true, isStill: true };
  const deps = {
    store,
    now: () => 5,
    settings: { listWindowMs: 60_000, listPollMaxMs: 1_000 },
    bank: {
      orders: {
        get: async () => {
          bank.reads += 1;
          await bank.meanwhile();
          if (bank.fails) throw new BankError('no answer', { outcome: 'ambiguous', retryable: true, operation: 'get' });
          const amounts = {
            transaction_currency: 'USD',
            transaction_amount: bank.amount,
            fee: '1.50',
            fee_currency: 'USD',
          };
          return orderSchema.parse({ order_id: 'o-1', client_order_id: reference, status: bank.status, ...amounts });
        },
      },
    },
    executions: {
      wakeWatch: async () => {},
      endOrder: async ({ runId }: { runId: string }, orderId: string, paid: PaidOrder) => {
        notified.push({ runId, orderId, paid, stored: (await store.payout(reference))?.state });
        return receives.isStill;
      },
      awaitsEnd: async () => receives.isWaiting,
    },
  } as unknown as ActivityDeps;
  const open = async () => (await store.openOrders({ uid: 'user-1', currency: 'USD' })).length;
  return {
    ...{ store, reference, bank, notified, receives, open, term },
    notify: async () => {
      const [owner] = await store.openOrders({ uid: 'user-1', currency: 'USD' });
      if (owner === undefined) throw new Error(`nothing is open of ${workflowId}`);
      return notifyEnd(deps, owner, 'o-1', new AbortController().signal);
    },
    state: async () => (await store.payout(reference))?.state,
  };
}

it('a paid order is stored as the end of its payout, then its run is notified, and then no longer watched', async () => {
  const { notify, notified, open, state, bank } = await followed();
  expect(await notify()).toBe(true);
  const paid = { orderId: 'o-1', status: 'COMPLETED', fee: '1.50', feeCurrency: 'USD' };
  expect(notified).toMatchObject([{ runId: RUN, orderId: 'o-1', paid, stored: 'completed' }]);
  expect([await state(), await open(), bank.reads]).toEqual(['completed', 0, 1]);
});

it('a run that is not notified leaves the order in the open set, so that the next poll signals it', async () => {
  const { notify, receives, open, state, notified } = await followed();
  receives.isStill = false;
  expect(await notify()).toBe(false);
  expect([await state(), await open()]).toEqual(['completed', 1]);
  expect(await notify()).toBe(false);
  expect(notified).toHaveLength(1);
});

it.each(['ACCEPTED', 'WAIT_FOR_AUDIT', 'FAILED', 'CLOSED'])('%s is for the run to decide', async (status) => {
  const { notify, bank, notified, state, open } = await followed();
  bank.status = status;
  expect(await notify()).toBe(false);
  expect([notified, await state(), await open()]).toEqual([[], 'processing', 1]);
});

it('so is an order that differs from what was sent', async () => {
  const { notify, bank, notified, state } = await followed();
  bank.amount = '11.00';
  expect(await notify()).toBe(false);
  expect([notified, await state()]).toEqual([[], 'processing']);
});

it.each(['submitting', 'resolving', 'awaiting-bank-approval', 'needs-operator'] as const)(
  'a payout that is %s is left to its run without a call of the bank',
  async (state) => {
    const { notify, bank, notified } = await followed({ state });
    expect(await notify()).toBe(false);
    expect([bank.reads, notified]).toEqual([0, []]);
  },
);

it('so is one that does not wait for it: after an exchange, or before it knows of the order', async () => {
  const { notify, bank, receives, state } = await followed();
  receives.isWaiting = false;
  expect(await notify()).toBe(false);
  expect([bank.reads, await state()]).toEqual([0, 'processing']);
});

it('so is one about which people are asked while the order is read', async () => {
  const { notify, bank, store, reference, notified, state } = await followed();
  const change = { state: 'needs-operator', reason: because('duplicate-suspected'), at: 3 } as const;
  bank.meanwhile = async () => void (await store.changePayout(reference, change));
  expect(await notify()).toBe(false);
  expect([notified, await state()]).toEqual([[], 'needs-operator']);
});

it('a bank that shows no order stores nothing', async () => {
  const { notify, bank, state } = await followed();
  bank.fails = true;
  await expect(notify()).rejects.toThrow('no answer');
  expect(await state()).toBe('processing');
});

it('activities that wait for two orders of a run have two ids', () => {
  expect(orderEndActivityId('o-1')).not.toBe(orderEndActivityId('o-2'));
});
