import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { validateFile } from '../../../src/files/intake/check.ts';
import { csvOf, type Row } from '../../e2e/payout-files.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';

/** What a check without paying finds, as `row column rule`. */
async function found(proxy: FaultProxy, rows: readonly Row[], options?: { offline: boolean }): Promise<string[]> {
  const path = join(proxy.dir, 'a.csv');
  writeFileSync(path, csvOf(rows));
  const checked = await validateFile(proxy.app, path, {}, () => {}, options);
  return checked.findings.map(({ row, column, rule }) => `${row} ${column} ${rule}`);
}

const ROWS: readonly Row[] = [
  { id: '1' },
  { id: '2', account_id: 'acc-nobody' },
  { id: '3', beneficiary_id: 'ben-nobody' },
  { id: '4', beneficiary_id: 'ben-u1001-eur-local' },
];

it('checks the ids of a file at the bank, and that a payee is one for the currency that is paid', async () => {
  const proxy = await openFaultProxy();
  expect(await found(proxy, ROWS)).toEqual([
    '2 account_id account-not-found',
    '3 beneficiary_id beneficiary-not-found',
    '4 beneficiary_id beneficiary-currency',
  ]);
});

it('does not ask the bank for them offline', async () => {
  expect(await found(await openFaultProxy(), ROWS, { offline: true })).toEqual([]);
});
