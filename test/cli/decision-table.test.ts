import { beforeEach, expect, it } from 'vitest';
import { checkOf, checksShown } from '../../src/activities/payee-checks.ts';
import { bothSidesText, decisionTable, verdictsText } from '../../src/cli/decision-texts.ts';
import type { Assessment } from '../../src/domain/gates.ts';
import { bothSides } from '../../src/reports/comparison.ts';
import type { KeptCheck, PayoutRecord, Store } from '../../src/store/store.ts';
import { record } from '../reports/records.ts';
import { batchClaim, claimRow, instruction } from '../store/samples.ts';
import { newStore } from '../support/empty-store.ts';

const WIDE = Number.POSITIVE_INFINITY;
let store: Store;
beforeEach(async () => {
  store = await newStore();
});

const asWaiting = (row: PayoutRecord) => ({ row, payee: undefined });

it('shows kinds, totals by currency, accounts, payees in full, makers and flags', () => {
  const assessed = { flags: ['new-payee'] } as unknown as Assessment;
  const text = decisionTable(
    [
      record(1, 'held', { amount: '1200.00', assessed }, 'look-alike'),
      record(2, 'held', { amount: '300.50' }, 'look-alike'),
      record(3, 'awaiting-approval', { currency: 'JPY', amount: '5000', by: 'bob' }, 'approval-required'),
    ].map(asWaiting),
  );
  expect(text).toMatch(/^look-alike +2 +1,500\.50 EUR +same payee/m);
  expect(text).toMatch(/^approval-required +1 +5,000 JPY/m);
  expect(text).toMatch(/^total +1,500\.50 EUR, 5,000 JPY$/m);
  expect(text).toMatch(/^from +acc-1$/m);
  expect(text).toMatch(/^maker +maria, bob$/m);
  expect(text).toMatch(/^flags +new payee \(1\)$/m);
  expect(text).toMatch(/Ramirez.*99887766/);
  expect(text).not.toContain('accepts nothing');
});

it.each(['account-frozen', 'beneficiary-changed', 'switched-off'] as const)(
  'says that approving %s only checks again, and not so of a rejection',
  (code) => {
    const rows = [record(1, 'held', {}, code)].map(asWaiting);
    expect(decisionTable(rows)).toContain(`Approving ${code} accepts nothing: the bank is checked again`);
    expect(decisionTable(rows, 'reject')).not.toContain('accepts nothing');
  },
);

it('shows a look-alike beside the earlier payout, and where they differ', async () => {
  await store.claimBatch(batchClaim('01890000-0000-7000-8000-000000000001', ['OLD-1']));
  const earlier = claimRow(1, 'OLD-1');
  const row = record(1, 'held', { lookAlikeOf: earlier.reference, amount: '10.50', currency: 'USD' }, 'look-alike');
  const sides = { store, settings: { clockSkewMs: 0 } };
  const text = bothSidesText(await bothSides(sides, row), WIDE);
  expect(text).toMatch(/^document +INV-1 +OLD-1$/m);
  expect(text).toMatch(/^by +\S+ +\S+ +differs$/m);
  expect(text).toMatch(/^amount +10\.50 USD +10\.50 USD$/m);
  expect(text).toContain('99887766');
  expect(bothSidesText(await bothSides({ ...sides, isMasked: true }, row), WIDE)).not.toMatch(/Ramirez|99887766/);
});

it('shows a changed payee as the instruction and as the bank has it, masked for those who do not decide', async () => {
  const assessed = { beneficiary: { known: true, id: 'ben-1', digest: '' } } as unknown as Assessment;
  const row = record(1, 'held', { assessed }, 'beneficiary-changed');
  const items = { account_name: 'Ramirez', account_no: '11112222' };
  const bank = { beneficiaries: { get: async () => ({ id: 'ben-1', items }) } } as never;
  const sides = { store, bank, settings: { clockSkewMs: 0 } };
  const masked = bothSidesText(await bothSides({ ...sides, isMasked: true }, row), WIDE);
  expect(masked).toMatch(/^account_name +R\*\*\* +R\*\*\*$/m);
  expect(masked).toMatch(/^account_no +\*\*\*66 +\*\*\*22 +differs$/m);
  expect(bothSidesText(await bothSides(sides, row), WIDE)).toMatch(/^account_no +99887766 +11112222 +differs$/m);
});

it('shows a payee named by its id as it was before it was changed, and as it is', async () => {
  const { instruction: given } = record(1, 'held');
  const row = record(1, 'held', { instruction: { ...given, beneficiary_id: 'ben-1' } }, 'beneficiary-changed');
  const bank = { beneficiaries: { get: async () => ({ id: 'ben-1', items: { account_no: '2222' } }) } } as never;
  const shown = async () => bothSidesText(await bothSides({ store, bank, settings: { clockSkewMs: 0 } }, row), WIDE);
  expect(await shown()).toContain('Nothing is kept of what the bank showed before.');
  const seen = { uid: row.uid, payeeId: 'ben-1', country: null };
  await store.notePayee({ ...seen, digest: 'a', items: { account_no: '1111' }, seenAt: 1 });
  await store.notePayee({ ...seen, digest: 'b', items: { account_no: '2222' }, seenAt: 2 });
  expect(await shown()).toMatch(/^of each +before +bank now +same\?\n.*\naccount_no +1111 +2222 +differs$/m);
});

it('shows the names of a close match in clear, and those of no other row', async () => {
  const held = record(1, 'held', {}, 'payee-close-match');
  const kept: KeptCheck = {
    uid: held.uid,
    kind: 'verification',
    provider: 'p',
    payee: 'd',
    verdict: 'close-match',
    name: 'Jane Roe',
    otherName: 'Jane Rowe',
    caseId: null,
    why: null,
    askedAt: 0,
  };
  const assessed = { checks: [checkOf(kept)] } as unknown as Assessment;
  await store.notePayeeCheck(kept, 'ref-1');
  const alike = record(2, 'held', { assessed }, 'look-alike');
  const waiting = await Promise.all(
    [{ ...held, assessed }, alike].map(async (row) => ({ row, checks: await checksShown(store, row) })),
  );
  expect(verdictsText(waiting, WIDE)).toMatch(
    /^INV-1 \(.*\): close match: the payee is "Jane Roe", the account is held under "Jane Rowe" \(p, 1970-01-01 00:00 UTC\)$/,
  );
});

const asking = (kind: PayoutRecord['kind'], more: Partial<PayoutRecord>): PayoutRecord =>
  ({
    kind,
    documentId: 'MOVE-1',
    reference: 'r'.repeat(36),
    instruction: instruction('MOVE-1', {
      ...{ account_id: 'eur-1', to_account_id: 'usd-2', amount: '1000.00', currency: 'USD' },
      beneficiary_id: undefined,
    }),
    state: 'awaiting-approval',
    reason: { code: 'approval-required', message: '' },
    lookAlikeOf: null,
    assessed: null,
    ...more,
  }) as PayoutRecord;

it('a transfer and an exchange are decided on by both accounts, an exchange by what it sells as well', () => {
  const exchange = { quotedSellAmount: '920.00', sellCurrency: 'EUR' };
  const assessed = { digest: 'd', approvalsNeeded: 1, exchange } as PayoutRecord['assessed'];
  const lineOf = (row: PayoutRecord): string | undefined =>
    decisionTable([asWaiting(row)])
      .split('\n')
      .at(-1);
  expect(lineOf(asking('transfer', {}))).toMatch(/MOVE-1 +r+ +1,000\.00 USD +eur-1 +usd-2$/);
  expect(lineOf(asking('exchange', { assessed }))).toMatch(/MOVE-1 +r+ +1,000\.00 USD for 920\.00 EUR +eur-1 +usd-2/);
  expect(lineOf(asking('payout', { assessed }))).toMatch(/MOVE-1 +r+ +1,000\.00 USD +eur-1/);
});
