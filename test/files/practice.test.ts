import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ValidFile, validateFile } from '../../src/files/intake/check.ts';
import { IntakeRefusal } from '../../src/files/intake/intake-refusal.ts';
import { openFaultProxy } from '../support/fault-proxy.ts';

/** Files as people's tools write them, which were reported to lose something without a word. */
const FOLDER = fileURLToPath(new URL('practice/', import.meta.url));

const ACCOUNTS = {
  DE12500105170648489890: { uid: 'u-1001', account_id: 'acc-u1001-eur' },
  CH5604835012345678009: { uid: 'u-1001', account_id: 'acc-u1001-chf' },
  '1234567890': { uid: 'u-1001', account_id: 'acc-u1001-usd' },
};
const PAYEES = `account,first_name,last_name,company_name,mobile,address_country,address_state,address_city,address_address1
DE89370400440532013000,,,Sample Supplier GmbH,+491700000000,,,,
123456789,Sample,Person,,+12025550100,US,NY,New York,1 Sample Street
5551,Sample,Person,,+12025550100,US,NY,New York,1 Sample Street
CH4431999123000889012,,,Sample Supplier AG,+41440000000,,,,
`;

/** What `payouts validate` says. `text` in place of what the folder has; `more` in the mapping file. */
async function validated(name: string, text?: string, more: object = {}): Promise<ValidFile | IntakeRefusal> {
  const proxy = await openFaultProxy();
  const [mapping, payees] = [join(proxy.dir, 'mapping.json'), join(proxy.dir, 'payees.csv')];
  writeFileSync(mapping, JSON.stringify({ accounts: ACCOUNTS, beneficiaryType: 'business', ...more }));
  writeFileSync(payees, PAYEES);
  const path = join(text === undefined ? FOLDER : proxy.dir, name);
  if (text !== undefined) writeFileSync(path, text);
  return validateFile(proxy, path, { mapping, payees });
}

/** A file without findings. */
async function taken(...file: Parameters<typeof validated>): Promise<ValidFile> {
  const valid = await validated(...file);
  if (valid instanceof IntakeRefusal) throw new Error(JSON.stringify(valid.findings), { cause: valid });
  return valid;
}

/** Row and rule of each finding, and what it says. */
async function findingsOf(...file: Parameters<typeof validated>): Promise<(string | number | null)[][]> {
  return (await validated(...file)).findings.map(({ row, rule, message }) => [row, rule, message]);
}

/** The warnings of a file without findings: rule, rows and what it names. */
async function warningsOf(...file: Parameters<typeof validated>): Promise<(string | number | null | undefined)[][]> {
  const valid = await taken(...file);
  return valid.warnings.map(({ rule, row, column, message }) => [
    rule,
    row,
    /for (.*); the payment/.exec(message)?.[1] ?? column,
  ]);
}

describe('a warning says', () => {
  it.each(['01-inst-block.xml', '01b-inst-transaction.xml'])('that an instant transfer is none: %s', async (name) => {
    expect(await warningsOf(name)).toContainEqual([
      'not-carried',
      1,
      'LclInstrm INST, which asks for an instant transfer',
    ]);
  });

  it('what is wrong with an IBAN or a BIC, in each row', async () => {
    expect(await warningsOf('09-bic-iban-unchecked.csv')).toEqual([
      ['not-an-iban', 1, 'iban_no'],
      ['not-an-iban', 2, 'iban_no'],
      ['bic-form', 3, 'swift_code'],
      ['bic-form', 4, 'swift_code'],
      ['bic-country', 5, 'swift_code'],
    ]);
  });

  it('that an account is a savings account', async () => {
    const savings = 'transaction code 32, which says that it is a savings account';
    expect(await warningsOf('17-nacha-savings.ach')).toContainEqual(['not-carried', 1, savings]);
  });

  it('that a payment is to be settled on the same day', async () => {
    const mark = 'company descriptive date SD1300, which asks for settlement on the same day';
    expect(await warningsOf('17b-nacha-same-day.ach')).toContainEqual(['not-carried', 1, mark]);
  });

  it('that a note has two lines', async () => {
    expect(await warningsOf('24-newline-in-note.csv')).toEqual([['line-break', 1, 'note']]);
  });
});

describe('is read', () => {
  it.each(['07-nacha-balanced.ach', '07b-nacha-offset-batch.ach'])(
    'a NACHA file with the debit that offsets its credits: %s',
    async (name) => {
      expect((await taken(name)).rows).toBe(2);
      expect(await warningsOf(name)).toContainEqual(['offset-debit', null, null]);
    },
  );

  it('a transfer with an advice, which is not carried', async () => {
    expect((await taken('15-pmtmtd-tra.xml')).rows).toBe(1);
    expect(await warningsOf('15-pmtmtd-tra.xml')).toContainEqual(['not-carried', 1, 'PmtMtd TRA (the advice)']);
  });

  it('a Swiss IBAN without BIC, by the rule that the finding proposes', async () => {
    const [[, rule, message] = [], ...others] = await findingsOf('08-swiss-iban-no-bic.xml');
    expect([rule, others]).toEqual(['no-payment-type', []]);
    const [proposed = ''] = /\{.*?\}/.exec(String(message)) ?? [];
    expect(await findingsOf('08-swiss-iban-no-bic.xml', undefined, { paymentTypes: [JSON.parse(proposed)] })).toEqual(
      [],
    );
  });

  it('a NACHA file with records whose blanks at the end were cut off', async () => {
    expect((await taken('23-nacha-blanks-cut.ach')).rows).toBe(1);
  });
});

it('a batch of another entry class is refused by row, and the others beside it are not', async () => {
  expect((await findingsOf('22-nacha-ppd-and-ctx.ach')).map(([row, rule]) => [row, rule])).toEqual([
    [2, 'unsupported-entry-class'],
  ]);
});

it('a warning names what a message says of a payee and the bank does not ask for', async () => {
  const text = readFileSync(join(FOLDER, '01-inst-block.xml'), 'utf8')
    .replaceAll('EUR', 'AUD')
    .replace(
      '<BICFI>COBADEFFXXX</BICFI>',
      '<ClrSysMmbId><ClrSysId><Cd>AUBSB</Cd></ClrSysId><MmbId>062000</MmbId></ClrSysMmbId>',
    )
    .replace('<IBAN>DE89370400440532013000</IBAN>', '<Othr><Id>12345678</Id></Othr>');
  const found = (await warningsOf('bsb.xml', text)).filter(([, , what]) => String(what).includes('such a payee'));
  const address = 'address_country, address_state, address_city, address_address1, address_postcode';
  expect(found).toEqual([['not-carried', 1, `${address} of such a payee`]]);
});
