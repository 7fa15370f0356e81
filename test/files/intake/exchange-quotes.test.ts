import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { madeDigest, payloadDigest } from '../../../src/domain/identity.ts';
import { addDecimals, isBetween } from '../../../src/domain/money.ts';
import { bindRows, boundBy, type QuotedExchange } from '../../../src/files/intake/exchange-quotes.ts';
import { claimRow } from '../../../src/files/intake/known-rows.ts';
import { StagedFile } from '../../../src/files/intake/staged-file.ts';
import { type PlannedFile, planDocument, planFile, planUnpaid } from '../../../src/files/intake/take-file.ts';
import { boundTexts } from '../../../src/reports/plan-texts.ts';
import { csvOf, type Row } from '../../e2e/payout-files.ts';
import { dearerQuotes } from '../../support/dearer-quotes.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';
import { taken } from './taken.ts';

const STOP = { invalid: 'stop' } as const;
const IN_EUR = { account_id: 'acc-u1001-eur' };
const ROWS: Row[] = [
  { id: 'plain' },
  { id: 'fx', amount: '100.00', ...IN_EUR },
  { id: 'own-cap', amount: '50.00', max_slippage: '0.1', ...IN_EUR },
];

function file({ dir }: FaultProxy, rows: readonly Row[] = ROWS): string {
  const path = join(dir, 'payroll.csv');
  writeFileSync(path, csvOf(rows));
  return path;
}

async function planned(found: ReturnType<typeof planFile>): Promise<PlannedFile> {
  const plan = await found;
  if (!('plan' in plan)) throw new Error('no plan');
  return plan;
}

const instructionsOf = ({ staged }: PlannedFile) =>
  Object.fromEntries([...staged.claims()].map(({ instruction }) => [instruction.id, instruction]));

it('a plan says of each row that sells another currency how much, and which account pays', async () => {
  const proxy = await openFaultProxy();
  using plan = await planned(planFile(proxy, file(proxy), STOP));
  const bound = { sell_currency: 'EUR', paying_account_id: 'acc-u1001-usd' };
  // The sandbox asks 138.39 euros for the 150 dollars of both.
  const { plain, fx, 'own-cap': ownCap } = instructionsOf(plan);
  expect(plain).not.toHaveProperty('max_rate');
  expect(fx).toMatchObject({ ...bound, max_rate: '0.9318260000' });
  expect(ownCap).toMatchObject({ ...bound, max_rate: '1.0148600000' });
  expect(plan.plan.exchanges).toMatchObject([
    { accountId: 'acc-u1001-eur', payingAccountId: 'acc-u1001-usd', count: 2, amount: '150.00', currency: 'USD' },
  ]);
  expect(plan.plan.exchanges[0]).toMatchObject({ sellCurrency: 'EUR', sellAtMost: '143.94' });
});

it('the payload of a row, and so the plan that was agreed to, is the same when the bank quotes otherwise', async () => {
  const proxy = await openFaultProxy();
  using before = await planned(planFile(proxy, file(proxy), STOP));
  dearerQuotes(proxy.bank);
  using now = await planned(planFile(proxy, file(proxy), STOP));
  expect(now.plan.hash).toBe(before.plan.hash);
  const [then, later] = [instructionsOf(before).fx, instructionsOf(now).fx];
  if (then === undefined || later === undefined) throw new Error('no row');
  expect(payloadDigest(later)).toBe(payloadDigest(then));
  expect(madeDigest(later)).not.toBe(madeDigest(then));
  expect(await taken(proxy, file(proxy))).toMatchObject({ outcome: 'claimed' });
  expect(await taken(proxy, file(proxy))).toMatchObject({ outcome: 'under-way' });
});

it('what was signed of an earlier plan binds, and not what the bank quotes since', async () => {
  const proxy = await openFaultProxy();
  using before = await planned(planFile(proxy, file(proxy), STOP));
  dearerQuotes(proxy.bank);
  using now = await planned(planFile(proxy, file(proxy), { ...STOP, quotes: before.quotes }));
  expect(instructionsOf(now)).toEqual(instructionsOf(before));
});

it('a row that is paid again has the bounds of its own plan', async () => {
  const proxy = await openFaultProxy();
  const taking = await taken(proxy, file(proxy));
  if (taking.outcome !== 'claimed') throw new Error(taking.outcome);
  await proxy.end(taking.batchId, 'rejected');
  dearerQuotes(proxy.bank);
  using again = await planned(planUnpaid(proxy, { batchId: taking.batchId, rows: new Set([2]) }, STOP));
  expect(instructionsOf(again).fx).toMatchObject({ max_rate: expect.stringMatching(/^1\.0/) });
});

it('a row for which the bank quotes nothing has no bound, and a column of a file is none', async () => {
  const proxy = await openFaultProxy();
  Object.assign(proxy.bank.accounts, { ofUser: async () => [] });
  using plan = await planned(planFile(proxy, file(proxy), STOP));
  expect(instructionsOf(plan).fx).not.toHaveProperty('max_rate');
  await expect(taken(proxy, file(proxy, [{ id: 'fx', max_rate: '9', ...IN_EUR }]))).rejects.toMatchObject({
    findings: [{ column: 'max_rate', rule: 'unknown-column' }],
  });
});

it('a quote of nothing, or of another user, account or currency, binds no row', () => {
  const quote: QuotedExchange = {
    ...{ uid: 'u-1', accountId: 'eur-1', sellCurrency: 'EUR', currency: 'USD', payingAccountId: 'usd-1' },
    ...{ buyAmount: '10.00', sellAmount: '9.20', rate: '0.92', maxSlippage: '0.01' },
  };
  const row = { id: 'a', uid: 'u-1', account_id: 'eur-1', amount: '10.00', currency: 'USD' };
  expect(boundBy([quote])({ ...row, max_rate: '99' })).toMatchObject({ max_rate: '0.9292000000' });
  const others: Partial<QuotedExchange>[] = [
    ...[{ uid: 'u-2' }, { accountId: 'eur-2' }, { currency: 'GBP' }],
    ...[{ sellAmount: '0' }, { buyAmount: '0.00' }],
  ];
  for (const other of others) expect(boundBy([{ ...quote, ...other }])({ ...row, max_rate: '99' })).toEqual(row);
});

/** What the dollar account holds that pays; `isStale`: a cache says so. */
function holds({ bank }: FaultProxy, balance: string, isStale = false): void {
  const { ofUser } = bank.accounts;
  bank.accounts.ofUser = async (uid) =>
    (await ofUser(uid)).map((it) => ({ ...it, balance, ...(isStale && { isStale }) }));
}

const ONCE = { ...STOP, exchange: 'per-batch' } as const;

async function takenOnce(proxy: FaultProxy, path: string): Promise<string> {
  const taking = await taken(proxy, path, { ...ONCE, invalid: 'skip' });
  if (taking.outcome !== 'claimed') throw new Error(taking.outcome);
  return taking.batchId;
}

it('one exchange buys for all rows, with their fees, and the plan says so beside one for each', async () => {
  const proxy = await openFaultProxy();
  holds(proxy, '0.00');
  using plan = await planned(planFile(proxy, file(proxy), ONCE));
  const [exchange, ...others] = plan.staged.exchanges;
  expect(others).toEqual([]);
  const { plain, fx, 'own-cap': ownCap } = instructionsOf(plan);
  expect([plain, fx, ownCap].map((row) => row?.exchanged_by)).toEqual([
    undefined,
    ...Array(2).fill(exchange?.reference),
  ]);
  const [once] = plan.plan.exchanges;
  expect(once).toMatchObject({ count: 2, currency: 'USD', once: { id: exchange?.instruction.id } });
  expect(addDecimals('150.00', once?.once?.fees ?? '')).toBe(exchange?.instruction.amount);
  const { plan: shown } = await planDocument(proxy, plan, STOP);
  const [compared] = shown.compared;
  expect(compared).toMatchObject({ id: exchange?.instruction.id, payouts: 2, quoted: 2 });
  const { once: all, each, saved } = compared ?? {};
  expect(saved).toBe(addDecimals(each?.sold ?? '', each?.fees ?? '', `-${all?.sold ?? ''}`, `-${all?.fees ?? ''}`));
});

it('a charge for each exchange is what one exchange saves', async () => {
  const proxy = await openFaultProxy();
  holds(proxy, '0.00');
  const { fxQuote } = proxy.bank.transactions;
  proxy.bank.transactions.fxQuote = async (asked) => ({ ...(await fxQuote(asked)), fee: '2.50', fee_currency: 'EUR' });
  using plan = await planned(planFile(proxy, file(proxy), ONCE));
  const { plan: shown } = await planDocument(proxy, plan, STOP);
  const [{ each, once, saved } = { each: undefined, once: undefined, saved: null }] = shown.compared;
  expect([each?.fees, once?.fees]).toEqual(['5.00', '2.50']);
  expect(isBetween(saved ?? '', '2.49', '2.52')).toBe(true);
});

it('the same rows make the same exchange in any order, and a second run of the file makes none', async () => {
  const proxy = await openFaultProxy();
  holds(proxy, '0.00');
  using forward = await planned(planFile(proxy, file(proxy), ONCE));
  using backward = await planned(planFile(proxy, file(proxy, ROWS.toReversed()), ONCE));
  expect(backward.staged.exchanges[0]?.reference).toBe(forward.staged.exchanges[0]?.reference);
  const batchId = await takenOnce(proxy, file(proxy));
  expect(await taken(proxy, file(proxy), ONCE)).toMatchObject({ outcome: 'under-way' });
  const more = [...ROWS, { id: 'late', amount: '9.00', ...IN_EUR }];
  const later = await takenOnce(proxy, file(proxy, more));
  expect((await proxy.store.exchangesOf(batchId)).map(({ reference }) => reference)).toEqual([
    forward.staged.exchanges[0]?.reference,
  ]);
  // For the new row alone.
  expect(await proxy.store.exchangesOf(later)).toMatchObject([{ instruction: { currency: 'USD' } }]);
  expect((await proxy.store.exchangesOf(later))[0]?.instruction.amount).toMatch(/^(9|1\d)\./);
});

it.each([
  ['completed', 1],
  ['processing', 1],
  ['failed', 0],
] as const)(
  'a row whose exchange for all is %s is paid again by an exchange: refused %i times',
  async (state, refused) => {
    const proxy = await openFaultProxy();
    holds(proxy, '0.00');
    const batchId = await takenOnce(proxy, file(proxy));
    await proxy.end(batchId, 'rejected');
    const [exchange] = await proxy.store.exchangesOf(batchId);
    await proxy.store.changePayout(exchange?.reference ?? '', { state, at: 2_000 });
    const again = await planUnpaid(proxy, { batchId, rows: new Set([2]) }, ONCE);
    const findings = 'findings' in again ? again.findings : [];
    expect(findings.filter(({ rule }) => rule === 'retry-exchanged')).toHaveLength(refused);
    if (Symbol.dispose in again) again[Symbol.dispose]();
  },
);

const BOUGHT: Row[] = ROWS.slice(1);

/** What is bought for 150.00 dollars and their fees, and what the plan says about it. */
async function bought(proxy: FaultProxy, rows: readonly Row[] = BOUGHT) {
  using plan = await planned(planFile(proxy, file(proxy, rows), ONCE));
  const [exchange] = plan.staged.exchanges;
  return { amount: exchange?.instruction.amount ?? '0', plan: plan.plan, instructions: instructionsOf(plan) };
}

it.each([
  ['buys the rest of what the account holds', '53.00', '53.00', BOUGHT],
  ['leaves what a payout of the file from that account needs', '53.00', '39.50', ROWS],
] as const)('one exchange %s', async (_what, balance, used, rows) => {
  const proxy = await openFaultProxy();
  holds(proxy, '0.00');
  const whole = (await bought(proxy)).amount;
  holds(proxy, balance);
  const { amount, plan } = await bought(proxy, rows);
  expect(amount).toBe(addDecimals(whole, `-${used}`));
  expect(boundTexts(plan)[0]).toContain(`; ${used} USD on the account is used`);
});

it('a row of which the account holds all makes no exchange, and may sell nothing', async () => {
  const proxy = await openFaultProxy();
  holds(proxy, '1000.00');
  const { amount, plan, instructions } = await bought(proxy);
  expect(amount).toBe('0');
  expect(boundTexts(plan)).toEqual(['Nothing is sold for 2 payouts of 150.00 USD: what is on acc-u1001-usd is used.']);
  expect(instructions.fx).toMatchObject({ sell_currency: 'EUR', max_rate: '0', paying_account_id: 'acc-u1001-usd' });
  expect(instructions.fx).not.toHaveProperty('exchanged_by');
});

it('what other open payouts of the user take from the account is not used, nor what a cache says', async () => {
  const proxy = await openFaultProxy();
  holds(proxy, '0.00');
  const whole = (await bought(proxy)).amount;
  await takenOnce(proxy, file(proxy, [{ id: 'other', amount: '40.00' }]));
  holds(proxy, '50.00');
  // 50.00 without the 40.00 and a fee.
  const { amount } = await bought(proxy);
  expect(isBetween(amount, addDecimals(whole, '-9.99'), addDecimals(whole, '-0.01'))).toBe(true);
  holds(proxy, '5000.00', true);
  expect((await bought(proxy)).amount).toBe(whole);
});

it('nothing of an account is used from which something else is sold', async () => {
  const proxy = await openFaultProxy();
  holds(proxy, '0.00');
  const whole = (await bought(proxy)).amount;
  holds(proxy, '1000.00');
  expect(
    (
      await bought(proxy, [
        ...BOUGHT,
        { id: 'gbp', amount: '5.00', currency: 'GBP', beneficiary_id: 'ben-u1001-gbp-local' },
      ])
    ).amount,
  ).toBe(whole);
});

it('what a gateway says of fees and balances makes no exchange larger than its rows bound it', async () => {
  const row = { id: 'a', uid: 'u-1', account_id: 'eur-1', amount: '10.00', currency: 'USD', beneficiary_id: 'ben' };
  const boundFor = async (perBatch: Partial<QuotedExchange['perBatch']>) => {
    using staged = new StagedFile();
    staged.claim(claimRow({ row: 1, instruction: row }));
    const about = { fees: '0', held: '0', fee: '0', feeCurrency: 'EUR', ...perBatch };
    await bindRows(staged, [
      {
        ...{ uid: 'u-1', accountId: 'eur-1', sellCurrency: 'EUR', currency: 'USD', payingAccountId: 'usd-1' },
        ...{ buyAmount: '10.00', sellAmount: '9.20', rate: '0.92', maxSlippage: '0.01', perBatch: about },
      },
    ]);
    return staged.exchanges.map(({ instruction }) => instruction.amount);
  };
  expect(await boundFor({ fees: '2.00' })).toEqual(['12.00']);
  expect(await boundFor({ fees: '1000000' })).toEqual(['20.00']);
  expect(await boundFor({ held: '4.00' })).toEqual(['6.00']);
  expect(await boundFor({ held: '4000' })).toEqual([]);
});
