import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { type CommandHome, openCommandHome, QUICK } from '../support/command.ts';
import { PAYEE_FIELDS } from '../support/payee.ts';
import { errorOf } from './documents.ts';
import { csvOf } from './payout-files.ts';

const NEW_PAYEE = { ...PAYEE_FIELDS, beneficiary_id: '', account_no: '123456789' };
const GOOD = { id: 'GOOD-1' };
const TWO_HUNDRED_MB_LINE = Buffer.concat([Buffer.from(csvOf([GOOD])), Buffer.alloc(200 * 1024 * 1024, 'a')]);

type BadFile = [what: string, name: string, contents: string | Uint8Array, findings: object[]];

const BAD_FILES: BadFile[] = [
  [
    'decimals that the currencies do not have',
    'scale.csv',
    csvOf([
      { id: 'A', currency: 'JPY', amount: '10.5', account_id: 'acc-u1001-jpy', beneficiary_id: 'ben-u1001-jpy-local' },
      { id: 'B' },
      { id: 'C', amount: '1.234' },
    ]),
    [
      { line: 2, row: 1, column: 'amount', value: '10.5', rule: 'too-many-decimals' },
      { line: 4, row: 3, column: 'amount', value: '1.234', rule: 'too-many-decimals' },
    ],
  ],
  [
    'an unknown column',
    'column.csv',
    csvOf([{ ...GOOD, colour: 'blue' }]),
    [{ line: 1, row: null, column: 'colour', value: null, rule: 'unknown-column' }],
  ],
  [
    'an id twice',
    'twice.csv',
    csvOf([GOOD, { id: 'GOOD-2' }, { ...GOOD, amount: '99.00' }]),
    [{ line: 4, row: 3, column: 'id', value: 'GOOD-1', rule: 'duplicate-id' }],
  ],
  [
    "a value that breaks the bank's pattern",
    'pattern.csv',
    csvOf([
      { id: 'A', ...NEW_PAYEE },
      { id: 'B', ...NEW_PAYEE, aba_routing_code: 'abc' },
    ]),
    [{ line: 3, row: 2, column: 'aba_routing_code', rule: 'regex' }],
  ],
  ['nothing at all', 'empty.csv', '', [{ line: 1, row: null, column: null, value: null, rule: 'no-rows' }]],
  [
    'a header and no row',
    'header.csv',
    'id,uid,account_id,amount,currency,beneficiary_id\n',
    [{ line: 1, row: null, rule: 'no-rows' }],
  ],
  [
    'Latin-1 bytes',
    'latin1.csv',
    Buffer.from(csvOf([GOOD, { id: 'B', note: 'Z\u00fcrich' }]), 'latin1'),
    [{ line: 3, row: null, rule: 'not-utf8' }],
  ],
  ['a line of 200 MB', 'long.csv', TWO_HUNDRED_MB_LINE, [{ line: 3, row: null, rule: 'record-too-large' }]],
  [
    'a missing value',
    'missing.csv',
    csvOf([GOOD, { id: 'B', amount: '' }]),
    [{ line: 3, row: 2, column: 'amount', value: null, rule: 'required' }],
  ],
  [
    'JSON with a number for an amount',
    'number.json',
    '[{"id":"A","uid":"u-1001","account_id":"acc-u1001-usd","amount":12.5,"currency":"USD","beneficiary_id":"ben-u1001-usd-local"}]',
    [{ line: 1, row: 1, column: 'amount' }],
  ],
];

let home: CommandHome;

beforeAll(() => {
  home = openCommandHome(QUICK, { pays: false });
});

afterAll(() => home.close());

describe('a bad file', () => {
  it.each(BAD_FILES)(
    'ends `validate` and `run` with 3 and the same findings: %s',
    async (_what, name, bytes, found) => {
      const file = home.file(name, bytes);
      const validated = await home.payouts('validate', file, '--json');
      expect(validated.code).toBe(3);
      expect(errorOf(validated).findings).toMatchObject(found.map((finding) => ({ file: name, ...finding })));

      const run = await home.payouts('run', file, '--yes', '--json');
      expect(run.code).toBe(3);
      expect(errorOf(run).findings).toEqual(errorOf(validated).findings);
      await expectNothingSent();
    },
  );

  it('is shown to people as one line a finding on stderr, with nothing on stdout', async () => {
    const { code, stdout, stderr } = await home.payouts('validate', home.file('bad.csv', csvOf([{ id: 'a/b' }])));
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^bad\.csv:2 id "a\/b" bad-id: /m);
  });

  it('never shows an account number or a name of a payee', async () => {
    const row = { id: 'A', ...NEW_PAYEE, aba_routing_code: '9999-secret', last_name: 'Unshown\u0007' };
    const { code, stdout, stderr } = await home.payouts('validate', home.file('secret.csv', csvOf([row])), '--json');
    expect(code).toBe(3);
    expect(stdout + stderr).not.toMatch(/9999-secret|Unshown/);
  });
});

describe('what is refused before anything is booted', () => {
  it('no terminal and no --yes', async () => {
    const ended = await home.payouts('run', home.file('good.csv', csvOf([GOOD])), '--json');
    expect(ended.code).toBe(2);
    expect(errorOf(ended).error).toMatchObject({ code: 'confirmation-needed', hint: expect.stringContaining('--yes') });
    await expectNothingSent();
  });

  it('--detach without a stack that stays up', async () => {
    const ended = await home.payouts('run', home.file('good.csv', csvOf([GOOD])), '--yes', '--detach', '--json');
    expect(ended.code).toBe(2);
    expect(errorOf(ended).error.hint).toContain('payouts dev');
    await expectNothingSent();
  });

  it.each([
    ['a file that is not there', 'run', 'nowhere.csv', '--yes'],
    ['an unknown command', 'pay', 'payroll.csv'],
    ['an unknown option', 'run', 'payroll.csv', '--force'],
    ['a duration without a unit', 'run', 'payroll.csv', '--timeout', '90'],
    ['an unknown way with invalid rows', 'run', 'payroll.csv', '--invalid', 'maybe'],
  ])('%s', async (_what, ...args) => {
    const ended = await home.payouts(...args, '--json');
    expect(ended.code).toBe(2);
    expect(errorOf(ended).error.message).not.toBe('');
  });

  it('a rejection without a remark', async () => {
    const ended = await home.payouts('reject', 'any-id', '--yes', '--json');
    expect(ended.code).toBe(2);
    expect(errorOf(ended).error.code).toBe('remark-missing');
  });
});

describe('a dry run', () => {
  it('shows the plan and ends 0 with nothing sent', async () => {
    const file = home.file('plan.csv', csvOf([GOOD, { id: 'B', amount: '7.5' }]));
    const ended = await home.payouts('run', file, '--dry-run', '--json');
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout).plan).toMatchObject({
      payouts: 2,
      totals: [{ currency: 'USD', count: 2, amount: '20.00' }],
    });
    await expectNothingSent();
  });
});

/** No bank was booted, no Temporal server, and no row was claimed. */
async function expectNothingSent(): Promise<void> {
  expect(existsSync(join(home.path, 'sandbox.sqlite'))).toBe(false);
  expect(existsSync(join(home.path, 'temporal.sqlite'))).toBe(false);
  const store = await openStore(home.storeUrl);
  expect(await store.batches(1)).toEqual([]);
  await store.close();
}
