import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { beneficiary } from '../../../src/bank/schemas/beneficiaries.ts';
import { decide } from '../../../src/cli/decisions.ts';
import type { Session } from '../../../src/cli/session.ts';
import type { Assessment } from '../../../src/domain/gates.ts';
import { approvalDigest, payloadDigest } from '../../../src/domain/identity.ts';
import { asPayee, signedParts } from '../../../src/people/decisions/asked.ts';
import type { Store } from '../../../src/store/store.ts';
import { payoutClaim } from '../../store/samples.ts';
import { openEmptyStore } from '../../support/empty-store.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { policyOf, signingPerson } from '../../support/people.ts';
import { quickSettings } from '../../support/product.ts';

const bob = signingPerson('bob', ['approver']);
const settings = { ...quickSettings, policy: policyOf([bob]) };
const PAYEE = {
  id: 'ben-1',
  uid: 'u-1',
  currency: 'USD',
  beneficiary_type: 'PERSONAL',
  payment_type: 'LOCAL',
  items: { account_name: 'Ann', iban_no: 'DE001' },
};

let store: Store;
/** What a gateway was given to carry out. */
let signed: object[];

beforeEach(async () => {
  store = await openEmptyStore();
  onTestFinished(() => store.close());
  signed = [];
});

/** A payout that asks for an approval; its reference. */
async function asking(): Promise<string> {
  const claim = payoutClaim('doc', { by: 'alice' });
  const { record } = await store.claimPayout({ ...claim, payloadDigest: payloadDigest(claim.instruction) });
  const read = { payingAccountId: record.instruction.account_id };
  const digest = approvalDigest(
    signedParts(record, { ...read, payee: asPayee(beneficiary.parse(PAYEE)) } as never, settings.terms),
  );
  const assessed = { ...read, digest, approvalsNeeded: 1, approvedFirst: true } as unknown as Assessment;
  await store.recordAssessment(record, assessed, Date.now());
  await store.changePayout(record.reference, { state: 'awaiting-approval', at: Date.now() });
  return record.reference;
}

/** A command whose gateway says what `lie` makes of the truth. */
function sessionOf(lie: (waiting: Waiting) => void): Session {
  const output = { tell() {}, say() {}, result() {} };
  const parts = { config: { settings, signingKey: { reveal: () => bob.privateKey } }, output };
  const here = fakeSession({
    ...parts,
    store: async () => store,
    stack: async () => ({ owner: false }),
    bank: async () => ({ beneficiaries: { get: async () => beneficiary.parse(PAYEE) } }),
  });
  const carryOut = async (it: { path: string }, input: object): Promise<unknown> => {
    if (it.path.endsWith('/decisions')) {
      signed.push(input);
      return { outcome: 'approved' };
    }
    const answer = JSON.parse(JSON.stringify(await here.ask(it as never, input as never)));
    if (it.path === '/v1/waiting') for (const waiting of answer.payouts) lie(waiting);
    return answer;
  };
  return fakeSession({ ...parts, gateway: { carryOut } });
}

/** As it comes over HTTP. */
// biome-ignore lint/suspicious/noExplicitAny: a gateway can answer anything
type Waiting = any;

const approving = (session: Session, reference: string) =>
  decide(session, 'approve', reference, { yes: true, by: undefined, remark: undefined });

it('signs what an honest gateway shows', async () => {
  expect(
    await approving(
      sessionOf(() => {}),
      await asking(),
    ),
  ).toBe(0);
  expect(signed).toMatchObject([{ decision: 'approve', signed: { subject: 'bob', question: 'payout' } }]);
});

it.each<[string, (waiting: Waiting) => void]>([
  ['another amount', ({ row }) => Object.assign(row.instruction, { amount: '1.00' })],
  ['another account', ({ row }) => Object.assign(row.instruction, { account_id: 'acc-other' })],
  ['another user', ({ row }) => Object.assign(row, { uid: 'u-2' })],
  ['another document', ({ row }) => Object.assign(row, { documentId: 'doc-2' })],
  ['another fee cap', ({ caps }) => Object.assign(caps, { feeCap: '0.01' })],
  ['another digest', ({ asked }) => Object.assign(asked, { digest: approvalDigest({ payload: 'of something else' }) })],
  ['another question', ({ asked }) => Object.assign(asked, { question: 'bank' })],
  ['no reading', ({ row }) => Object.assign(row, { assessed: null })],
])('signs nothing where the gateway shows %s', async (_what, lie) => {
  const reference = await asking();
  const exit = await approving(sessionOf(lie), reference).catch((error: { code?: string }) => error.code);
  expect(exit).toBe('asks-otherwise');
  expect(signed).toEqual([]);
});

it.each(['INV-4711', 'ord-1', 'latest-1', '0badcafe'])('signs nothing that %s does not mean', async (id) => {
  const reference = await asking();
  const session = sessionOf(({ row }) => Object.assign(row, { batchId: 'INV-4711', orderId: 'ord-1' }));
  const { ask } = session;
  // Whatever is asked for, it answers with this payout.
  session.ask = ((it: never, input: object) =>
    ask.call(session, it, ('id' in input ? { ...input, id: reference } : input) as never)) as never;
  await expect(approving(session, id)).rejects.toMatchObject({ code: 'another-payout' });
  expect(signed).toEqual([]);
});

it('signs nothing more where the gateway says that nothing is signed', async () => {
  const lie = (waiting: Waiting): void => {
    Object.assign(waiting, { isSigned: false });
    Object.assign(waiting.row.instruction, { amount: '1.00' });
  };
  await expect(approving(sessionOf(lie), await asking())).rejects.toMatchObject({ code: 'asks-otherwise' });
  expect(signed).toEqual([]);
});
