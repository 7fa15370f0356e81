import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { madeDigest, payloadDigest } from '../../../src/domain/identity.ts';
import { boundBy, type QuotedExchange } from '../../../src/files/intake/exchange-quotes.ts';
import { type PlannedFile, planFile, planUnpaid } from '../../../src/files/intake/take-file.ts';
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
