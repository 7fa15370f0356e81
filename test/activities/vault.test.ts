import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { vaultActivities } from '../../src/activities/cards.ts';
import type { Cards, CreateRequest } from '../../src/bank/cards/acquirer.ts';
import { CardVault } from '../../src/bank/cards/vault.ts';
import { envelopeError, NotSentError, UnknownOutcomeError } from '../../src/bank/errors.ts';
import type {
  CardHandle,
  CardPaymentView,
  CardSendResult,
  CreateInput,
  SetUpResult,
} from '../../src/domain/card-payment.ts';
import { cardRequestId } from '../../src/domain/identity.ts';
import { cardWorkflowId } from '../../src/domain/names.ts';
import type { Store } from '../../src/store/store.ts';
import { CVV, cardEntry, PAN } from '../bank/cards/cards.ts';
import { activityEnvironment } from '../support/activity.ts';
import { openEmptyStore } from '../support/empty-store.ts';

const ID = 'order-1';
const OPERATION = 'POST /api/v1/acq/payment';
const PROCESSING: CardPaymentView = { paymentId: 'pay-1', status: 'PROCESSING', nextAction: null, ...{ echo: PAN } };
const CHALLENGE: CardPaymentView = {
  ...PROCESSING,
  status: 'REQUIRES_ACTION',
  nextAction: { type: '3DS', verifyUrl: 'https://acs.example/v' },
};
const DECLINED_FOR_SET_UP: CardPaymentView = { ...PROCESSING, status: 'REQUIRES_ACTION' };

let store: Store;
let vault: CardVault;
let card: CardHandle;
let sent: CreateRequest[];
let acquirer: Pick<Cards, 'setUp' | 'create'>;
let answer: () => CardPaymentView;

beforeEach(async () => {
  store = await openEmptyStore();
  vault = new CardVault({ taskQueue: 'payouts-vault/v', lifeMs: 60_000 });
  onTestFinished(async () => {
    vault.close();
    await store.close();
  });
  const claim = { amount: '49.90', currency: 'EUR', paymentType: 'DEBIT', digest: 'd', by: null, at: 1 } as const;
  await store.cards.claim({ merchantRequestId: ID, workflowId: cardWorkflowId(ID), ...claim });
  card = vault.put(cardEntry());
  sent = [];
  answer = () => PROCESSING;
  acquirer = {
    async create(request, options) {
      options?.beforeFirstByte?.();
      sent.push(request);
      return answer();
    },
    setUp: async () => ({ referenceId: 'ref-1', dataCollectionInfo: { url: 'https://acs.example' } }),
  };
});

const activities = (assertIdentity = async () => {}) =>
  vaultActivities({ vault, store, bank: { cards: acquirer }, now: () => 7, assertIdentity });

const run = <T>(activity: (input: never) => Promise<T>, input: unknown): Promise<T> =>
  activityEnvironment().run(activity as never, input) as Promise<T>;

const create = (more: Partial<CreateInput> = {}, assertIdentity?: () => Promise<void>): Promise<CardSendResult> =>
  run(activities(assertIdentity).createCardPayment, {
    ...{ merchantRequestId: ID, requestId: ID, attempt: 1, card, keepCard: false, over: [] },
    ...{ amount: '49.90', currency: 'EUR', paymentType: 'DEBIT', referenceId: 'ref-1' },
    ...more,
  });

const setUp = (): Promise<SetUpResult> =>
  run(activities().setUpCard, { merchantRequestId: ID, card, amount: '49.90', currency: 'EUR' });

const isKept = (): boolean => vault.use(card.handle, ID) !== undefined;

describe('a create', () => {
  it('is recorded before its first byte, sends the card, and forgets it with the answer', async () => {
    const seen: unknown[] = [];
    const { create: post } = acquirer;
    acquirer.create = async (request, options) => {
      seen.push(await store.attempts(ID), await store.cards.ownerOfRequest(ID));
      return post(request, options);
    };
    const payment = { paymentId: 'pay-1', status: 'PROCESSING', nextAction: null };
    expect(await create()).toEqual({ outcome: 'answered', payment, events: [] });
    expect(seen).toMatchObject([[{ attempt: 1, outcome: null }], ID]);
    expect(sent).toMatchObject([{ ...cardEntry(), merchantRequestId: ID, referenceId: 'ref-1', amount: '49.90' }]);
    expect(await store.attempts(ID)).toMatchObject([{ outcome: 'accepted', orderId: 'pay-1' }]);
    expect(await store.cards.ownerOfPayment('pay-1')).toBe(ID);
    expect(isKept()).toBe(false);
    // Asked again, its task having died with the answer stored: the same payment, though the card is gone.
    expect(await create({ attempt: 2 })).toMatchObject({ outcome: 'answered', payment: { paymentId: 'pay-1' } });
    expect(sent).toHaveLength(1);
  });

  it('links its payment and reads its events once', async () => {
    const { linkPayment } = store.cards;
    const links: unknown[] = [];
    store.cards.linkPayment = (paymentId, ...more) => {
      links.push(paymentId);
      return linkPayment(paymentId, ...more);
    };
    await create();
    expect(links).toEqual(['pay-1']);
  });

  it('is answered with an id that has the check digit of a card, and is none', async () => {
    const paymentId = '7234567890123456706';
    answer = () => ({ ...PROCESSING, paymentId });
    expect(await create()).toMatchObject({ outcome: 'answered', payment: { paymentId } });
    expect(await store.cards.ownerOfPayment(paymentId)).toBe(ID);
  });

  it('returns the events that came before its answer', async () => {
    const event = {
      kind: 'status',
      paymentId: 'pay-1',
      status: 'SUCCEEDED',
      trust: 'verified',
      receivedAt: 5,
    } as const;
    await store.cards.receive({ ...event, receiptId: 'm-1', merchantRequestId: null });
    expect(await create()).toMatchObject({ outcome: 'answered', events: [{ status: 'SUCCEEDED', trust: 'verified' }] });
  });

  it('answered with the payment of another intent is in doubt, and the same bytes can go again', async () => {
    await store.cards.linkPayment('pay-1', 'order-0', 1);
    expect(await create()).toEqual({ outcome: 'ambiguous', why: expect.any(String) });
    expect(await store.attempts(ID)).toMatchObject([{ outcome: 'ambiguous', orderId: null }]);
    expect(await store.cards.ownerOfPayment('pay-1')).toBe('order-0');
    expect(isKept()).toBe(true);
    answer = () => ({ ...PROCESSING, paymentId: 'pay-2' });
    expect(await create({ attempt: 2 })).toMatchObject({ outcome: 'answered', payment: { paymentId: 'pay-2' } });
    expect(await store.cards.ownerOfPayment('pay-2')).toBe(ID);
  });

  it.each([
    ['with a set-up', CHALLENGE, { referenceId: 'ref-1', keepCard: true }, false],
    ['without one, a challenge at once', CHALLENGE, { referenceId: null, keepCard: true }, false],
    ['for want of one', DECLINED_FOR_SET_UP, { referenceId: null, keepCard: true }, true],
    ['for want of one, the card not needed again', DECLINED_FOR_SET_UP, { referenceId: null, keepCard: false }, false],
    ['declined', { ...PROCESSING, status: 'FAILED' }, { referenceId: null, keepCard: true }, false],
  ])('answered %s keeps the card: %#', async (_how, payment, more, kept) => {
    answer = () => payment;
    expect(await create(more)).toMatchObject({ outcome: 'answered', payment: { status: payment.status } });
    expect(isKept()).toBe(kept);
  });

  it.each([
    ['ambiguous', new UnknownOutcomeError('reset', { outcome: 'ambiguous', retryable: true, operation: OPERATION })],
    ['not-sent', new NotSentError('refused', { outcome: 'not-sent', retryable: true, operation: OPERATION })],
    ['refused', envelopeError(2002, { operation: OPERATION })],
    ['ambiguous', envelopeError(2003, { operation: OPERATION }), 'exists'],
    ['ambiguous', new TypeError(`cannot read ${PAN}`)],
  ])(
    'that fails is %s without a word of the request, and the same bytes can go again',
    async (outcome, error, recorded: string = outcome) => {
      answer = () => {
        throw error;
      };
      const result = await create();
      expect(result).toEqual({ outcome, why: expect.any(String) });
      expect(JSON.stringify(result)).not.toMatch(/\d{12}/);
      expect(await store.attempts(ID)).toMatchObject([{ outcome: recorded }]);
      expect(isKept()).toBe(true);
    },
  );

  it('is sent by nobody whose attempt another sender has recorded, or whose payment has an end', async () => {
    await store.recordAttempt({ reference: ID, attempt: 1, runId: 'other', activityId: '1', sentAt: 1 });
    expect(await create()).toMatchObject({ outcome: 'ambiguous' });
    await store.cards.change(ID, { state: 'cancelled', at: 2 });
    expect(await create({ attempt: 2 })).toEqual({ outcome: 'ended' });
    expect(sent).toEqual([]);
  });

  it.each([
    ['in flight', null],
    ['in doubt', { outcome: 'ambiguous' }],
    ['accepted, and not known to be over', { outcome: 'accepted', orderId: 'pay-0' }],
  ] as const)('is not sent while another create of its payment may take money: %s', async (_how, result) => {
    const rival = cardRequestId(ID, 'create', 1);
    await store.recordAttempt({ reference: rival, attempt: 1, runId: 'other', activityId: '1', sentAt: 1 });
    if (result !== null) await store.finishAttempt(rival, 1, result);
    const requestId = cardRequestId(ID, 'create', 2);
    expect(await create({ requestId, over: [] })).toMatchObject({ outcome: 'ambiguous', barred: true });
    expect(sent).toEqual([]);
    expect(await store.attempts(requestId)).toMatchObject([{ outcome: 'not-sent' }]);
  });

  it('follows creates that are known to have taken nothing', async () => {
    await store.recordAttempt({ reference: ID, attempt: 1, runId: 'r', activityId: '1', sentAt: 1 });
    await store.finishAttempt(ID, 1, { outcome: 'accepted', orderId: 'pay-0' });
    const requestId = cardRequestId(ID, 'create', 2);
    expect(await create({ requestId, over: ['pay-0'] })).toMatchObject({ outcome: 'answered' });
  });

  it('that is answered with the wish for a set-up says so again when the answer was never delivered', async () => {
    answer = () => DECLINED_FOR_SET_UP;
    const noSetUp = { referenceId: null, keepCard: true };
    expect(await create(noSetUp)).toMatchObject({ payment: { status: 'REQUIRES_ACTION' } });
    expect(await store.cards.ownerOfRequest(cardRequestId(ID, 'create', 1))).toBe(ID);
    expect(await create({ ...noSetUp, attempt: 2 })).toMatchObject({
      payment: { paymentId: 'pay-1', status: 'REQUIRES_ACTION', nextAction: null },
    });
    expect(sent).toHaveLength(1);
  });

  it('is sent for no other payment, and records nothing then', async () => {
    vault.use(card.handle, 'order-2');
    expect(await create()).toEqual({ outcome: 'card-gone' });
    expect(await store.attempts(ID)).toEqual([]);
  });

  it('is not sent while the store belongs to somebody else, and none of its words come out', async () => {
    const result = await create({}, () => Promise.reject(new Error(`CANARY ${PAN}`)));
    expect(result).toMatchObject({ outcome: 'not-sent' });
    expect(JSON.stringify(result)).not.toContain('CANARY');
    expect(sent).toEqual([]);
  });

  it('whose answer could not be stored is repeated: the card is still there', async () => {
    store.finishAttempt = () => Promise.reject(new Error('disk full'));
    expect(await create()).toMatchObject({ outcome: 'ambiguous' });
    expect(isKept()).toBe(true);
  });

  it('returns nothing of the card, even if the acquirer echoes it', async () => {
    answer = () => ({ ...CHALLENGE, nextAction: { type: '3DS', verifyUrl: `https://acs.example/?pan=${PAN}` } });
    const result = await create();
    expect(result).toMatchObject({ payment: { nextAction: { type: '3DS', verifyUrl: null } } });
    expect(JSON.stringify(result)).not.toContain(PAN);
  });

  it('with the card in the place of the payment id is one whose outcome nobody knows', async () => {
    answer = () => ({ ...PROCESSING, paymentId: `p-${PAN}` });
    expect(await create()).toMatchObject({ outcome: 'ambiguous' });
    expect(await store.cards.paymentsOf(ID)).toEqual([]);
    expect(isKept()).toBe(true);
  });
});

describe('a set-up', () => {
  it('gives a session without anything of the card, and keeps the card', async () => {
    acquirer.setUp = async ({ card: { number } }) => ({
      referenceId: 'ref-1',
      dataCollectionInfo: { url: 'https://acs.example', number, cvv: CVV },
      other: { number },
    });
    const dataCollectionInfo = { url: 'https://acs.example' };
    expect(await setUp()).toEqual({ outcome: 'ready', referenceId: 'ref-1', dataCollectionInfo });
    expect(isKept()).toBe(true);
  });

  it.each([
    ['refused', envelopeError(2002, { operation: OPERATION })],
    ['unavailable', envelopeError(2001, { operation: OPERATION })],
    ['unavailable', new NotSentError('refused', { outcome: 'not-sent', retryable: true, operation: OPERATION })],
    ['unavailable', new TypeError(`cannot read ${PAN}`)],
  ])('that fails is %s without a word of the request', async (outcome, error) => {
    acquirer.setUp = () => Promise.reject(error);
    const result = await setUp();
    expect(result).toEqual({ outcome, why: expect.any(String) });
    expect(JSON.stringify(result)).not.toMatch(/\d{12}/);
  });

  it('without the card says so', async () => {
    await run(activities().forgetCard, card);
    expect(await setUp()).toEqual({ outcome: 'card-gone' });
    await run(activities().forgetCard, card);
  });
});
