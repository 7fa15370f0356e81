import { beforeEach, describe, expect, it } from 'vitest';
import { assess, readToSend } from '../../../src/activities/assess.ts';
import { approveOrder } from '../../../src/activities/decide-order.ts';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { sendOrder } from '../../../src/activities/send.ts';
import type { Order } from '../../../src/bank/schemas/orders.ts';
import { order as orderSchema } from '../../../src/bank/schemas/orders.ts';
import type { Policy } from '../../../src/domain/authority.ts';
import { bankDigest } from '../../../src/domain/authority.ts';
import type { Assessment } from '../../../src/domain/gates.ts';
import { payloadDigest } from '../../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import type { SentOrder } from '../../../src/domain/sent-order.ts';
import { openQuestion } from '../../../src/people/decisions/shown-question.ts';
import type { PayoutRecord, Store } from '../../../src/store/store.ts';
import { payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../../support/people.ts';
import { sendingDeps } from '../../support/sending-deps.ts';

// The store is its attacker's: despite its content, the bank is asked for what was signed, or for nothing.

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const maker = signingPerson('maker', ['maker']);
const [bob, carol] = [signingPerson('bob', ['approver']), signingPerson('carol', ['approver'])];
const dave = signingPerson('dave', ['approver']);
const PEOPLE = [maker, bob, carol, dave];
const everybodySigns = (policy: Policy): Policy => ({
  ...policy,
  people: policy.people.map(({ unsigned: _, ...person }) => person),
});
const TWO = everybodySigns(policyOf(PEOPLE, { approvals: [{ approvals: 2, where: 'both' }] }));
const LARGE = everybodySigns(
  policyOf(PEOPLE, { approvals: [{ currency: 'USD', amountAtLeast: '1000', approvals: 2, where: 'both' }] }),
);

let store: Store;
/** What the store says in place of what it holds. */
let forged: { row?: Partial<PayoutRecord>; once?: Partial<PayoutRecord>; request?: (sent: SentOrder) => SentOrder };
let posted: Record<string, unknown>[];
let shown: Order | undefined;

beforeEach(async () => {
  store = await newStore();
  [forged, posted, shown] = [{}, [], undefined];
});

/** The store as its attacker has it read. */
const forgedStore = (): Store => ({
  ...store,
  async payout(reference) {
    const row = await store.payout(reference);
    const { once } = forged;
    forged.once = undefined;
    return row && { ...row, ...forged.row, ...once };
  },
  async attempts(reference) {
    const made = await store.attempts(reference);
    const { request: forge } = forged;
    return made.map((attempt) => {
      const { request } = attempt;
      return forge !== undefined && request !== null && 'amount' in request
        ? { ...attempt, request: forge(request) }
        : attempt;
    });
  },
});

/** `answers`: those of the bank to one POST after another; undefined: it is lost. */
function depsOf(policy: Policy, answers: (string | undefined)[] = ['ord-1']): ActivityDeps {
  const payment = async (body: Record<string, unknown>) => {
    posted.push(body);
    const order_id = answers[posted.length - 1];
    if (order_id === undefined) throw new Error('lost');
    return { order_id };
  };
  const deps = sendingDeps({ payment }, { policy, referenceDedupe: 'assumed' }, { store: forgedStore() });
  const orders = {
    get: async () => shown,
    approve: async (orderId: string) => void posted.push({ approve: orderId }),
  };
  return { ...deps, bank: { ...deps.bank, orders: orders as unknown as ActivityDeps['bank']['orders'] } };
}

/** A payout that its maker has signed. */
async function claimed(fields: Partial<PayoutInstruction> = {}) {
  const claim = payoutClaim('doc', { by: 'maker', runId: CALLER.runId });
  const instruction = { ...claim.instruction, ...fields };
  const digest = payloadDigest(instruction);
  const { record } = await store.claimPayout({ ...claim, instruction, payloadDigest: digest });
  const { reference, term } = record;
  const sign = (person: SigningPerson, question: 'make' | 'payout' | 'bank', about: string) =>
    store.takeSignedDecision(signedBy(person, { storeId: store.id, question, reference, digest: about }), Date.now());
  await sign(maker, 'make', digest);
  const held = { storeId: store.id, reference, term };
  let attempt = 0;
  return {
    record,
    sign,
    /** The digest of what is asked of the row as it was claimed. */
    digest: async (deps: ActivityDeps) => (await readToSend(deps, record, 'payment')).digest,
    assess: (deps: ActivityDeps) =>
      assess({ ...deps, readList: async () => ({}) as never }, CALLER, {
        ...{ claim: held, exchanged: false, exchangeSent: false },
      }),
    send(deps: ActivityDeps) {
      attempt += 1;
      return sendOrder(deps, CALLER, { claim: held, orderKind: 'payment', attempt, lastLeft: attempt - 1 });
    },
    release: (deps: ActivityDeps) =>
      approveOrder(deps, CALLER, { claim: held, orderKind: 'payment', orderId: 'ord-1', by: 'bob' }),
  };
}

const CHANGED = { outcome: 'not-sent', why: 'changed' };
const saying = (change: Partial<PayoutInstruction>): Partial<PayoutRecord> => ({
  instruction: { ...payoutClaim('doc').instruction, ...change },
});
const assessedAs = (change: Partial<Assessment>): Partial<PayoutRecord> => ({
  assessed: {
    ...{ digest: 'of nothing', approvalsNeeded: 0, approvalsAtBank: 0, payingAccountId: 'acc-1' },
    beneficiary: { known: true, id: 'ben-1', digest: 'x' },
    ...change,
  },
});

describe('a payout that two people have signed', () => {
  it.each<[string, Partial<PayoutRecord>]>([
    ['another amount', saying({ amount: '4012.00' })],
    ['another payee', saying({ beneficiary_id: 'ben-2' })],
    ['another account', saying({ account_id: 'acc-2' })],
    ['another note', saying({ note: 'for somebody else' })],
    ['a higher cap', saying({ fee_cap: '500' })],
    ['a blank cap', saying({ fee_cap: '' })],
    ['a payee that is no text', saying({ beneficiary_id: ['ben-2'] as unknown as string })],
    ['another document', { documentId: 'another' }],
    ['another generation', { generation: 1 }],
    ['another user', { uid: 'user-2' }],
  ])('is not sent when the store names %s', async (_what, row) => {
    const deps = depsOf(TWO);
    const payout = await claimed();
    const digest = await payout.digest(deps);
    for (const person of [bob, carol]) await payout.sign(person, 'payout', digest);
    forged = { row };
    expect(await payout.send(deps)).toMatchObject({ outcome: 'not-sent' });
    forged = {};
    expect(await payout.send(deps)).toMatchObject({ outcome: 'accepted' });
    expect(posted).toMatchObject([{ amount: '10.50', beneficiary_id: 'ben-1', account_id: 'acc-1' }]);
  });

  it.each<[string, Partial<PayoutRecord>]>([
    ['that nobody has to approve', assessedAs({})],
    ['that it is to be paid to somebody else', assessedAs({ beneficiary: { known: true, id: 'ben-2', digest: 'y' } })],
    ['that it is paid from elsewhere', assessedAs({ payingAccountId: 'acc-2' })],
  ])('is sent as signed and only then, with any last reading: %s', async (_what, row) => {
    const deps = depsOf(TWO);
    const payout = await claimed();
    forged = { row };
    const digest = await payout.digest(deps);
    await payout.sign(bob, 'payout', digest);
    expect(await payout.send(deps)).toEqual(CHANGED);
    await payout.sign(carol, 'payout', digest);
    expect(await payout.send(deps)).toMatchObject({ outcome: 'accepted' });
    expect(posted).toMatchObject([{ amount: '10.50', beneficiary_id: 'ben-1', account_id: 'acc-1' }]);
  });

  it.each<[string, (sent: SentOrder) => SentOrder]>([
    ['amount', (sent) => ({ ...sent, amount: '4012.00' })],
    ['amount, as no text', (sent) => ({ ...sent, amount: ['10.50'] as unknown as string })],
    ['payee', (sent) => ({ ...sent, beneficiaryId: 'ben-2' })],
    ['account', (sent) => ({ ...sent, accountId: 'acc-2' })],
    ['currency', (sent) => ({ ...sent, currency: 'EUR' })],
    ['note', (sent) => ({ ...sent, note: 'x' })],
    ['charge', (sent) => ({ ...sent, chargeType: 'OUR' })],
    ['time', (sent) => ({ ...sent, expiredAt: sent.expiredAt + 1_000_000_000 })],
    [
      'kind',
      ({ amount, currency, expiredAt }) => ({
        ...{ amount, currency, expiredAt, sourceAccountId: 'acc-1', destinationAccountId: 'acc-2' },
        destinationUid: 'user-1',
      }),
    ],
  ])('is not sent again with another %s than was lost', async (_what, request) => {
    const deps = depsOf(TWO, [undefined, 'ord-1']);
    const payout = await claimed();
    const digest = await payout.digest(deps);
    for (const person of [bob, carol]) await payout.sign(person, 'payout', digest);
    expect(await payout.send(deps)).toMatchObject({ outcome: 'ambiguous' });
    forged = { request };
    expect(await payout.send(deps)).toMatchObject({ outcome: 'ambiguous' });
    expect(posted).toHaveLength(1);
    forged = {};
    expect(await payout.send(deps)).toMatchObject({ outcome: 'accepted' });
    expect(posted[1]).toEqual(posted[0]);
  });

  it('is not sent any more when the policy asks three', async () => {
    const payout = await claimed();
    const digest = await payout.digest(depsOf(TWO));
    for (const person of [bob, carol]) await payout.sign(person, 'payout', digest);
    const three = depsOf(everybodySigns(policyOf(PEOPLE, { approvals: [{ approvals: 3 }] })));
    expect(await payout.send(three)).toEqual(CHANGED);
    await payout.sign(dave, 'payout', digest);
    expect(await payout.send(three)).toMatchObject({ outcome: 'accepted' });
  });
});

it('a payout below every rule is sent with what its maker has signed alone', async () => {
  const deps = depsOf(LARGE);
  const payout = await claimed({ amount: '5.00' });
  // A blank member is none to its signature, but to a cap it would be one that no fee exceeds.
  for (const change of [{ amount: '50000.00' }, { amount: '6.00' }, { amount: '5.00', fee_cap: '' }]) {
    forged = { row: saying(change) };
    expect(await payout.send(deps)).toEqual(CHANGED);
  }
  forged = {};
  expect(await payout.send(deps)).toMatchObject({ outcome: 'accepted' });
  expect(posted).toMatchObject([{ amount: '5.00' }]);
});

it('is read as it is sent: another payee, named for the reading alone, is not paid', async () => {
  const deps = depsOf(LARGE);
  const payout = await claimed({ amount: '5.00' });
  forged = { once: saying({ amount: '5.00', beneficiary_id: 'ben-2' }) };
  expect(await payout.send(deps)).toEqual(CHANGED);
  expect(await payout.send(deps)).toMatchObject({ outcome: 'accepted' });
  expect(posted).toMatchObject([{ amount: '5.00', beneficiary_id: 'ben-1' }]);
});

describe('an order in the audit of the bank', () => {
  const orderOf = (reference: string, more: Record<string, unknown> = {}): Order =>
    orderSchema.parse({
      ...{ order_id: 'ord-1', client_order_id: reference, status: 'WAIT_FOR_AUDIT', type: 'PAYMENT', direct: 'OUT' },
      ...{ transaction_uid: 'user-1', transaction_account: 'acc-1', transaction_currency: 'USD' },
      ...{ transaction_amount: '10.50', ...more },
    });

  /** A payout that was sent, and that bob alone has signed at the bank. */
  async function audited(policy: Policy) {
    const deps = depsOf(policy);
    const payout = await claimed();
    await payout.assess(deps);
    const digest = await payout.digest(deps);
    for (const person of [bob, carol]) await payout.sign(person, 'payout', digest);
    expect(await payout.send(deps)).toMatchObject({ outcome: 'accepted' });
    await payout.sign(bob, 'bank', bankDigest(digest, 'ord-1'));
    shown = orderOf(payout.record.reference);
    posted = [];
    return { payout, digest, reference: payout.record.reference };
  }

  const ONE_AT_BANK = everybodySigns(policyOf(PEOPLE, { approvals: [{ approvals: 1, where: 'both' }] }));

  it('is released by as many as the policy in force asks, and people are asked so', async () => {
    const { payout, digest, reference } = await audited(ONE_AT_BANK);
    const three = depsOf(everybodySigns(policyOf(PEOPLE, { approvals: [{ approvals: 3, where: 'both' }] })));
    await store.changePayout(reference, { state: 'awaiting-bank-approval', orderId: 'ord-1', at: Date.now() });
    const row = await store.payout(reference);
    if (row === undefined) throw new Error('no row');
    expect(await openQuestion(three, row)).toMatchObject({ question: 'bank', needed: 3 });
    expect(await payout.release(three)).toEqual({ outcome: 'not-signed' });
    for (const person of [carol, dave]) await payout.sign(person, 'bank', bankDigest(digest, 'ord-1'));
    expect(await payout.release(three)).toMatchObject({ outcome: 'accepted' });
    expect(posted).toEqual([{ approve: 'ord-1' }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['another amount', { transaction_amount: '50000.00' }],
    ['another currency', { transaction_currency: 'EUR' }],
    ['another account', { transaction_account: 'acc-2' }],
    ['another reference', { client_order_id: 'of somebody else' }],
    ['no amount', { transaction_amount: undefined }],
  ])('is not released while the bank shows %s', async (_what, more) => {
    const { payout, reference } = await audited(ONE_AT_BANK);
    shown = orderOf(reference, more);
    expect(await payout.release(depsOf(ONE_AT_BANK))).toEqual({ outcome: 'not-signed' });
    shown = orderOf(reference);
    expect(await payout.release(depsOf(ONE_AT_BANK))).toMatchObject({ outcome: 'accepted' });
  });

  it('is not released above a limit of the policy in force', async () => {
    const { payout } = await audited(ONE_AT_BANK);
    const limited = (amount: string) => depsOf({ ...ONE_AT_BANK, limits: [{ per: 'day', currency: 'USD', amount }] });
    expect(await payout.release(limited('10.49'))).toEqual({
      ...{ outcome: 'not-signed', limit: expect.stringContaining('10.49 USD per day') },
    });
    expect(posted).toEqual([]);
    expect(await payout.release(limited('10.50'))).toMatchObject({ outcome: 'accepted' });
  });

  it('is not released while the store names another amount than was signed', async () => {
    const { payout, reference } = await audited(ONE_AT_BANK);
    forged = { row: saying({ amount: '50000.00' }) };
    shown = orderOf(reference, { transaction_amount: '50000.00' });
    expect(await payout.release(depsOf(ONE_AT_BANK))).toEqual({ outcome: 'not-signed' });
    expect(posted).toEqual([]);
  });
});
