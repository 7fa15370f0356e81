import { join } from 'node:path';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { beneficiary } from '../../../src/bank/schemas/beneficiaries.ts';
import { decide } from '../../../src/cli/decision-actions.ts';
import { questionsText } from '../../../src/cli/decision-texts.ts';
import type { Session } from '../../../src/cli/session.ts';
import type { DecideUpdate } from '../../../src/domain/authority.ts';
import { type Assessment, approvalExceptionsOf } from '../../../src/domain/gates.ts';
import { approvalDigest, payloadDigest, referenceOf } from '../../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import { mainOrderKindOf, type PayoutKind, payoutWorkflowId } from '../../../src/domain/names.ts';
import { asPayee, capsOf, signedParts } from '../../../src/people/decisions/asked.ts';
import { openQuestion, shownQuestion } from '../../../src/people/decisions/shown-question.ts';
import { takeDecision } from '../../../src/people/decisions/verdict.ts';
import { openStore } from '../../../src/store/open.ts';
import type { PayoutRecord, Store } from '../../../src/store/store.ts';
import { payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { newFolder } from '../../support/new-folder.ts';
import { policyOf, type SigningPerson, signingPerson } from '../../support/people.ts';
import { quickSettings } from '../../support/product.ts';
import { tamper } from '../../support/sql.ts';

const [bob, carol] = ['bob', 'carol'].map((name) => signingPerson(name, ['approver'])) as [
  SigningPerson,
  SigningPerson,
];
const settings = { ...quickSettings, policy: policyOf([bob, carol]) };
const PAYEE = {
  id: 'ben-1',
  uid: 'u-1',
  currency: 'USD',
  payment_type: 'LOCAL',
  beneficiary_type: 'PERSONAL',
  items: { account_name: 'Ann', iban_no: 'DE001' },
};

let store: Store;
let shown: string;
let result: string;
beforeEach(async () => {
  store = await newStore();
  [shown, result] = ['', ''];
});

const atBank = { beneficiaries: { get: async () => PAYEE } };
const row = async (reference: string): Promise<PayoutRecord> => {
  const found = await store.payout(reference);
  if (found === undefined) throw new Error('there is no such row');
  return found;
};

async function claimed(id: string, fields: Partial<PayoutInstruction> = {}, kind: PayoutKind = 'payout') {
  const claim = payoutClaim(id, { by: 'alice', kind });
  const instruction = { ...claim.instruction, ...fields };
  const reference = referenceOf(instruction.uid, instruction.id, mainOrderKindOf(kind));
  const digest = payloadDigest(instruction);
  const workflowId = payoutWorkflowId(reference, kind);
  return (await store.claimPayout({ ...claim, reference, workflowId, instruction, payloadDigest: digest })).record;
}

/** The row has been read and asks about the exception with this number, as its workflow would. */
async function asks({ reference }: PayoutRecord, read: Partial<Assessment>, nth = 0): Promise<void> {
  const before = await row(reference);
  const { terms } = settings;
  const payee = before.kind === 'payout' ? asPayee(beneficiary.parse(PAYEE)) : undefined;
  const digest = approvalDigest(signedParts(before, { ...read, payee } as never, terms));
  const assessed = { ...read, digest, approvalsNeeded: 0, approvedFirst: true } as Assessment;
  const exceptions = approvalExceptionsOf(assessed, payloadDigest(before.instruction), capsOf(before, terms));
  await store.recordAssessment(before, { ...assessed, exceptions }, Date.now());
  await store.changePayout(reference, { state: 'held', reason: exceptions[nth]?.reason ?? null, at: Date.now() });
}

/** `meanwhile` happens after the person has seen the question. `left`: what the payout does once it is answered. */
function sessionOf(
  person: SigningPerson,
  { meanwhile, left }: { meanwhile?: () => Promise<void>; left?: (reference: string) => Promise<void> } = {},
): Session {
  const authority = { store, settings, now: Date.now };
  const handleOf = (workflowId: string) => ({
    async executeUpdate(_name: string, { args: [update] }: { args: [DecideUpdate] }) {
      const { reference } = await row(workflowId.replace(/^[^/]*\//, ''));
      const asked = await openQuestion(authority, await row(reference));
      const refused = (why: string) => new WorkflowUpdateFailedError('refused', new Error(why));
      if (asked === undefined || update.signed === undefined) throw refused('no approval is awaited');
      const verdict = await takeDecision(authority, await row(reference), asked, update.signed);
      if (verdict.verdict === 'refused') throw refused(verdict.why);
      if (verdict.verdict === 'approved') await left?.(reference);
      return { outcome: verdict.verdict };
    },
  });
  return fakeSession({
    config: { settings, signingKey: { reveal: () => person.privateKey } },
    store: async () => store,
    stack: async () => ({ owner: false }),
    bank: async () => atBank,
    async client() {
      await meanwhile?.();
      const withDeadline = (_at: number, call: () => Promise<unknown>) => call();
      return { workflow: { getHandle: handleOf }, withDeadline };
    },
    output: {
      notify: (text: string) => {
        shown += text;
      },
      result: (_document: object, text: string) => {
        result += `${text}\n`;
      },
    },
  });
}

const approving = (session: Session, reference: string) =>
  decide(session, 'approve', reference, { yes: true, by: undefined, remark: undefined });
const signedFor = async (reference: string, digest: string) =>
  (await store.signedDecisionsOf({ reference, question: 'hold', digest })).map(({ subject }) => subject);

const TWO_EXCEPTIONS = { fee: '1.00', feeCurrency: 'USD', lookAlike: { daysBefore: 0 } } as const;

it('an approver signs what was on the screen, not what another approver has left to ask', async () => {
  const payout = await claimed('doc', { fee_cap: '0.50' });
  const { reference } = payout;
  await asks(payout, TWO_EXCEPTIONS);
  const [alike, fee] = (await row(reference)).assessed?.exceptions ?? [];
  const meanwhile = async () => {
    await approving(sessionOf(carol), reference);
    await asks(payout, TWO_EXCEPTIONS, 1);
  };
  expect(await approving(sessionOf(bob, { meanwhile }), reference)).toBe(5);
  expect(await signedFor(reference, alike?.digest ?? '')).toEqual(['carol']);
  expect(await signedFor(reference, fee?.digest ?? '')).toEqual([]);
  expect(result).toMatch(/it has changed since it was shown \(Held because: .*fee 1\.00 USD.*, was .*same payee/);
  expect(result).toContain('check again with `payouts approve ');
});

it('a quote that moves after it was shown is not signed, and its bound is said', async () => {
  const fields = { account_id: 'usd-1', to_account_id: 'eur-1', currency: 'EUR', amount: '1000.00' };
  const payout = await claimed('doc', { ...fields, beneficiary_id: undefined, max_slippage: '0.01' }, 'exchange');
  const quoted = (quotedSellAmount: string) => ({
    mostSold: '1111.00',
    exchange: {
      ...{ sellAccountId: 'usd-1', buyAccountId: 'eur-1', buyAmount: '1000.00', buyCurrency: 'EUR' },
      ...{ sellCurrency: 'USD', quotedSellAmount, buysWhatWasAsked: true },
    },
  });
  await asks(payout, quoted('1119.72'));
  const seen = await shownQuestion({ store, settings, bank: atBank as never }, await row(payout.reference));
  expect(questionsText([seen], 120)).toContain('at most 1122.1100 USD');
  const meanwhile = () => asks(payout, quoted('2161.43'));
  expect(await approving(sessionOf(bob, { meanwhile }), payout.reference)).toBe(5);
  const [now] = (await row(payout.reference)).assessed?.exceptions ?? [];
  expect(now?.digest).toContain('/slippage-above-cap/2166.4500 USD');
  expect(await signedFor(payout.reference, now?.digest ?? '')).toEqual([]);
  expect(result).toContain('Sells at most: 2,166.4500 USD, was 1,122.1100 USD');
});

describe('edits of the store', () => {
  let url: string;
  beforeEach(async () => {
    const folder = newFolder();
    url = `file:${join(folder, 'payouts.db')}`;
    store = await openStore(url);
    onTestFinished(() => store.close());
  });

  it('of the column show nothing: the amount is that of the instruction', async () => {
    const payout = await claimed('doc', { amount: '300', currency: 'JPY', fee_cap: '0.50' });
    await asks(payout, TWO_EXCEPTIONS);
    await tamper(url, "update payouts set amount = '3'");
    const seen = await shownQuestion({ store, settings, bank: atBank as never }, await row(payout.reference));
    expect(questionsText([seen], 120)).toMatch(/Amount +300 JPY/);
  });

  it.each([
    ['the instruction', (before: PayoutRecord) => ({ instruction: { ...before.instruction, amount: '3' } })],
    ['the digest', ({ assessed }: PayoutRecord) => ({ assessed: { ...assessed, digest: 'of something else' } })],
    [
      'the digest of what it is held for',
      ({ assessed }: PayoutRecord) => ({
        assessed: {
          ...assessed,
          exceptions: assessed?.exceptions?.map((it) => ({ ...it, digest: `${it.digest}/9999.00 USD` })),
        },
      }),
    ],
  ])('of %s are said, and nothing is signed', async (_what, edit) => {
    const payout = await claimed('doc', { amount: '300', currency: 'JPY', fee_cap: '0.50' });
    await asks(payout, TWO_EXCEPTIONS);
    for (const [column, value] of Object.entries(edit(await row(payout.reference)))) {
      await tamper(url, `update payouts set ${column} = '${JSON.stringify(value)}'`);
    }
    await expect(approving(sessionOf(bob), payout.reference)).rejects.toMatchObject({ code: 'asks-otherwise' });
    expect(shown).toBe('');
    expect((await store.auditEntriesOf(payout.reference)).map(({ action }) => action)).toEqual(['payout claimed']);
  });
});

/** `INTERLEAVED=1000` tries so many. */
const RACES = Number(process.env.INTERLEAVED ?? 200);

it(`of two approvers at once nobody signs what the other has left to ask (${RACES} times)`, async () => {
  const ends: number[] = [];
  for (let race = 0; race < RACES; race += 1) {
    const payout = await claimed(`doc-${race}`, { fee_cap: '0.50' });
    const { reference } = payout;
    await asks(payout, TWO_EXCEPTIONS);
    const digests = (await row(reference)).assessed?.exceptions?.map(({ digest }) => digest) ?? [];
    const [both, first, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), [] as string[]];
    const left = async () => {
      await asks(payout, TWO_EXCEPTIONS, 1);
      first.resolve();
    };
    const raced = async (person: SigningPerson): Promise<number> => {
      const meanwhile = async () => {
        if (seen.push(person.name) === 2) both.resolve();
        await both.promise;
        // Every second time one of them takes until the other has decided.
        if (race % 2 === 0 && person.name === seen[race % 4 === 0 ? 0 : 1]) await first.promise;
      };
      return approving(sessionOf(person, { meanwhile, left }), reference);
    };
    ends.push(...(await Promise.all([bob, carol].map(raced))));
    expect(await signedFor(reference, digests[1] ?? '')).toEqual([]);
    expect((await row(reference)).reason?.code).toBe('fee-above-cap');
  }
  expect(ends.filter((exit) => exit === 0).length).toBeGreaterThanOrEqual(RACES);
  expect(ends.filter((exit) => exit === 5).length).toBeGreaterThanOrEqual(RACES / 2);
});
