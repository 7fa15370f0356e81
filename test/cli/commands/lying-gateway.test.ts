import { beforeEach, describe, expect, it } from 'vitest';
import { beneficiary } from '../../../src/bank/schemas/beneficiaries.ts';
import { jsonLines, linesOf } from '../../../src/channels/http/operation.ts';
import { cancelCard, changeCardAmount, resolveCard } from '../../../src/cli/card-actions.ts';
import { cancel, decide, resolve } from '../../../src/cli/decision-actions.ts';
import { retry } from '../../../src/cli/run.ts';
import type { Session } from '../../../src/cli/session.ts';
import type { Assessment } from '../../../src/domain/gates.ts';
import { approvalDigest, payloadDigest } from '../../../src/domain/identity.ts';
import { asPayee, signedParts } from '../../../src/people/decisions/asked.ts';
import { signablePlan } from '../../../src/people/signing/signed-plan.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim, claimRow, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { policyOf, signingPerson } from '../../support/people.ts';
import { quickSettings } from '../../support/product.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

const bob = signingPerson('bob', ['approver', 'operator']);
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
let signed: { signed?: { digest: string } }[];
/** What a person was shown. */
let shown: string;

beforeEach(async () => {
  store = await newStore();
  signed = [];
  shown = '';
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

/** A command whose gateway says what `lie` makes of the truth: of a waiting payout, and of each row of a batch. */
function sessionOf(lie: (waiting: Waiting) => unknown): Session {
  const notify = (text: string): void => {
    shown += text;
  };
  const output = { notify, say() {}, result() {} };
  const parts = { config: { settings, signingKey: { reveal: () => bob.privateKey } }, output };
  const here = fakeSession({
    ...parts,
    store: async () => store,
    stack: async () => ({ owner: false }),
    bank: async () => ({
      clock: UNMEASURED_CLOCK,
      beneficiaries: { get: async () => beneficiary.parse(PAYEE) },
      accounts: { get: async (account_id: string) => ({ account_id, currency: 'USD' }) },
    }),
  });
  const carryOut = async (it: { path: string }, input: object): Promise<unknown> => {
    if (/\/(decisions|resolve|cancel|retry)$/.test(it.path)) {
      signed.push(input);
      return { outcome: 'approved' };
    }
    const answer = JSON.parse(JSON.stringify(await here.ask(it as never, input as never)));
    if (it.path === '/v1/waiting') for (const waiting of answer.payouts) lie(waiting);
    return answer;
  };
  async function* pieces(it: object, input: object): AsyncGenerator<string> {
    for await (const item of linesOf<Waiting>(await here.pieces(it as never, input as never))) {
      const lied = lie(item);
      const items = Array.isArray(lied) ? lied : [item];
      for await (const line of jsonLines(ReadableStream.from(items))) {
        yield line.slice(0, 100);
        yield line.slice(100);
      }
    }
  }
  return fakeSession({ ...parts, gateway: { carryOut, pieces } });
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

/** A gateway that answers with one payout, for any request. */
function answeringWith(reference: string, lie: (waiting: Waiting) => void = () => {}): Session {
  const session = sessionOf(lie);
  const { ask } = session;
  session.ask = ((it: never, input: object) =>
    ask.call(session, it, ('id' in input ? { ...input, id: reference } : input) as never)) as never;
  return session;
}

const said = { yes: true, by: undefined, remark: undefined };

describe.each<[string, (session: Session, id: string) => Promise<unknown>]>([
  ['approve', (session, id) => decide(session, 'approve', id, said)],
  ['reject', (session, id) => decide(session, 'reject', id, { ...said, remark: 'not ours' })],
  ['cancel', (session, id) => cancel(session, id, said)],
  [
    'resolve',
    (session, id) => resolve(session, id, { ...said, action: 'keep-looking', evidence: 'x', order: undefined }),
  ],
  ['retry', (session, id) => retry(session, id, { ...said, rows: undefined } as never)],
])('%s', (_command, run) => {
  it.each(['INV-4711', 'ord-1', 'latest', 'do', '0badcafe'])('asks for nothing that %s does not mean', async (id) => {
    const session = answeringWith(await asking(), ({ row }) =>
      Object.assign(row, { batchId: 'INV-4711', orderId: 'ord-1' }),
    );
    await expect(run(session, id)).rejects.toMatchObject({ code: 'answers-otherwise' });
    expect(signed).toEqual([]);
  });
});

it('resolves nothing that is shown under another document id', async () => {
  const reference = await asking();
  await store.changePayout(reference, { state: 'needs-operator', at: Date.now() });
  const session = answeringWith(reference, ({ row }) => Object.assign(row, { documentId: 'INV-4711' }));
  const asked = { ...said, action: 'keep-looking', evidence: 'x', order: undefined } as const;
  await expect(resolve(session, 'INV-4711', asked)).rejects.toMatchObject({ code: 'answers-otherwise' });
  expect(signed).toEqual([]);
});

const BATCH = '0123abcd-0000-7000-8000-000000000001';

/** A batch of three rows, none of which was read at the bank yet; their references. */
async function batchAsking(): Promise<string[]> {
  const rows = [1, 2, 3].map((n) => claimRow(n, `doc-${n}`, { amount: `${n}00.00` }));
  await store.claimBatch({ ...batchClaim(BATCH, []), rows, at: Date.now() });
  return rows.map(({ reference }) => reference);
}

const approvingBatch = (session: Session) => decide(session, 'approve', BATCH, said);

/** Up to the question, which there is no terminal for: with `--yes` no rows are listed. */
async function batchShown(session: Session): Promise<string> {
  shown = '';
  const asked = decide(session, 'approve', BATCH, { ...said, yes: false });
  await expect(asked).rejects.toMatchObject({ code: 'confirmation-needed' });
  return shown;
}

/** What an honest gateway has signed of these rows. */
async function digestOf(references: readonly string[]): Promise<string> {
  const rows: { reference: string; digest: string }[] = [];
  const note = ({ row: { reference }, asked: { digest } }: Waiting): void => {
    if (references.includes(reference)) rows.push({ reference, digest });
  };
  await approvingBatch(sessionOf(note));
  signed = [];
  shown = '';
  return signablePlan(rows).digest;
}

it('signs the rows of a batch that it shows, and shows totals of these', async () => {
  const digest = await digestOf(await batchAsking());
  expect(await approvingBatch(sessionOf(() => {}))).toBe(0);
  expect(signed).toMatchObject([{ decision: 'approve', signed: { digest, reference: BATCH } }]);
  expect(shown).toContain('3 payouts to 1 payee');
  expect(shown).toContain('USD  600.00 in 3 payouts');
  expect(shown).not.toContain('Ann');
  expect(await batchShown(sessionOf(() => {}))).toMatch(/doc-3 +300.00 USD +Ann, DE001 +acc-1/);
});

/** Of the second row; a list is sent instead of it. */
it.each<[string, (item: Waiting) => unknown]>([
  ['another amount', ({ row }) => Object.assign(row.instruction, { amount: '2.00' })],
  ['another payee', ({ payee }) => Object.assign(payee.items, { iban_no: 'DE002' })],
  ['another id of the payee', ({ row }) => Object.assign(row.instruction, { beneficiary_id: 'ben-2' })],
  ['another account', ({ row }) => Object.assign(row.assessed, { payingAccountId: 'acc-2' })],
  ['another document', ({ row }) => Object.assign(row, { documentId: 'doc-9' })],
  ['another reference', ({ row }) => Object.assign(row, { reference: 'another' })],
  ['a lower cap', ({ caps }) => Object.assign(caps, { feeCap: '0.01' })],
  ['another digest', ({ asked }) => Object.assign(asked, { digest: approvalDigest({ payload: 'of something else' }) })],
  ['another question', ({ asked }) => Object.assign(asked, { question: 'bank' })],
  ['nothing to read', ({ row }) => Object.assign(row, { assessed: null })],
  ['no such row', () => []],
])('signs a batch without the row where the gateway shows %s', async (_what, lie) => {
  const [first = '', second, third = ''] = await batchAsking();
  const digest = await digestOf([first, third]);
  expect(await approvingBatch(sessionOf((item) => (item.row.reference === second ? lie(item) : undefined)))).toBe(0);
  expect(signed).toMatchObject([{ signed: { digest } }]);
  expect(shown).toContain('USD  400.00 in 2 payouts');
});

it('shows a row more where the gateway has one more signed', async () => {
  const references = await batchAsking();
  const other = claimRow(4, 'doc-4', { amount: '9000.00' });
  const add = (item: Waiting): Waiting[] => {
    if (item.row.reference !== references[2]) return [item];
    const row = { ...item.row, ...other, documentId: 'doc-4' };
    const digest = approvalDigest(
      signedParts(row, { ...row.assessed, payee: asPayee(beneficiary.parse(PAYEE)) }, settings.terms),
    );
    return [
      item,
      { ...item, row: { ...row, assessed: { ...row.assessed, digest } }, asked: { ...item.asked, digest } },
    ];
  };
  expect(await approvingBatch(sessionOf(add))).toBe(0);
  expect(shown).toContain('USD  9,600.00 in 4 payouts');
  expect(await batchShown(sessionOf(add))).toMatch(/doc-4 +9,000.00 USD/);
});

it('signs nothing more where the gateway says that nothing is signed', async () => {
  const lie = (waiting: Waiting): void => {
    Object.assign(waiting, { isSigned: false });
    Object.assign(waiting.row.instruction, { amount: '1.00' });
  };
  await expect(approving(sessionOf(lie), await asking())).rejects.toMatchObject({ code: 'asks-otherwise' });
  expect(signed).toEqual([]);
});

const CARD = { id: 'pay-1', amount: '39.00', currency: 'USD', state: 'needs-operator' };

/** A command whose gateway answers with one card payment, for any request. */
function cardSession(shownId: string): Session {
  const { config, output } = sessionOf(() => {});
  const carryOut = async (it: { path: string }, input: object): Promise<unknown> => {
    if (it.path === '/v1/card-payments/:id/events')
      return { card_payment: { ...CARD, merchant_request_id: shownId }, payment_ids: [CARD.id], events: [] };
    if (it.path === '/v1/me') {
      const { name, roles } = bob;
      const person = { name, roles, scope: {} };
      return { hasPolicy: true, storeId: store.id, approvalTtlMs: 1_000, name, person, people: [name] };
    }
    signed.push(input);
    return { outcome: 'cancelled', amount: '12.00', accepted: true, message: '', isStarted: false };
  };
  return fakeSession({ config, output, gateway: { carryOut } });
}

describe.each<[string, (session: Session, id: string) => Promise<unknown>, string]>([
  ['card cancel', (session, id) => cancelCard(session, id, said), 'cancel/shop-1'],
  ['card amount', (session, id) => changeCardAmount(session, id, '12.00', said), 'changeAmount 12.00/shop-1'],
  [
    'card resolve',
    (session, id) =>
      resolveCard(session, id, { ...said, action: 'close-as-not-paid', evidence: 'x', paymentId: undefined }),
    'close-as-not-paid/shop-1',
  ],
])('%s', (_command, run, digest) => {
  it('signs what was typed about the payment that was named', async () => {
    await run(cardSession('shop-1'), 'shop-1');
    expect(signed).toMatchObject([{ id: 'shop-1', signed: { question: 'resolve', reference: 'shop-1', digest } }]);
  });

  it.each(['shop-2', CARD.id])('signs nothing where the gateway answers with another payment than %s', async (id) => {
    await expect(run(cardSession('shop-1'), id)).rejects.toMatchObject({ code: 'answers-otherwise' });
    expect(signed).toEqual([]);
  });
});
