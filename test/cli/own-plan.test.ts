import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { assertPlanOf, rowsHere } from '../../src/cli/run.ts';
import { madeDigest, referenceOf } from '../../src/domain/identity.ts';
import { boundBy, type QuotedExchange } from '../../src/files/intake/exchange-quotes.ts';
import { claimRow } from '../../src/files/intake/known-rows.ts';
import { planOf } from '../../src/files/intake/plan.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { fakeSession } from '../support/fake-session.ts';
import { newFolder } from '../support/new-folder.ts';

const ROWS = ['1.00', '2.00'].map((amount, index) => ({
  ...{ id: `A-${index + 1}`, uid: 'u-1', account_id: 'acc', amount, currency: 'EUR', beneficiary_id: 'ben' },
}));
const paidAgain = (retryOf: string) => ROWS.map((row, index) => ({ ...row, retry_of: index === 0 ? '' : retryOf }));
const [first, second] = ROWS.map((instruction, index) => claimRow({ row: index + 1, instruction }));
const again = claimRow({ row: 2, instruction: ROWS[1] as never, generation: 1 });

async function claimsOf(rows: readonly object[]) {
  const folder = newFolder();
  const file = join(folder, 'payroll.csv');
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))].map((it) => it.join(','));
  writeFileSync(file, `${lines.join('\n')}\n`);
  using own = await rowsHere(fakeSession({ config: loadConfig({}) }), file, {});
  return [...(own?.claims() ?? [])];
}

type Claims = Awaited<ReturnType<typeof claimsOf>>;

/** Whether a gateway may say that these rows are what it will pay of the claims. */
async function isPlanOf(named: readonly (Claims[0] | undefined)[], claims: Claims): Promise<boolean> {
  const rows = named.flatMap((claim) => claim ?? []).sort((a, b) => (a.reference < b.reference ? -1 : 1));
  const days = { today: '', calendar: undefined };
  const alikes = { lookAlikes: { count: 0, rows: [] }, elsewhere: null, alikes: { count: 0, held: 0, groups: [] } };
  const plan = await planOf('payroll.csv', rows, alikes, days);
  const planned = rows.map(({ reference, instruction }) => ({ reference, digest: madeDigest(instruction) }));
  return assertPlanOf(plan, planned, claims).then(
    () => true,
    ({ code }) => (code === 'plan-differs' ? false : Promise.reject(new Error(code))),
  );
}

it.each([
  ['all rows', [first, second]],
  ['some of them', [second]],
])('takes a plan of %s of the file', async (_what, named) => {
  expect(await isPlanOf(named, await claimsOf(ROWS))).toBe(true);
});

it('pays a row again only if the file says after which payout', async () => {
  const claims = await claimsOf(paidAgain(second?.reference ?? ''));
  expect(await isPlanOf([first, again], claims)).toBe(true);
  expect(await isPlanOf([first, second], claims)).toBe(false);
  expect(await isPlanOf([first, again], await claimsOf(ROWS))).toBe(false);
});

it.each([
  ['another document', referenceOf('u-1', 'A-1')],
  ['the exchange of the document', referenceOf('u-1', 'A-2', 'exchange')],
])('pays no row again after %s', async (_what, retryOf) => {
  expect(await isPlanOf([again], await claimsOf(paidAgain(retryOf)))).toBe(false);
});

it('knows of two rows with one id the first', async () => {
  const claims = await claimsOf([...ROWS, { ...ROWS[0], amount: '9.00' }]);
  expect(claims).toHaveLength(2);
  expect(await isPlanOf([first, second], claims)).toBe(true);
});

it('leaves rows that lack something to the findings of the gateway', async () => {
  expect(
    await claimsOf([
      { ...ROWS[0], amount: '' },
      { ...ROWS[1], uid: ' ' },
    ]),
  ).toEqual([]);
});

it('knows what its rows may sell by the quotes that it shows, and takes no other bound', async () => {
  const quote = {
    ...{ uid: 'u-1', accountId: 'acc', sellCurrency: 'USD', currency: 'EUR', payingAccountId: 'acc-eur' },
    ...{ buyAmount: '3.00', sellAmount: '3.30', rate: '1.1', maxSlippage: '0.01' },
  };
  const bound = (quotes: QuotedExchange[]) => (claim: Claims[0]) => ({
    ...claim,
    instruction: boundBy(quotes)(claim.instruction),
  });
  const own = (await claimsOf(ROWS)).map(bound([quote]));
  const named = (quotes: QuotedExchange[]) => [first, second].flatMap((it) => it ?? []).map(bound(quotes));
  expect(await isPlanOf(named([quote]), own)).toBe(true);
  expect(await isPlanOf(named([{ ...quote, sellAmount: '3.40' }]), own)).toBe(false);
  expect(await isPlanOf(named([{ ...quote, payingAccountId: 'acc-other' }]), own)).toBe(false);
  expect(await isPlanOf(named([]), own)).toBe(false);
});
