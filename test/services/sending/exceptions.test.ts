import { expect, it, onTestFinished } from 'vitest';
import type { Assessment } from '../../../src/domain/gates.ts';
import type { PayeeCheck } from '../../../src/domain/payee-check.ts';
import { because } from '../../../src/domain/reasons.ts';
import type { PayeeChecks } from '../../../src/services/payee-checks.ts';
import { sendOrder } from '../../../src/services/sending/send-order.ts';
import { cardClaim, cardEvent } from '../../store/card-samples.ts';
import { payoutClaim } from '../../store/samples.ts';
import { openEmptyStore } from '../../support/empty-store.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../../support/people.ts';
import { sendingDeps } from '../../support/sending-deps.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const maker = signingPerson('maker', ['maker']);
const approver = signingPerson('approver', ['approver']);
const officer = signingPerson('officer', ['compliance']);

const [ALIKE, FEE] = [
  { reason: because('look-alike'), digest: 'p/look-alike' },
  { reason: because('fee-above-cap', 'fee 9.00 USD, cap 1.00'), digest: 'paid/fee-above-cap/9.00 USD' },
];
const READ: Assessment = {
  digest: 'paid',
  approvalsNeeded: 0,
  beneficiary: { known: true, id: 'ben-1', digest: 'x' },
  payingAccountId: 'acc-1',
};

interface Opened {
  read?: Assessment;
  checks?: PayeeChecks;
  policy?: boolean;
  cardPayment?: string;
}

/** A payout that nobody has to approve, whose last reading shows these exceptions. */
async function open(
  exceptions: Assessment['exceptions'],
  { read = READ, checks, policy = true, cardPayment }: Opened = {},
) {
  const store = await openEmptyStore();
  onTestFinished(() => store.close());
  const claim = payoutClaim('doc', { by: 'maker', runId: CALLER.runId });
  const instruction = { ...claim.instruction, after_card_payment: cardPayment };
  const { record } = await store.claimPayout({ ...claim, instruction });
  await store.recordAssessment(record, { ...read, exceptions }, 1);
  const { reference, term } = record;
  const payment = async () => ({ order_id: 'ord-1' });
  const settings = {
    policy: policy ? policyOf([maker, approver, officer]) : undefined,
    referenceDedupe: 'assumed',
  } as const;
  const deps = sendingDeps({ payment }, settings, { store, checks });
  let attempt = 0;
  return {
    store,
    send: () => {
      attempt += 1;
      return sendOrder(deps, CALLER, { claim: { storeId: store.id, reference, term }, leg: 'payment', attempt });
    },
    sign: (person: SigningPerson, digest: string, question: 'hold' | 'screening' = 'hold') =>
      store.takeSignedDecision(signedBy(person, { storeId: store.id, question, reference, digest }), 2),
  };
}

const CHANGED = { outcome: 'not-sent', why: 'changed' };
const SENT = { outcome: 'accepted', orderId: 'ord-1' };

it('whatever a workflow says, what people have to let through is not sent before somebody has signed for each of it', async () => {
  const { send, sign } = await open([ALIKE, FEE]);
  expect(await send()).toEqual(CHANGED);
  await sign(approver, ALIKE.digest);
  expect(await send()).toEqual(CHANGED);
  await sign(maker, FEE.digest);
  expect(await send()).toEqual(CHANGED);
  await sign(approver, FEE.digest);
  expect(await send()).toEqual(SENT);
});

it('a fee that was let through stands for no higher one', async () => {
  const { send, sign } = await open([{ ...FEE, digest: 'paid/fee-above-cap/90.00 USD' }]);
  await sign(approver, FEE.digest);
  expect(await send()).toEqual(CHANGED);
});

it('what the policy leaves to nobody is sent without a signature', async () => {
  const { send } = await open(undefined);
  expect(await send()).toEqual(SENT);
});

const HIT = { reason: because('screening-hit'), digest: 'p/screening-hit/case' };

it('what a screening has found is let through by the role compliance and by nobody else', async () => {
  const { send, sign } = await open([HIT]);
  await sign(approver, HIT.digest);
  await sign(approver, HIT.digest, 'screening');
  await sign(officer, HIT.digest);
  expect(await send()).toEqual(CHANGED);
  await sign(officer, HIT.digest, 'screening');
  expect(await send()).toEqual(SENT);
});

it('who clears screenings lets nothing else through', async () => {
  const { send, sign } = await open([ALIKE]);
  await sign(officer, ALIKE.digest);
  await sign(officer, ALIKE.digest, 'screening');
  expect(await send()).toEqual(CHANGED);
});

const checks = { provider: { name: 'p' }, maxAgeMs: 1, verifiedCurrencies: undefined } as unknown as PayeeChecks;
const verdict = (kind: PayeeCheck['kind']): PayeeCheck => ({
  kind,
  verdict: kind === 'screening' ? 'clear' : 'match',
  provider: 'p',
  payee: 'd',
  digest: 'x',
  askedAt: 1,
});

it.each([true, false])(
  'a sender that has a provider sends no payment without a verdict of each check (policy: %s)',
  async (policy) => {
    const none = await open(undefined, { checks, policy });
    expect(await none.send()).toEqual(CHANGED);
    const one = await open(undefined, { checks, policy, read: { ...READ, checks: [verdict('screening')] } });
    expect(await one.send()).toEqual(CHANGED);
    const both = { ...READ, checks: [verdict('screening'), verdict('verification')] };
    expect(await (await open(undefined, { checks, policy, read: both })).send()).toEqual(SENT);
  },
);

it('payees that are not verified in their currency are sent with a screening alone', async () => {
  const read = { ...READ, checks: [verdict('screening')] };
  const { send } = await open(undefined, { checks: { ...checks, verifiedCurrencies: ['EUR'] }, read });
  expect(await send()).toEqual(SENT);
});

it.each([true, false])(
  'a payout after a card payment is not sent while that has not taken the money, or may have given it back (policy: %s)',
  async (policy) => {
    const { send, store } = await open(undefined, { policy, cardPayment: 'm-1' });
    expect(await send()).toEqual(CHANGED);
    await store.cards.claim(cardClaim('m-1'));
    expect(await send()).toEqual(CHANGED);
    await store.cards.change('m-1', { state: 'succeeded', paymentId: 'pay-1', at: 1 });
    const refunded = cardEvent('pay-1', { status: 'REFUNDED', merchantRequestId: 'm-1' });
    await store.cards.receive(refunded);
    await store.cards.recordEventEffect(refunded, { merchantRequestId: 'm-1', effect: 'contradicts', at: 2 });
    expect(await send()).toEqual(CHANGED);
    await store.cards.confirmEnd('m-1', { by: 'olga', evidence: 'a refund of another order', at: 3 });
    expect(await send()).toEqual(SENT);
  },
);
