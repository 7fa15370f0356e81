import { expect, it, onTestFinished, vi } from 'vitest';
import type { Assessment } from '../../src/domain/gates.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import { because } from '../../src/domain/reasons.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { batchReport } from '../../src/reports/batch-report.ts';
import { nextStep } from '../../src/reports/next-step.ts';
import { reportSource, stepContext } from '../../src/reports/report-source.ts';
import { jsonReport, reportPaths } from '../../src/reports/write-reports.ts';
import { claimRowsOf } from '../files/intake/rows.ts';
import { payoutClaim } from '../store/samples.ts';
import { newStore } from '../support/empty-store.ts';
import { policyOf, signedBy, signingPerson } from '../support/people.ts';

const ui = { url: 'http://127.0.0.1:1', namespace: 'default' };
const bob = signingPerson('bob', ['approver']);
const POLICY = policyOf([bob, signingPerson('carol', ['approver'])]);
const READ: Assessment = { digest: 'paid', approvalsNeeded: 2, payingAccountId: 'acc-paying' };

/** What the report says of rows that the store claims, and all else that it receives about them. */
async function claimed(...rows: Parameters<typeof claimRowsOf>) {
  const store = await newStore();
  const loaded = loadConfig({ PAYOUTS_HOME: '/nowhere' });
  const config = { ...loaded, settings: { ...loaded.settings, policy: POLICY } };
  const claims = claimRowsOf(...rows);
  await store.claimBatch({ batchId: 'b-1', file: 'a.csv', sha256: 'x', by: 'alice', rows: claims, at: 1_000 });
  const references = claims.map(({ reference }) => reference);
  return {
    store,
    references,
    async report(now?: () => number) {
      const batch = await store.batch('b-1');
      if (batch === undefined) throw new Error('no batch');
      const more = { reports: reportPaths('/nowhere', batch), isMasked: false, ...(now && { now }) };
      const source = reportSource({ config, store, ui }, batch, more);
      return JSON.parse((await Array.fromAsync(jsonReport(batch, batchReport(source)))).join(''));
    },
  };
}

it('names who approved what was read last, and who approved its order at the bank, and nobody else', async () => {
  const { store, references, report } = await claimed({ id: 'a' });
  const [reference = ''] = references;
  await store.recordAssessment({ reference, term: 0 }, READ, 1_500);
  for (const [digest, by] of [
    ['before', 'mallory'],
    ['paid', 'bob'],
  ] as const)
    await store.recordApprovals({ reference, digest, by: [by], at: 2_000 });
  const action = 'approve at the bank';
  await store.audit({ at: 3_000, actor: 'carol', action, subject: reference, detail: { orderId: 'o-1' } });
  const [payout] = (await report()).payouts;
  expect(payout).toMatchObject({
    maker: 'alice',
    payingAccountId: 'acc-paying',
    approvals: [
      { by: 'bob', at: '1970-01-01T00:00:02.000Z', where: 'before-submit' },
      { by: 'carol', at: '1970-01-01T00:00:03.000Z', where: 'at-bank' },
    ],
  });
});

it('names a payee that the row gives by its id as the bank showed it last', async () => {
  const { store, report } = await claimed({ id: 'a', beneficiary_id: 'ben-1' }, { id: 'b', beneficiary_id: 'ben-2' });
  const seen = { digest: 'd', country: null, items: {}, seenAt: 1 };
  const name = { name: 'Acme Trading', asShown: 'acme', inSmall: 'acme' };
  await store.notePayee({ ...seen, uid: 'u-1001', payeeId: 'ben-1', name });
  await store.notePayee({ ...seen, uid: 'somebody-else', payeeId: 'ben-2', name });
  expect((await report()).payouts.map(({ payee }: { payee: unknown }) => payee)).toEqual([
    { name: 'Acme Trading', account: null, beneficiaryId: 'ben-1' },
    { name: null, account: null, beneficiaryId: 'ben-2' },
  ]);
});

it('says when a payment was first sent, without attempts that never left', async () => {
  const { store, references, report } = await claimed({ id: 'a' });
  const [reference = ''] = references;
  const attempt = { reference, runId: 'r', activityId: '1' };
  await store.recordAttempt({ ...attempt, attempt: 1, sentAt: 5_000 });
  await store.finishAttempt(reference, 1, { outcome: 'not-sent' });
  expect((await report()).payouts[0]).toMatchObject({ submittedAt: null, settledAt: null });
  await store.recordAttempt({ ...attempt, attempt: 2, sentAt: 6_000 });
  await store.changePayout(reference, { state: 'completed', at: 7_000 });
  expect((await report()).payouts[0]).toMatchObject({
    handedOverAt: '1970-01-01T00:00:01.000Z',
    submittedAt: '1970-01-01T00:00:06.000Z',
    settledAt: '1970-01-01T00:00:07.000Z',
    open: null,
  });
});

it('no clock changes who has approved so far, but for a report that is asked as of now', async () => {
  const { store, references, report } = await claimed({ id: 'a' });
  const [reference = ''] = references;
  await store.recordAssessment({ reference, term: 0 }, READ, 1_500);
  await store.changePayout(reference, { state: 'awaiting-approval', at: 1_600 });
  const about = { storeId: store.id, question: 'payout', reference, digest: 'paid' } as const;
  expect(await store.takeSignedDecision(signedBy(bob, about), Date.now())).toBe(true);
  const first = await report();
  expect(first.payouts[0].open.who).toBe('carol (bob has approved)');
  vi.useFakeTimers({ now: Date.now() + 86_400_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await report()).toEqual(first);
  expect((await report(Date.now)).payouts[0].open.who).toBe('bob or carol');
});

it('a payout that ended unpaid after its exchange is reported with where the money is, and no retry that is refused', async () => {
  const store = await newStore();
  const endedAs = async (id: string, state: PayoutState, isExchanged: boolean) => {
    const { reference } = (await store.claimPayout(payoutClaim(id))).record;
    const booked = { soldAmount: '9.09', soldCurrency: 'EUR', boughtAmount: '10.00', boughtCurrency: 'USD' };
    const rest = { orderId: `fx-${id}`, rate: null, fee: null, feeCurrency: null, seenAt: 1 };
    if (isExchanged) await store.recordBookedExchange({ reference, ...booked, ...rest });
    const reason = state === 'completed' ? null : because('bank-failed');
    await store.changePayout(reference, { state, reason, orderId: `o-${id}`, at: 2 });
    return reference;
  };
  const unpaid = await endedAs('unpaid', 'failed', true);
  const plain = await endedAs('plain', 'failed', false);
  const paid = await endedAs('paid', 'completed', true);
  const rows = await store.payoutsOf([unpaid, plain, paid]);
  const config = loadConfig({});
  const context = await stepContext({ config, settings: config.settings, store, now: Date.now }, rows);
  expect(context.exchanged).toEqual(new Set([unpaid]));
  const todoOf = (reference: string) => {
    const row = rows.find((it) => it.reference === reference);
    return row && nextStep(row, context)?.todo;
  };
  expect(todoOf(unpaid)).toContain('exchange_bought_to');
  expect(todoOf(plain)).not.toContain('exchange_bought_to');
});
