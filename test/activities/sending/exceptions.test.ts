import { expect, it } from 'vitest';
import { readToSend } from '../../../src/activities/assess.ts';
import type { PayeeChecks } from '../../../src/activities/payee-checks.ts';
import { sendOrder } from '../../../src/activities/send.ts';
import type { CheckProvider } from '../../../src/bank/payee-checks/provider.ts';
import type { Assessment } from '../../../src/domain/gates.ts';
import type { PayeeCheck } from '../../../src/domain/payee.ts';
import { cardClaim, cardEvent } from '../../store/card-samples.ts';
import { batchClaim, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../../support/people.ts';
import { sendingDeps } from '../../support/sending-deps.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const maker = signingPerson('maker', ['maker']);
const approver = signingPerson('approver', ['approver']);
const officer = signingPerson('officer', ['compliance']);

const READ: Assessment = {
  digest: 'paid',
  approvalsNeeded: 0,
  beneficiary: { known: true, id: 'ben-1', digest: 'x' },
  payingAccountId: 'acc-1',
};

interface Opened {
  /** It looks like an earlier payout. */
  /** `true`: an earlier payout. */
  alike?: boolean | string;
  /** A fee of 9.00 is above it. */
  feeCap?: string;
  read?: Assessment;
  checks?: PayeeChecks;
  policy?: boolean;
  cardPayment?: string;
}

/** A payout that nobody has to approve; what people must let through is read at the bank, not from the store. */
async function open({ alike = false, feeCap, read = READ, checks, policy = true, cardPayment }: Opened) {
  const store = await newStore();
  const { rows, ...batch } = batchClaim('batch', ['doc']);
  const [row] = rows;
  if (row === undefined) throw new Error('no row');
  const instruction = { ...row.instruction, after_card_payment: cardPayment };
  await store.claimBatch({
    ...batch,
    rows: [
      {
        ...row,
        instruction,
        ...(alike && { lookAlikeKey: 'k', lookAlikeOf: alike === true ? 'an-earlier-one' : alike }),
      },
    ],
  });
  const claim = payoutClaim('doc', { by: 'maker', runId: CALLER.runId, instruction });
  const { record } = await store.claimPayout(claim);
  await store.recordAssessment(record, read, 1);
  const { reference, term } = record;
  const payment = async () => ({ order_id: 'ord-1' });
  const settings = {
    policy: policy ? policyOf([maker, approver, officer]) : undefined,
    referenceDedupe: 'assumed',
    feeCap,
  } as const;
  const shown = { fee: '9.00', payeeName: 'Ann Example' };
  const deps = sendingDeps({ payment }, settings, { store, checks }, shown);
  const held = { storeId: store.id, reference, term };
  let attempt = 0;
  return {
    store,
    shown,
    send: () => {
      attempt += 1;
      return sendOrder(deps, CALLER, { claim: held, orderKind: 'payment', attempt, lastLeft: attempt - 1 });
    },
    /** The digests of what people must let through now. */
    exceptions: async () => {
      const { exceptions = [] } = await readToSend(deps, record, 'payment');
      return Object.fromEntries(exceptions.map(({ reason, digest }) => [reason.code, digest]));
    },
    sign: (person: SigningPerson, digest = 'nothing', question: 'hold' | 'screening' = 'hold') =>
      store.takeSignedDecision(signedBy(person, { storeId: store.id, question, reference, digest }), 2),
  };
}

const CHANGED = { outcome: 'not-sent', why: 'changed' };
const SENT = { outcome: 'accepted', orderId: 'ord-1' };

it('despite the store, what people have to let through is not sent before somebody has signed for each of it', async () => {
  const { send, sign, exceptions } = await open({ alike: true, feeCap: '1.00' });
  const { 'look-alike': alike, 'fee-above-cap': fee } = await exceptions();
  expect(await send()).toEqual(CHANGED);
  await sign(approver, alike);
  expect(await send()).toEqual(CHANGED);
  await sign(maker, fee);
  expect(await send()).toEqual(CHANGED);
  await sign(approver, fee);
  expect(await send()).toEqual(SENT);
});

it('despite the store, what another system may have paid is not sent before somebody has signed for it', async () => {
  const { send, sign, exceptions } = await open({ alike: 'order/ord-9' });
  expect(await send()).toEqual(CHANGED);
  await sign(approver, (await exceptions())['look-alike-order']);
  expect(await send()).toEqual(SENT);
});

it('a fee that was let through covers no higher one', async () => {
  const { send, sign, exceptions, shown } = await open({ feeCap: '1.00' });
  await sign(approver, (await exceptions())['fee-above-cap']);
  shown.fee = '90.00';
  expect(await send()).toEqual(CHANGED);
});

it('what the policy leaves to nobody is sent without a signature', async () => {
  const { send } = await open({});
  expect(await send()).toEqual(SENT);
});

it('what a screening has found is let through by the role compliance and by nobody else', async () => {
  const { send, sign, exceptions } = await open({ checks: checksThat({ screening: 'hit' }) });
  const hit = (await exceptions())['screening-hit'];
  await sign(approver, hit);
  await sign(approver, hit, 'screening');
  await sign(officer, hit);
  expect(await send()).toEqual(CHANGED);
  await sign(officer, hit, 'screening');
  expect(await send()).toEqual(SENT);
});

it('who clears screenings lets nothing else through', async () => {
  const { send, sign, exceptions } = await open({ alike: true });
  const { 'look-alike': alike } = await exceptions();
  await sign(officer, alike);
  await sign(officer, alike, 'screening');
  expect(await send()).toEqual(CHANGED);
});

it('under a policy a provider is asked about the payee that the bank shows right before', async () => {
  const { send } = await open({ checks: checksThat({}), read: { ...READ, checks: [] } });
  expect(await send()).toEqual(SENT);
  const refused = await open({ checks: checksThat({ verification: 'no-match' }) });
  expect(await refused.send()).toEqual(CHANGED);
});

/** A provider that finds nothing, or this. */
function checksThat({
  screening = 'clear',
  verification = 'match',
}: {
  screening?: 'clear' | 'hit';
  verification?: 'match' | 'no-match';
}): PayeeChecks {
  const provider: CheckProvider = {
    name: 'p',
    screen: async () => ({ verdict: screening, caseId: 'case' }),
    verifyPayee: async () => ({ verdict: verification }),
    close: async () => {},
  };
  return { provider, maxAgeMs: 60_000, verifiedCurrencies: undefined };
}

const verdict = (kind: PayeeCheck['kind']): PayeeCheck => ({
  kind,
  verdict: kind === 'screening' ? 'clear' : 'match',
  provider: 'p',
  payee: 'd',
  digest: 'x',
  askedAt: 1,
});

it('without a policy a sender that has a provider sends no payment without a verdict of each check', async () => {
  const checks = checksThat({});
  const sendAs = async (read: Assessment, given = checks) =>
    (await open({ checks: given, policy: false, read })).send();
  const [screened, verified] = [verdict('screening'), verdict('verification')];
  expect(await sendAs(READ)).toEqual(CHANGED);
  expect(await sendAs({ ...READ, checks: [screened] })).toEqual(CHANGED);
  expect(await sendAs({ ...READ, checks: [screened, verified] })).toEqual(SENT);
  expect(await sendAs({ ...READ, checks: [screened] }, { ...checks, verifiedCurrencies: ['EUR'] })).toEqual(SENT);
});

it.each([true, false])(
  'a payout after a card payment is not sent while that has not taken the money, or may have given it back (policy: %s)',
  async (policy) => {
    const { send, store } = await open({ policy, cardPayment: 'm-1' });
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
