import { expect, it } from 'vitest';
import { sendOrder } from '../../../src/activities/send.ts';
import type { Policy } from '../../../src/domain/authority.ts';
import { madeDigest } from '../../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import { raised } from '../../../src/people/decisions/let-through.ts';
import { isMade, scopeFactsOfRow } from '../../../src/people/decisions/verdict.ts';
import { signablePlan } from '../../../src/people/signing/signed-plan.ts';
import type { PayoutRecord, Store } from '../../../src/store/store.ts';
import { batchClaim, claimRow, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { policyOf, type SigningPerson, settingsUnder, signedBy, signingPerson } from '../../support/people.ts';
import { sendingDeps } from '../../support/sending-deps.ts';

const alice = signingPerson('alice', ['maker']);
const zoe = signingPerson('zoe', ['maker', 'approver']);
const bob = signingPerson('bob', ['approver']);
const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const LATER = 400 * 86_400_000;

/** Everybody signs. */
function signing(policy: Policy): Policy {
  return { ...policy, people: policy.people.map(({ unsigned: _, ...person }) => person) };
}
const POLICY = signing(policyOf([alice, zoe, bob]));

/** A batch of two rows in alice's name, which somebody has signed, or nobody. */
async function claimed(signer: SigningPerson | undefined, signedFields: Partial<PayoutInstruction> = {}) {
  const store = await newStore();
  const meant = [claimRow(1, 'doc', signedFields), claimRow(2, 'other')];
  if (signer !== undefined) await signRows(store, signer, meant);
  await store.claimBatch({ ...batchClaim('batch', ['doc', 'other']), by: 'alice' });
  const { record } = await store.claimPayout(payoutClaim('doc', { by: 'alice', runId: CALLER.runId }));
  return { store, row: record };
}

async function signRows(store: Store, signer: SigningPerson, rows: readonly ReturnType<typeof claimRow>[]) {
  const plan = signablePlan(rows.map(({ reference, instruction }) => ({ reference, digest: madeDigest(instruction) })));
  const about = { storeId: store.id, question: 'make', reference: 'batch', digest: plan.digest } as const;
  await store.takeSignedPlan(signedBy(signer, about), plan.inclusions(), Date.now());
}

const isMadeIn = (store: Store, row: PayoutRecord, { policy = POLICY, now = Date.now() } = {}) =>
  isMade({ store, settings: settingsUnder(policy), now: () => now }, row, scopeFactsOfRow(row));

it('a row is made by whom it names if they have signed its batch, long ago too', async () => {
  const { store, row } = await claimed(alice);
  expect(await isMadeIn(store, row)).toBe(true);
  expect(await isMadeIn(store, row, { now: Date.now() + LATER })).toBe(true);
});

it.each<[string, Partial<PayoutRecord>]>([
  ['another amount', { instruction: { ...payoutClaim('doc').instruction, amount: '4012.00' } }],
  ['another payee', { instruction: { ...payoutClaim('doc').instruction, beneficiary_id: 'ben-2' } }],
  ['a note that is no text', { instruction: { ...payoutClaim('doc').instruction, note: ['x'] as unknown as string } }],
  ['another document', { documentId: 'third' }],
  ['another user', { uid: 'user-2' }],
  ['another generation', { generation: 1 }],
  ['another kind', { kind: 'transfer' }],
  ['another maker', { by: 'zoe' }],
  ['no maker', { by: null }],
  ['another batch', { batchId: 'another' }],
])('it is not with %s than was signed', async (_what, change) => {
  const { store, row } = await claimed(alice);
  expect(await isMadeIn(store, { ...row, ...change })).toBe(false);
});

const BOUND = { sell_currency: 'EUR', max_rate: '0.93', paying_account_id: 'acc-2', exchanged_by: 'fx-1' };
const inEuros = (row: PayoutRecord) => ({ ...scopeFactsOfRow(row), currencies: [row.instruction.currency, 'EUR'] });

it.each<[string, Partial<PayoutInstruction>, boolean]>([
  ['as it was signed', {}, true],
  ['without an account that pays', { paying_account_id: undefined }, false],
  ['with another one', { paying_account_id: 'acc-3' }, false],
  ['with a higher rate', { max_rate: '0.94' }, false],
  ['without any', { max_rate: undefined }, false],
  ['with another exchange for all', { exchanged_by: 'fx-2' }, false],
  ['with an exchange of its own', { exchanged_by: undefined }, false],
  ['with another currency that is sold', { sell_currency: 'JPY' }, false],
])('a row that sells another currency %s: made is %s', async (_what, change, isMadeSo) => {
  const { store, row } = await claimed(alice, BOUND);
  const sold = { ...row, instruction: { ...row.instruction, ...BOUND, ...change } };
  const touched = inEuros(sold);
  expect(await isMade({ store, settings: settingsUnder(POLICY), now: Date.now }, sold, touched)).toBe(isMadeSo);
});

it('a row that sells another currency than its maker was shown is not made, and one without bounds neither', async () => {
  const made = async (fields: Partial<PayoutInstruction>, currencies: string[]) => {
    const { store, row } = await claimed(alice, fields);
    const sold = { ...row, instruction: { ...row.instruction, ...fields } };
    return isMade({ store, settings: settingsUnder(POLICY), now: Date.now }, sold, { ...inEuros(sold), currencies });
  };
  expect(await made(BOUND, ['USD', 'EUR'])).toBe(true);
  expect(await made(BOUND, ['USD', 'JPY'])).toBe(false);
  expect(await made({}, ['USD', 'EUR'])).toBe(false);
  expect(await made({}, ['USD'])).toBe(true);
});

it('it is not if nobody, or somebody else, or for something else has signed', async () => {
  for (const { store, row } of [await claimed(undefined), await claimed(zoe), await claimed(alice, { amount: '9.00' })])
    expect(await isMadeIn(store, row)).toBe(false);
});

it('it is not once the maker has left the policy, or may not make it any more', async () => {
  const { store, row } = await claimed(alice);
  expect(await isMadeIn(store, row, { policy: signing(policyOf([zoe, bob])) })).toBe(false);
  const limited = { ...alice, scope: { currencies: ['EUR'] } };
  expect(await isMadeIn(store, row, { policy: signing(policyOf([limited, bob])) })).toBe(false);
});

it('a row of a batch is believed where the policy says that its maker does not sign', async () => {
  const { store, row } = await claimed(undefined);
  const policy = policyOf([alice, bob]);
  expect(await isMadeIn(store, row, { policy })).toBe(true);
});

it('what nobody has to approve is sent if its maker has signed it; otherwise one person must', async () => {
  const sendOf = async (signer: SigningPerson | undefined) => {
    const { store, row } = await claimed(signer);
    const payment = async () => ({ order_id: 'ord-1' });
    const deps = sendingDeps({ payment }, { policy: POLICY, referenceDedupe: 'assumed' }, { store });
    const claim = { storeId: store.id, reference: row.reference, term: row.term };
    return (await sendOrder(deps, CALLER, { claim, orderKind: 'payment', attempt: 1, lastLeft: 0 })).outcome;
  };
  expect([await sendOf(alice), await sendOf(undefined)]).toEqual(['accepted', 'not-sent']);
});

it('what only lacks the signature of its maker says so', async () => {
  const asked = async (signer: SigningPerson | undefined, approvalsNeeded: number) => {
    const { store, row } = await claimed(signer);
    return raised(
      sendingDeps({}, { policy: POLICY, referenceDedupe: 'assumed' }, { store }),
      row,
      { approvalsNeeded, digest: 'd' },
      {},
    );
  };
  expect(await asked(undefined, 0)).toEqual({ approvalsNeeded: 1, notMade: true });
  expect(await asked(undefined, 2)).toEqual({ approvalsNeeded: 2 });
  expect(await asked(alice, 0)).toEqual({ approvalsNeeded: 0 });
});
