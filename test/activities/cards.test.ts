import { beforeEach, describe, expect, it } from 'vitest';
import { cardPaymentState } from '../../src/activities/card-events.ts';
import type { RecordCardStateInput } from '../../src/activities/cards.ts';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { type Activities, createActivities } from '../../src/activities/index.ts';
import type { Cards } from '../../src/bank/cards/acquirer.ts';
import type { CardEvent, CardPaymentInput } from '../../src/domain/card-payment.ts';
import { cardRequestId } from '../../src/domain/identity.ts';
import { cardWorkflowId } from '../../src/domain/names.ts';
import type { Store } from '../../src/store/store.ts';
import { activityEnvironment } from '../support/activity.ts';
import { quickCardTerms } from '../support/card-terms.ts';
import { newStore } from '../support/empty-store.ts';

const ID = 'order-1';
const INPUT: CardPaymentInput = {
  merchant_request_id: ID,
  amount: '49.90',
  currency: 'EUR',
  payment_type: 'DEBIT',
  three_ds: 'setup',
};
const WITNESSED = { kind: 'status', paymentId: 'pay-1', trust: 'verified', receivedAt: 5 } as const;

let store: Store;
let woken: string[];
let activities: Activities;
let acquirer: Pick<Cards, 'resume' | 'retrieve'>;

beforeEach(async () => {
  store = await newStore();
  woken = [];
  const shown = { status: 'SUCCEEDED', nextAction: null };
  acquirer = {
    resume: async ({ paymentId }, options) => {
      options?.beforeFirstByte?.();
      return { ...shown, paymentId };
    },
    retrieve: async (paymentId) => ({ ...shown, paymentId }),
  };
  const deps: Partial<ActivityDeps> = {
    store,
    now: () => 1_000,
    assertIdentity: async () => {},
    bank: { cards: acquirer } as ActivityDeps['bank'],
    settings: {
      cardTerms: quickCardTerms,
      reconcileDays: 45,
      cardBackStatuses: [] as string[],
    } as Partial<ActivityDeps['settings']> as ActivityDeps['settings'],
    executions: { readAgain: async (id: string) => woken.push(id) > 0 } as unknown as ActivityDeps['executions'],
  };
  activities = createActivities(deps as ActivityDeps);
});

const prepare = (
  input: Partial<CardPaymentInput> = INPUT,
  runId = 'run-1',
  workflowId = cardWorkflowId(ID),
  ranBefore = false,
  endsWithout = false,
) => {
  const by = activityEnvironment({ workflowExecution: { workflowId, runId } });
  return by.run(activities.prepareCard, { input, ranBefore, endsWithout }) as ReturnType<typeof activities.prepareCard>;
};

/** An event as the gateway stores it and passes it to the workflow. */
async function reported(event: CardEvent): Promise<void> {
  await store.cards.receive({ ...event, receiptId: `${event.status}-${event.trust}`, merchantRequestId: ID });
  await store.cards.recordEventEffect(event, { merchantRequestId: ID, effect: 'delivered', at: 6 });
}

describe('prepareCard', () => {
  it('takes the claim and says under which ids requests go out', async () => {
    expect(await prepare()).toMatchObject({
      kind: 'ready',
      amount: '49.90',
      requestIds: {
        create: [ID, cardRequestId(ID, 'create', 1)],
        resume: Array.from({ length: 8 }, (_, n) => cardRequestId(ID, 'resume', n)),
      },
      earlier: undefined,
    });
    expect(await store.cards.get(ID)).toMatchObject({ state: 'received', runId: 'run-1' });
  });

  it.each([
    ['another workflow id', INPUT, 'WrongWorkflowId', 'card/order-2'],
    ['no id', { ...INPUT, merchant_request_id: '' }, 'WrongWorkflowId', 'card/'],
    ['no amount', { ...INPUT, amount: '0.00' }, 'InvalidInput', undefined],
    ['an amount of too many decimals', { ...INPUT, amount: '1.234' }, 'InvalidInput', undefined],
    ['another payment type', { ...INPUT, payment_type: 'REFUND' as never }, 'InvalidInput', undefined],
  ])('refuses %s', async (_what, input, type, workflowId) => {
    await expect(prepare(input, 'run-1', workflowId)).rejects.toMatchObject({ type, nonRetryable: true });
    expect(await store.cards.list(10)).toEqual([]);
  });

  it('refuses another payment under a known id, and takes a changed amount for the same one', async () => {
    await prepare();
    await expect(prepare({ ...INPUT, amount: '59.90' }, 'run-2')).rejects.toMatchObject({ type: 'IdReused' });
    await store.cards.change(ID, { state: 'setting-up', amount: '59.90', at: 2 });
    expect(await prepare({ ...INPUT, amount: '59.90' }, 'run-2')).toMatchObject({ kind: 'ready', amount: '59.90' });
  });

  it('returns the end that is stored', async () => {
    await prepare();
    await store.cards.change(ID, { state: 'succeeded', paymentId: 'pay-1', at: 2 });
    expect(await prepare(INPUT, 'run-2')).toEqual({
      kind: 'ended',
      state: 'succeeded',
      reason: null,
      paymentId: 'pay-1',
    });
  });

  describe('after an older copy was put in the place of the store', () => {
    const { repeatWindowMs } = quickCardTerms;
    const RESTORED_FROM = 1_000 - repeatWindowMs;
    const restored = (from: number, at = 500) => store.recordRestore({ at, from, by: 'olga', detail: {} });
    const inDoubt = { paymentId: null, inDoubtSince: RESTORED_FROM };

    it('knows that a run before it, of which the store knows nothing, may have sent a create', async () => {
      await restored(RESTORED_FROM);
      expect(await prepare(INPUT, 'run-2', cardWorkflowId(ID), true)).toMatchObject({ earlier: inDoubt });
    });

    it('knows that one the store knows may have sent more than the store shows', async () => {
      await prepare();
      await restored(RESTORED_FROM, 2_000);
      expect(await prepare(INPUT, 'run-2')).toMatchObject({ earlier: inDoubt });
      const attempt = { runId: 'run-1', activityId: 'a', sentAt: 1 };
      await store.recordAttempt({ ...attempt, reference: ID, attempt: 1 });
      await store.finishAttempt(ID, 1, { outcome: 'accepted', orderId: 'pay-1' });
      // The next create may have been sent.
      expect(await prepare(INPUT, 'run-3')).toMatchObject({ earlier: { ...inDoubt, inDoubtSince: 1 } });
    });

    it.each<[string, () => Promise<void>, boolean]>([
      ['nothing was restored', async () => {}, true],
      ['the acquirer still repeats its first answer', () => restored(RESTORED_FROM + 1), true],
      ['no run of its id was before it', () => restored(RESTORED_FROM), false],
    ])('is in no doubt when %s', async (_when, before, ranBefore) => {
      await before();
      expect(await prepare(INPUT, 'run-2', cardWorkflowId(ID), ranBefore)).toMatchObject({ earlier: undefined });
    });

    it('ends as unpaid with no payment only if none can be missing', async () => {
      await restored(RESTORED_FROM + 1);
      const ends = { earlier: { ...inDoubt, inDoubtSince: RESTORED_FROM + 1 } };
      expect(await prepare(INPUT, 'run-2', cardWorkflowId(ID), true, true)).toMatchObject(ends);
    });

    it('is asked by an event that names the intent alone', async () => {
      await prepare();
      expect(await store.cards.ownerOfRequest(ID)).toBe(ID);
      expect(await store.cards.ownerOfRequest('order-2')).toBeUndefined();
    });
  });

  it('returns to a later run what was sent, and its outcome', async () => {
    await prepare();
    const attempt = { runId: 'run-1', activityId: 'a', sentAt: 1 };
    await store.recordAttempt({ ...attempt, reference: ID, attempt: 1 });
    await store.recordAttempt({ ...attempt, reference: cardRequestId(ID, 'resume', 1), attempt: 1 });
    await store.cards.linkPayment('pay-1', ID, 3);
    await reported({ ...WITNESSED, status: 'PROCESSING' });
    expect(await prepare(INPUT, 'run-2')).toMatchObject({
      earlier: {
        creation: 0,
        attempts: 1,
        inDoubtSince: 1,
        paymentId: 'pay-1',
        resumes: 1,
        openResume: { attempts: 1, othersKnown: 1, firstSentAt: 1 },
        resumed: true,
        events: [{ status: 'PROCESSING' }],
      },
    });
  });

  it('returns to a later run that the first create was declined for want of a set-up', async () => {
    await prepare();
    await store.recordAttempt({ runId: 'run-1', activityId: 'a', attempt: 1, reference: ID, sentAt: 1 });
    await store.cards.addRequest(cardRequestId(ID, 'create', 1), ID);
    expect(await prepare(INPUT, 'run-2')).toMatchObject({ earlier: { creation: 0, wantsSetUp: true } });
  });

  it('takes the payment of the last create, not of the one that was declined before it', async () => {
    await prepare();
    const attempt = { runId: 'run-1', activityId: 'a', attempt: 1 };
    const again = cardRequestId(ID, 'create', 1);
    await store.recordAttempt({ ...attempt, reference: ID, sentAt: 1 });
    await store.finishAttempt(ID, 1, { outcome: 'accepted', orderId: 'pay-1' });
    await store.cards.linkPayment('pay-1', ID, 2);
    await store.recordAttempt({ ...attempt, reference: again, sentAt: 3 });
    const lost = { creation: 1, attempts: 1, inDoubtSince: 3, paymentId: null };
    expect(await prepare(INPUT, 'run-2')).toMatchObject({ earlier: lost });
    await store.cards.linkPayment('pay-2', ID, 4);
    expect(await prepare(INPUT, 'run-3')).toMatchObject({ earlier: { ...lost, paymentId: 'pay-2' } });
  });

  it('returns nothing to a later run when nothing was sent', async () => {
    await prepare();
    expect(await prepare(INPUT, 'run-2')).toMatchObject({ kind: 'ready', earlier: undefined });
  });
});

describe('a payment whose id has the check digit of a card', () => {
  const paymentId = '7234567890123456706';

  it('is retrieved', async () => {
    expect(await activityEnvironment().run(activities.retrievePayment, { paymentId })).toEqual({
      paymentId,
      status: 'SUCCEEDED',
      nextAction: null,
    });
  });

  const resume = (attempt = 1) => {
    const sent = { requestId: cardRequestId(ID, 'resume', 0), attempt, referenceId: null, paymentId };
    const { amount, currency, payment_type: paymentType } = INPUT;
    const by = activityEnvironment({ workflowExecution: { workflowId: cardWorkflowId(ID), runId: 'run-1' } });
    return by.run(activities.resumePayment, { merchantRequestId: ID, ...sent, amount, currency, paymentType });
  };

  it('is resumed', async () => {
    await prepare();
    expect(await resume()).toMatchObject({ outcome: 'answered', payment: { paymentId } });
  });

  it('is in doubt when its resume is answered with the payment of another intent, whose money is not counted twice', async () => {
    await prepare();
    await store.cards.linkPayment('pay-9', 'order-9', 1);
    const { resume: usual } = acquirer;
    acquirer.resume = async (request, options) => ({ ...(await usual(request, options)), paymentId: 'pay-9' });
    expect(await resume()).toMatchObject({ outcome: 'ambiguous' });
    expect(await store.attempts(cardRequestId(ID, 'resume', 0))).toMatchObject([
      { outcome: 'ambiguous', orderId: null },
    ]);
    expect(await store.cards.paymentsOf(ID)).not.toContain('pay-9');
    acquirer.resume = usual;
    expect(await resume(2)).toMatchObject({ outcome: 'answered', payment: { paymentId } });
  });
});

describe('claimPayment', () => {
  it("makes a payment that was only named ours, unless it is another intent's", async () => {
    await prepare();
    await store.cards.linkPayment('pay-2', 'order-2', 1);
    const claim = (paymentId: string) =>
      activityEnvironment().run(activities.claimPayment, { merchantRequestId: ID, paymentId });
    expect(await claim('pay-1')).toBe(true);
    expect(await claim('pay-2')).toBe(false);
    expect(await store.cards.paymentsOf(ID)).toEqual(['pay-1']);
  });
});

describe('recordCardState', () => {
  const run = activityEnvironment({ workflowExecution: { workflowId: cardWorkflowId(ID), runId: 'run-1' } });
  const record = (change: Omit<RecordCardStateInput, 'merchantRequestId' | 'asked'>) =>
    run.run(activities.recordCardState, { merchantRequestId: ID, asked: INPUT, ...change });
  const end = (state: 'succeeded' | 'failed') => record({ state, reason: null, paymentId: 'pay-1' });

  it('leaves a stored end as it is, and a state that is not named', async () => {
    await prepare();
    await record({ amount: '59.90' });
    expect(await store.cards.get(ID)).toMatchObject({ state: 'received', amount: '59.90' });
    await end('succeeded');
    expect(await end('failed')).toEqual({ state: 'succeeded', reason: null, paymentId: 'pay-1' });
  });

  it('believes no workflow that the money was taken: a verified event or the acquirer says so, and how much', async () => {
    await prepare();
    await store.cards.linkPayment('pay-2', 'order-2', 1);
    const shown = { nextAction: null };
    const says = (status: string, more: object = {}) => {
      acquirer.retrieve = async (paymentId) => ({ ...shown, paymentId, status, ...more });
    };
    says('PROCESSING');
    await expect(end('succeeded')).rejects.toThrow('does not show that the money was taken');
    says('SUCCEEDED', { merchantRequestId: 'order-2' });
    await expect(end('succeeded')).rejects.toThrow('no such payment of this intent');
    says('SUCCEEDED');
    await expect(record({ state: 'succeeded', paymentId: 'pay-2' })).rejects.toThrow('no such payment of this intent');
    await expect(record({ state: 'succeeded' })).rejects.toThrow('no such payment of this intent');
    expect(await store.cards.get(ID)).toMatchObject({ state: 'received', endedAt: null });

    says('PROCESSING');
    await reported({ ...WITNESSED, status: 'SUCCEEDED', trust: 'hint' });
    await expect(end('succeeded')).rejects.toThrow('does not show that the money was taken');
    await store.cards.receive({ ...WITNESSED, status: 'SUCCEEDED', receiptId: 'verified', merchantRequestId: ID });
    expect(await end('succeeded')).toMatchObject({ state: 'succeeded' });
    expect((await store.cards.get(ID))?.contradictedAt).toBeNull();
  });

  it.each([
    ['less', { status: 'SUCCEEDED', amount: '4.99' }],
    ['nothing', { status: 'FAILED' }],
  ])('takes what the acquirer shows, %s, as a contradiction of a success', async (_what, shows) => {
    await prepare();
    acquirer.retrieve = async (paymentId) => ({ nextAction: null, paymentId, ...shows });
    await end('succeeded');
    expect(cardPaymentState(await store.cards.get(ID))).toBe('contradicted');
  });

  it('wakes the payouts that wait for it, at its end alone', async () => {
    await prepare();
    await store.cards.addWaiter(ID, 'payout/1');
    await record({ state: 'processing', reason: null });
    expect(woken).toEqual([]);
    await end('succeeded');
    expect(woken).toEqual(['payout/1']);
  });

  it('claims again what an older copy has forgotten, as it was asked for, and whose the payment is', async () => {
    await record({ state: 'processing', reason: null, amount: '59.90' });
    expect(await store.cards.get(ID)).toMatchObject({ state: 'processing', amount: '59.90', runId: 'run-1' });
    expect(await end('succeeded')).toMatchObject({ state: 'succeeded' });
    expect(await store.cards.ownerOfPayment('pay-1')).toBe(ID);
    // The merchant repeats the request.
    expect(await prepare()).toMatchObject({ kind: 'ended', state: 'succeeded' });
  });

  it.each([
    ['succeeded', 'SUCCEEDED', 'verified', false],
    ['succeeded', 'FAILED', 'verified', true],
    ['failed', 'SUCCEEDED', 'verified', true],
    ['failed', 'SUCCEEDED', 'hint', false],
    ['failed', 'PROCESSING', 'verified', false],
  ] as const)(
    '%s, notified of %s (%s) in the same moment: contradicted is %s',
    async (state, status, trust, contradicted) => {
      await prepare();
      await reported({ ...WITNESSED, status, trust });
      // What another worker's payout reads as soon as the end is stored.
      const standings: string[] = [];
      const { change } = store.cards;
      store.cards.change = async (id, changed) => {
        const record = await change(id, changed);
        standings.push(cardPaymentState(await store.cards.get(id)));
        return record;
      };
      await end(state);
      expect((await store.cards.get(ID))?.contradictedAt !== null).toBe(contradicted);
      expect(standings).toEqual([contradicted ? 'contradicted' : state === 'succeeded' ? 'succeeded' : 'unpaid']);
      expect((await store.cards.eventsOf(ID)).map(({ effect }) => effect)).toEqual([
        contradicted ? 'contradicts' : 'delivered',
      ]);
    },
  );
});
