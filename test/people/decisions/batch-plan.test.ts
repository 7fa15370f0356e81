import { describe, expect, it } from 'vitest';
import type { Policy, SignedDecision } from '../../../src/domain/authority.ts';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import {
  type BatchPlan,
  type PlanDeps,
  planReader,
  plansToSign,
  planToSign,
  preparePlan,
  SHOWN_MAX,
  takePlan,
} from '../../../src/people/decisions/batch-plan.ts';
import { isRejected, verdictOn } from '../../../src/people/decisions/verdict.ts';
import type { PayoutRecord, Store } from '../../../src/store/store.ts';
import { batchClaim, claimRow } from '../../store/samples.ts';
import { openEmptyStore } from '../../support/empty-store.ts';
import { policyOf, type SigningPerson, settingsUnder, signedBy, signingPerson } from '../../support/people.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

const maker = signingPerson('maker', ['maker', 'approver']);
const bob = signingPerson('bob', ['approver']);
const carol = signingPerson('carol', ['approver']);
const dave = signingPerson('dave', ['approver'], { currencies: ['EUR'] });
const PEOPLE = [maker, bob, carol, dave];

const ALONE_FROM = { currency: 'USD', amountAtLeast: '1000', alone: true, approvals: 1 } as const;
const POLICY = policyOf(PEOPLE, { approvals: [{ approvals: 2 }, ALONE_FROM] });

/** A bank that shows one account for every id, and old payees; which of them were read. */
function bankOf(read: string[] = []): PlanDeps['bank'] {
  const shown = {
    clock: UNMEASURED_CLOCK,
    accounts: {
      get: async (id: string) => {
        read.push(id);
        return { account_id: id, currency: 'USD' };
      },
      ofUser: async () => [{ account_id: 'acc-eur', currency: 'EUR' }],
    },
    beneficiaries: {
      get: async (id: string) => {
        read.push(id);
        return { id, currency: 'USD', payment_type: 'LOCAL', items: { account_no: '1' }, created_at: 1 };
      },
    },
  };
  return shown as unknown as PlanDeps['bank'];
}

type Fields = Partial<PayoutInstruction>;

async function claimed(fields: readonly Fields[], policy: Policy = POLICY, read?: string[]) {
  const store = await openEmptyStore();
  const rows = fields.map((given, index) => claimRow(index + 1, `doc-${index + 1}`, given));
  await store.claimBatch({ ...batchClaim('batch', []), rows, at: Date.now() });
  const deps: PlanDeps = {
    store,
    bank: bankOf(read),
    settings: settingsUnder(policy),
    now: Date.now,
  };
  return { deps, store, [Symbol.asyncDispose]: () => store.close() };
}

const asked = (person: SigningPerson, decision: 'approve' | 'reject' = 'approve') =>
  ({ batchId: 'batch', question: 'payout', decision, subject: person.name }) as const;

const prepared = (deps: PlanDeps, { subject, ...about }: ReturnType<typeof asked>) =>
  preparePlan(planReader(deps, { batchId: about.batchId, subject }), about);

const signedPlan = (store: Store, person: SigningPerson, plan: BatchPlan, more: Partial<SignedDecision> = {}) => {
  const { batchId: reference, question, decision, digest } = plan;
  return signedBy(person, { storeId: store.id, question, reference, decision, digest, remark: 'seen', ...more });
};

async function planAndSign(deps: PlanDeps, person: SigningPerson, decision: 'approve' | 'reject' = 'approve') {
  const plan = await prepared(deps, asked(person, decision));
  const taken = await takePlan(deps, plan, signedPlan(deps.store, person, plan));
  return { plan, taken };
}

/** The first row of a plan, read with what was planned. */
async function plannedAs(
  { store }: PlanDeps,
  { rows: [planned] }: BatchPlan,
  { approvalsNeeded }: { approvalsNeeded: number },
): Promise<PayoutRecord> {
  const row = await store.payout(planned?.reference ?? '');
  if (planned === undefined || row === undefined) throw new Error('no row');
  return { ...row, assessed: { digest: planned.digest, approvalsNeeded } };
}

/** What the sender would find of a row: who has approved, or the verdict. */
async function found(deps: PlanDeps, plan: BatchPlan, n: number, { alone = false } = {}) {
  const planned = plan.rows[n];
  if (planned === undefined) throw new Error('the plan has no such row');
  const row = await deps.store.payout(planned.reference);
  if (row === undefined) throw new Error('the store has no such row');
  const verdict = await verdictOn(deps, row, { question: 'payout', digest: planned.digest, needed: 2, alone });
  return 'awaited' in verdict ? [verdict.verdict, ...verdict.awaited.approvedBy] : verdict.verdict;
}

describe('What is shown before somebody signs', () => {
  it('is approval and rejection of one reading of the bank: the same plans as two readings make', async () => {
    const read: string[] = [];
    await using batch = await claimed([{}, { amount: '2000' }, { currency: 'EUR' }], POLICY, read);
    const { deps } = batch;
    const who = { batchId: 'batch', subject: bob.name };
    const plans = await plansToSign(planReader(deps, who), 'batch', ['approve', 'reject']);
    const once = read.splice(0);
    expect(once).toEqual([...new Set(once)]);
    expect([plans.approve.rows.length, plans.reject.rows.length]).toEqual([2, 3]);
    for (const decision of ['approve', 'reject'] as const) {
      expect(await planToSign(planReader(deps, who), { batchId: 'batch', decision })).toEqual(plans[decision]);
    }
    expect(read).toEqual([...once, ...once]);
  });
});

describe('The payees of a payroll', () => {
  it('are read from the list of their user once they are many, with the same digest, and else by their ids', async () => {
    const ids = Array.from({ length: 70 }, (_, n) => `ben-${n}`);
    const rows = ids.map((beneficiary_id) => ({ beneficiary_id }));
    const read: string[] = [];
    await using batch = await claimed(rows, POLICY, read);
    const { deps } = batch;
    const digestOf = async (listed: number): Promise<string> => {
      const { beneficiaries } = deps.bank;
      const shown = await Promise.all(ids.slice(0, listed).map((id) => beneficiaries.get(id)));
      const listAll = async ({ uid }: { uid: string }) => {
        read.push(`list of ${uid}`);
        return { beneficiaries: shown };
      };
      read.length = 0;
      const bank = { ...deps.bank, beneficiaries: { ...beneficiaries, listAll } } as unknown as PlanDeps['bank'];
      const reader = planReader({ ...deps, bank }, { batchId: 'batch', subject: bob.name });
      return (await planToSign(reader, { batchId: 'batch', decision: 'approve' })).digest;
    };
    const digest = await digestOf(60);
    expect(read.filter((id) => id.startsWith('list'))).toEqual(['list of user-1']);
    const single = read.filter((id) => id.startsWith('ben-'));
    // Fifty before it is known that there are many, and what the list does not show.
    expect(single).toEqual([...ids.slice(0, 50), ...ids.slice(60)]);
    expect(await digestOf(0)).toBe(digest);
  });
});

describe('The rows that are listed', () => {
  it('are those with new payees, then the largest, and no more than a page takes; the digest covers all', async () => {
    const given = Array.from(
      { length: 2 * SHOWN_MAX + 50 },
      (_, n): Fields => ({ beneficiary_id: 'ben-1', amount: `${n + 1}` }),
    );
    const byDetails: Fields = { beneficiary_id: undefined, account_name: 'New', account_no: '9', amount: '0.50' };
    await using batch = await claimed([...given, byDetails], policyOf(PEOPLE, { approvals: [{ approvals: 1 }] }));
    const plan = await prepared(batch.deps, asked(bob));
    const amounts = plan.shown.map(({ row }) => row.instruction.amount);
    expect(amounts.slice(0, 3)).toEqual(['0.50', '1050', '1049']);
    expect([amounts.length, amounts.at(-1), plan.rows.length]).toEqual([SHOWN_MAX, '552', given.length + 1]);
  });
});

describe('A row whose stored digest is not that of what is shown', () => {
  it('is not approved together with others, and can be rejected with them', async () => {
    await using batch = await claimed([{ fee_cap: '1.00' }, {}, {}]);
    const { deps } = batch;
    const plan = await prepared(deps, asked(bob));
    expect(plan.caps).toEqual([
      { feeCap: '1.00', maxSlippage: '0.01', count: 1 },
      { feeCap: undefined, maxSlippage: '0.01', count: 2 },
    ]);
    for (const [n, { reference, digest }] of plan.rows.entries()) {
      const row = await deps.store.payout(reference);
      if (row === undefined) throw new Error('no row');
      const assessed = { payingAccountId: 'acc-1', approvalsNeeded: 2, approvedFirst: true } as const;
      await deps.store.recordAssessment(row, { ...assessed, digest: n === 1 ? 'of another amount' : digest }, 1);
    }
    const read = await prepared(deps, asked(bob));
    expect(read.rows).toEqual([plan.rows[0], plan.rows[2]]);
    expect(read.apart).toMatchObject([{ documentId: 'doc-2', why: 'differs' }]);
    expect((await prepared(deps, asked(bob, 'reject'))).rows).toHaveLength(3);
  });
});

describe('One signature for the rows of a batch', () => {
  it('foresees a payee as new as the bank has it, when our clock is ahead', async () => {
    await using batch = await claimed([{}]);
    const { deps } = batch;
    const offset = () => 1 - Date.now();
    const atBank = { ...deps, bank: { ...deps.bank, clock: { offset } } };
    expect(await prepared(atBank, asked(bob))).toMatchObject({ newPayees: 1, flags: { 'new-payee': 1 } });
  });

  it('counts for each row as one person, before anybody has read the bank for it', async () => {
    const read: string[] = [];
    await using batch = await claimed([{}, { amount: '20' }, { currency: 'EUR' }], POLICY, read);
    const { deps } = batch;
    const { plan, taken } = await planAndSign(deps, bob);
    expect(taken).toEqual({ taken: true });
    expect(plan).toMatchObject({ payees: 1, newPayees: 0, apart: [] });
    expect(plan.totals).toEqual([
      { currency: 'EUR', count: 1, amount: '10.50' },
      { currency: 'USD', count: 2, amount: '30.50' },
    ]);
    expect(read.sort()).toEqual(['acc-1', 'ben-1']);
    expect(await found(deps, plan, 0)).toEqual(['counted', 'bob']);
    expect(await planAndSign(deps, carol)).toMatchObject({ plan: { digest: plan.digest }, taken: { taken: true } });
    for (const n of [0, 1, 2]) expect(await found(deps, plan, n)).toEqual(['approved', 'bob', 'carol']);
    expect((await deps.store.auditEntriesOf('batch')).map(({ actor, action }) => `${actor}: ${action}`)).toEqual([
      'maker: batch claimed',
      'bob: approve, signed',
      'carol: approve, signed',
    ]);
  });

  it('leaves out what asks for itself, what is out of scope, and what the bank does not show', async () => {
    await using batch = await claimed([{}, { amount: '5000' }, { currency: 'GBP' }]);
    const { deps } = batch;
    const { plan } = await planAndSign(deps, bob);
    expect(plan.rows).toHaveLength(1);
    expect(plan.apart.map(({ documentId, why }) => [documentId, why])).toEqual([
      ['doc-2', 'alone'],
      ['doc-3', 'not-shown'],
    ]);
    const { plan: daves, taken } = await planAndSign(deps, dave);
    expect(daves.apart.map(({ why }) => why)).toEqual(['out-of-scope', 'out-of-scope', 'out-of-scope']);
    expect(taken).toEqual({ refused: 'nothing is awaited' });
  });

  it('does not approve a row that turns out to ask for itself, or to be another one than was planned', async () => {
    await using batch = await claimed([{}, {}]);
    const { deps, store } = batch;
    const { plan } = await planAndSign(deps, bob);
    expect(await found(deps, plan, 0, { alone: true })).toEqual(['counted']);
    const [first] = plan.rows;
    const row = await store.payout(first?.reference ?? '');
    if (row === null || row === undefined) throw new Error('no row');
    const another = { question: 'payout', digest: 'changed', needed: 1 } as const;
    expect(await verdictOn(deps, row, another)).toMatchObject({ verdict: 'counted' });
  });

  it('rejects every row of it, those that ask for themselves too', async () => {
    await using batch = await claimed([{}, { amount: '5000' }]);
    const { deps } = batch;
    const { plan, taken } = await planAndSign(deps, carol, 'reject');
    expect([plan.rows.length, taken]).toEqual([2, { taken: true }]);
    for (const n of [0, 1]) expect(await found(deps, plan, n)).toBe('rejected');
  });

  it('that rejects is found by the sender of a row that asks nobody any more, even if somebody approved before', async () => {
    await using batch = await claimed([{}]);
    const { deps } = batch;
    const { plan } = await planAndSign(deps, bob);
    const read = await plannedAs(deps, plan, { approvalsNeeded: 0 });
    const nobody = { question: 'payout', digest: read.assessed?.digest ?? '', needed: 0 } as const;
    expect(await isRejected(deps, read, nobody)).toBe(false);
    await planAndSign(deps, carol, 'reject');
    expect(await isRejected(deps, read, nobody)).toBe(true);
  });

  it('that rejects stays in force when its time is over, one that approves does not', async () => {
    await using batch = await claimed([{}, { amount: '20' }]);
    const { deps } = batch;
    const { plan } = await planAndSign(deps, bob);
    const later = { ...deps, now: () => Date.now() + 2 * POLICY.approvalTtlMs };
    expect(await found(later, plan, 0)).toEqual(['counted']);
    await planAndSign(deps, carol, 'reject');
    expect(await found(later, plan, 0)).toBe('rejected');
    const policy = { ...POLICY, approvalTtlMs: 1_000 };
    expect(await found({ ...deps, settings: { ...deps.settings, policy } }, plan, 0)).toBe('rejected');
  });

  it('rejects what is held, and lets no hold through; a screening is not for it', async () => {
    await using batch = await claimed([{}]);
    const { deps } = batch;
    const { plan } = await planAndSign(deps, bob);
    const held = await plannedAs(deps, plan, { approvalsNeeded: 2 });
    const verdictOnHold = async (question: 'hold' | 'screening') =>
      (await verdictOn(deps, held, { question, digest: 'fee-above-cap', needed: 1 })).verdict;
    expect(await verdictOnHold('hold')).toBe('counted');
    await planAndSign(deps, carol, 'reject');
    expect([await verdictOnHold('hold'), await verdictOnHold('screening')]).toEqual(['rejected', 'counted']);
  });

  it('rejects a row whose reading has become another one than was planned', async () => {
    await using batch = await claimed([{}]);
    const { deps, store } = batch;
    const { plan } = await planAndSign(deps, carol, 'reject');
    const row = await store.payout(plan.rows[0]?.reference ?? '');
    if (row === undefined) throw new Error('no row');
    const changed = { question: 'payout', digest: 'another payee', needed: 1 } as const;
    expect(await verdictOn(deps, row, changed)).toMatchObject({ verdict: 'rejected', by: 'carol' });
  });

  it('does not reject what is approved already, and names it', async () => {
    await using batch = await claimed(
      [{}, { amount: '5000' }],
      policyOf(PEOPLE, { approvals: [ALONE_FROM, { approvals: 1 }] }),
    );
    const { deps } = batch;
    await planAndSign(deps, bob);
    const left = await prepared(deps, asked(carol));
    expect([left.rows, left.apart.map(({ why }) => why)]).toEqual([[], ['alone']]);
    const { plan, taken } = await planAndSign(deps, carol, 'reject');
    expect(plan.apart.map(({ documentId, why }) => [documentId, why])).toEqual([['doc-1', 'approved']]);
    expect([plan.rows.length, taken]).toEqual([1, { taken: true }]);
    const again = await planAndSign(deps, dave, 'reject');
    expect(again.taken).toEqual({ refused: 'nothing is awaited' });
    expect((await prepared(deps, asked(carol, 'reject'))).rows).toEqual([]);
  });

  it('is refused when it is forged, stale, repeated, of the maker, or of another plan, and the audit has it', async () => {
    await using batch = await claimed([{}, {}]);
    const { deps, store } = batch;
    const plan = await prepared(deps, asked(bob));
    const own = signedPlan(store, bob, plan);
    const mallory = signingPerson('mallory', ['approver']);
    const now = Date.now();
    for (const [signed, why] of [
      [signedPlan(store, mallory, plan), 'the policy names no such person'],
      [{ ...own, subject: 'carol' }, 'the signature is not that of the person it names'],
      [
        { ...own, signature: signedPlan(store, mallory, plan).signature },
        'the signature is not that of the person it names',
      ],
      [signedPlan(store, maker, plan), 'the maker may not approve'],
      [signedPlan(store, bob, plan, { digest: plan.rows[0]?.digest ?? '' }), 'the digest is not the one in force'],
      [signedPlan(store, bob, plan, { reference: 'another' }), 'it is about something else'],
      [signedPlan(store, bob, plan, { question: 'bank' }), 'it is about something else'],
      [signedPlan(store, bob, plan, { storeId: 'another' }), 'it was signed for another store'],
      [signedPlan(store, bob, plan, { signedAt: now - 9_000, expiresAt: now - 1 }), 'it has expired'],
    ] as const) {
      expect(await takePlan(deps, plan, signed)).toEqual({ refused: why });
    }
    const [first, ...rest] = plan.rows;
    const swapped = { ...plan, rows: [...rest, ...(first === undefined ? [] : [first])] };
    expect(await takePlan(deps, swapped, own)).toEqual({ refused: 'the digest is not the one in force' });
    expect(await found(deps, plan, 0)).toEqual(['counted']);
    expect(await takePlan(deps, plan, own)).toEqual({ taken: true });
    expect(await takePlan(deps, plan, own)).toEqual({ refused: 'this person has decided this already' });
    expect((await store.auditEntriesOf('batch')).filter(({ action }) => action === 'approve refused')).toHaveLength(11);
  });

  it('counts only while the store shows the proof of the row, and while the person is in the policy', async () => {
    await using batch = await claimed([{}, {}]);
    const { deps, store } = batch;
    const { plan } = await planAndSign(deps, bob);
    const row = await store.payout(plan.rows[0]?.reference ?? '');
    if (row === undefined) throw new Error('no row');
    const question = { question: 'payout', digest: plan.rows[0]?.digest ?? '', needed: 1 } as const;
    const forged: Store = {
      ...store,
      plannedDecisionsOf: async (about) =>
        (await store.plannedDecisionsOf(about)).map((it) => ({ ...it, inclusion: { ...it.inclusion, index: 1 } })),
    };
    expect(await verdictOn(deps, row, question)).toMatchObject({ verdict: 'approved' });
    expect(await verdictOn({ ...deps, store: forged }, row, question)).toMatchObject({ verdict: 'counted' });
    const settings = { ...deps.settings, policy: policyOf([maker, carol]) };
    expect(await verdictOn({ ...deps, settings }, row, question)).toMatchObject({ verdict: 'counted' });
    expect(await verdictOn(deps, { ...row, batchId: 'another' }, question)).toMatchObject({ verdict: 'counted' });
  });

  it('of 10,000 rows is one signature, and to verify a row of it takes no longer than in a plan of 100', async () => {
    const [small, large] = [await costOf(100), await costOf(10_000)];
    expect(large.perRow).toBeLessThan(5 * small.perRow);
    // A hundred times for a hundred times the rows; were each row read for each other one, it would be ten thousand.
    expect(large.whole).toBeLessThan(1_000 * small.whole);
  });
});

/** CPU time to prepare and take a plan of so many rows, and then to verify one of them when nothing else runs, microseconds. */
async function costOf(count: number): Promise<{ whole: number; perRow: number }> {
  await using batch = await claimed(Array.from({ length: count }, () => ({})));
  const { deps } = batch;
  const begun = cpuTime();
  const { plan } = await planAndSign(deps, bob);
  const whole = cpuTime() - begun;
  let perRow = Number.POSITIVE_INFINITY;
  for (let n = 0; n < count; n += count / 100) {
    const at = cpuTime();
    expect(await found(deps, plan, n)).toEqual(['counted', 'bob']);
    perRow = Math.min(perRow, cpuTime() - at);
  }
  return { whole, perRow };
}

/** Other processes take time from the clock, but add nothing to this. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
