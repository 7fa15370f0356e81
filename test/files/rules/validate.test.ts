import { describe, expect, test } from 'vitest';
import type { RequiredDetailsEntry } from '../../../src/bank/schemas/beneficiaries.ts';
import type { ReadRow } from '../../../src/files/rules/read-row.ts';
import { type Validated, validateRows } from './validate-rows.ts';

type Fields = Record<string, string>;

const GOOD: Fields = {
  id: 'INV-1',
  uid: 'u-1001',
  account_id: 'acc-1',
  amount: '10.00',
  currency: 'USD',
  beneficiary_id: 'ben-1',
};
const { beneficiary_id: _, ...NO_PAYEE } = GOOD;
const NEW_PAYEE: Fields = {
  ...NO_PAYEE,
  beneficiary_type: 'personal',
  payment_type: 'local',
  account_name: 'Maria Ramirez',
  account_no: '12345678',
  address_city: 'Lima',
};

const field = (name: string, required: boolean, regex = ''): RequiredDetailsEntry['fields'][number] => ({
  field: name,
  required,
  regex,
  data_type: 'text',
});
const ENTRIES: RequiredDetailsEntry[] = [
  {
    currency: 'USD',
    beneficiary_type: 'personal',
    payment_type: 'local',
    fields: [field('account_name', true), field('account_no', true, '^[\\d ]+$'), field('address_suburb', true)],
  },
  {
    currency: 'USD',
    beneficiary_type: 'personal',
    payment_type: 'swift',
    fields: [field('account_name', true), field('iban_no', true)],
  },
];

/** As the CSV reader gives them: every row has every column. */
function validated(rows: Fields[], requiredDetails: typeof known | undefined = known): Validated {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const read: ReadRow[] = rows.map((row, index) => ({
    row: index + 1,
    line: index + 2,
    instruction: Object.fromEntries(columns.map((column) => [column, row[column] ?? ''])),
  }));
  return validateRows({
    file: 'payroll.csv',
    columns: columns.map((name) => ({ name, line: 1, row: null })),
    rows: read,
    requiredDetails,
  });
}
const known = (currency: string, type: string): RequiredDetailsEntry[] | undefined =>
  currency === 'USD' && type === 'personal' ? ENTRIES : [];

const broken = ({ findings }: Validated): (string | null)[][] => findings.map(({ column, rule }) => [column, rule]);

describe('a good row', () => {
  test('with a known beneficiary passes, blank fields left out', () => {
    const { instructions, findings } = validated([{ ...GOOD, note: '', fee_cap: ' ' }]);
    expect(findings).toEqual([]);
    expect(instructions).toEqual([{ row: 1, line: 2, instruction: GOOD }]);
  });

  test('with a new beneficiary passes, its city under either of the two names', () => {
    expect(broken(validated([NEW_PAYEE]))).toEqual([]);
  });

  test('with every optional field passes', () => {
    const options = {
      note: 'n',
      reason: 'r',
      charge_type: 'SHA',
      after_card_payment: 'order-4711',
      execute_on: '2028-02-29',
      expires_at: '2026-03-31T17:00:00.5+02:00',
      fee_cap: '0',
      max_slippage: '1',
    };
    expect(broken(validated([{ ...GOOD, ...options }]))).toEqual([]);
  });

  test('may have a twin under another id', () => {
    expect(validated([GOOD, { ...GOOD, id: 'INV-2' }]).instructions).toHaveLength(2);
  });
});

describe('the values of a row', () => {
  test.each([
    ['amount', { amount: '1.234' }, 'too-many-decimals', 'or delete the point if it separates thousands'],
    ['amount', { currency: 'JPY', amount: '10.5' }, 'too-many-decimals', 'JPY has no decimals'],
    ['amount', { amount: '1,250.00' }, 'not-a-decimal', 'digits'],
    ['amount', { amount: '-1.00' }, 'not-a-decimal', 'sign'],
    ['amount', { amount: '1e5' }, 'not-a-decimal', 'digits'],
    ['amount', { amount: '0.00' }, 'not-positive', 'above zero'],
    ['amount', { amount: '1'.repeat(19) }, 'too-large', '18 digits'],
    ['currency', { currency: 'usd' }, 'unknown-currency', 'write USD'],
    ['currency', { currency: 'USX' }, 'unknown-currency', 'ISO 4217'],
    ['id', { id: 'INV/1' }, 'bad-id', '"/"'],
    ['id', { id: 'INV-1 ' }, 'surrounding-blanks', 'TRIM'],
    ['amount', { amount: '\u00a010.00' }, 'surrounding-blanks', 'spaces'],
    ['currency', { currency: 'USD ' }, 'surrounding-blanks', 'spaces'],
    ['id', { id: 'é'.repeat(65) }, 'too-long', '128 bytes'],
    ['uid', { uid: 'u/1' }, 'bad-id', '"/"'],
    ['id', { id: 'INV\u200b1' }, 'control-character', 'invisible'],
    ['id', { id: 'INV1\u3164' }, 'control-character', 'invisible'],
    ['id', { id: 'INV\u034f1' }, 'control-character', 'invisible'],
    ['id', { id: 'INV\u28001' }, 'control-character', 'invisible'],
    ['id', { id: 'M\ufffdRZ-1' }, 'lost-letters', 'UTF-8'],
    ['note', { note: 'pay \u202eto' }, 'control-character', 'direction'],
    ['note', { note: 'bell\u0007' }, 'control-character', 'control'],
    ['note', { note: 'x'.repeat(141) }, 'too-long', '140'],
    ['account_id', { account_id: '../master' }, 'bad-id', '^['],
    ['beneficiary_id', { beneficiary_id: 'a b' }, 'bad-id', '^['],
    ['after_card_payment', { after_card_payment: 'pay 1' }, 'bad-card-payment', '64 letters'],
    ['after_card_payment', { after_card_payment: '4111111111111111' }, 'bad-card-payment', 'no card number'],
    ['charge_type', { charge_type: 'OUR' }, 'bad-charge-type', 'only SHA'],
    ['execute_on', { execute_on: '2026-02-29' }, 'bad-date', 'valid date'],
    ['execute_on', { execute_on: '31.03.2026' }, 'bad-date', 'valid date'],
    ['expires_at', { expires_at: '2026-03-31T17:00:00' }, 'bad-time', 'zone'],
    ['expires_at', { expires_at: '2026-02-30T17:00:00Z' }, 'bad-time', 'time zone'],
    ['expires_at', { expires_at: '2026-03-31T25:00:00Z' }, 'bad-time', 'time zone'],
    ['fee_cap', { fee_cap: '-1' }, 'not-a-decimal', 'plain decimal'],
    ['max_slippage', { max_slippage: '1.01' }, 'bad-fraction', '0 to 1'],
    ['max_slippage', { max_slippage: '1%' }, 'bad-fraction', '0 to 1'],
  ])('%s of %j is %s', (column, change, rule, message) => {
    const { instructions, findings } = validated([{ ...GOOD, ...change } as Fields]);
    expect(findings).toMatchObject([{ file: 'payroll.csv', line: 2, row: 1, column, rule }]);
    expect(findings[0]?.message).toContain(message);
    expect(instructions).toEqual([]);
  });

  test.each(['id', 'uid', 'account_id', 'amount', 'currency'])(
    'a missing %s is reported under its own name',
    (column) => {
      const { findings } = validated([GOOD, { ...GOOD, id: 'INV-2', [column]: '' }]);
      expect(findings).toMatchObject([{ line: 3, row: 2, column, value: null, rule: 'required' }]);
    },
  );

  test('all findings of all rows come in one pass', () => {
    const bad = { ...GOOD, amount: 'x', currency: 'usd', charge_type: 'BEN' };
    expect(broken(validated([bad, { ...GOOD, id: 'INV-2' }, { ...bad, id: 'INV-3' }]))).toHaveLength(6);
  });
});

describe('the beneficiary of a row', () => {
  test('is named once: not at all and twice are findings', () => {
    expect(broken(validated([NO_PAYEE]))).toEqual([['beneficiary_id', 'required']]);
    expect(broken(validated([{ ...NEW_PAYEE, beneficiary_id: 'ben-1' }]))).toEqual([
      ['beneficiary_id', 'beneficiary-named-twice'],
    ]);
  });

  test('needs both types beside its fields', () => {
    const { beneficiary_type: _type, payment_type: _payment, ...fields } = NEW_PAYEE;
    const rows = [NEW_PAYEE, { ...fields, id: 'INV-2' }];
    expect(broken(validated(rows))).toEqual([
      ['beneficiary_type', 'required'],
      ['payment_type', 'required'],
    ]);
  });

  test('is personal or business', () => {
    expect(broken(validated([{ ...NEW_PAYEE, beneficiary_type: 'private' }], () => undefined))).toEqual([
      ['beneficiary_type', 'bad-beneficiary-type'],
    ]);
  });

  test('breaks a regex of the bank: the finding names the regex and masks the value', () => {
    const { findings } = validated([{ ...NEW_PAYEE, account_no: 'DE1234567890' }]);
    expect(findings).toMatchObject([{ column: 'account_no', rule: 'regex', value: '***7890' }]);
    expect(findings[0]?.message).toContain('^[\\d ]+$');
  });

  test('misses a field its payment type asks for, or has one it does not', () => {
    const swift = { ...NEW_PAYEE, id: 'INV-2', payment_type: 'swift', account_no: '', address_city: '' };
    expect(broken(validated([NEW_PAYEE, swift]))).toEqual([['iban_no', 'required']]);
    expect(broken(validated([NEW_PAYEE, { ...swift, iban_no: 'X1', account_no: '1' }]))).toEqual([
      ['account_no', 'unknown-field'],
    ]);
  });

  test('names a payment type the bank offers', () => {
    const { findings } = validated([{ ...NEW_PAYEE, payment_type: 'bsb' }]);
    expect(findings).toMatchObject([{ column: 'payment_type', rule: 'payment-type-not-offered' }]);
    expect(findings[0]?.message).toContain('local, swift');
  });

  test('goes unchecked where the bank was not asked', () => {
    expect(broken(validated([{ ...NEW_PAYEE, payment_type: 'bsb' }], () => undefined))).toEqual([]);
  });
});

describe('the file as a whole', () => {
  test('holds a (uid, id) once: the later row is wrong and names the earlier line', () => {
    const { instructions, findings } = validated([GOOD, { ...GOOD, uid: 'u-2' }, { ...GOOD, amount: '11.00' }]);
    expect(findings).toMatchObject([{ line: 4, row: 3, column: 'id', value: 'INV-1', rule: 'duplicate-id' }]);
    expect(findings[0]?.message).toContain('line 2');
    expect(findings[0]?.message).not.toContain('mapping');
    expect(instructions.map(({ row }) => row)).toEqual([1, 2]);
  });

  test('of a bank message says how its transactions are distinguished', () => {
    const original = { payment: 0, endToEndId: 'SALARY', amount: '10.00', currency: 'USD' };
    const rows = [1, 2].map((row) => ({ row, line: row, instruction: GOOD, original }));
    const columns = Object.keys(GOOD).map((name) => ({ name, line: 1, row: 1 }));
    const { findings } = validateRows({ file: 'message.xml', columns, rows });
    expect(findings).toMatchObject([
      { rule: 'duplicate-id', message: expect.stringContaining('"identity": "position"') },
    ]);
  });

  test('has no column that neither we nor the bank know', () => {
    const { findings } = validated([{ ...NEW_PAYEE, nickname: 'x' }]);
    expect(findings).toContainEqual(
      expect.objectContaining({ line: 1, row: null, column: 'nickname', rule: 'unknown-column' }),
    );
    const lone = validated([{ ...GOOD, account_no: '1' }]);
    expect(broken(lone)).toEqual([['account_no', 'unknown-column']]);
    expect(lone.findings[0]?.message).toContain('add beneficiary_type and payment_type');
    expect(findings[0]?.message).toContain('that the bank asks for');
  });

  test.each([
    ['IBAN', 'iban_no'],
    ['Beneficiary Name', 'account_name'],
    ['payment_date', 'execute_on'],
    ['curency', 'currency'],
  ])('a column that other programs call %s means %s', (column, ours) => {
    const [finding] = validated([{ ...GOOD, [column]: 'x' }]).findings;
    expect(finding?.message).toContain(`Did you mean ${ours}?`.replace(/\?$/, ''));
  });

  test('may have columns without any value, as a template has of which only some rows are kept', () => {
    const { instructions, findings } = validated([{ ...GOOD, account_no: '', sort_code: ' ' }]);
    expect(findings).toEqual([]);
    expect(instructions.map(({ instruction }) => instruction)).toEqual([GOOD]);
    expect(
      broken(
        validated([
          { ...NEW_PAYEE, sort_code: '' },
          { ...NEW_PAYEE, id: 'INV-2', sort_code: 'x' },
        ]),
      ),
    ).toEqual([['sort_code', 'unknown-column']]);
    expect(broken(validated([{ ...GOOD, nickname: '' }]))).toEqual([['nickname', 'unknown-column']]);
  });

  test('of a bank message does not have its payee fields called unknown while the type of the payee is', () => {
    const unreported = { ...NO_PAYEE, account_no: '1' };
    const original = { payment: 0, endToEndId: 'INV-1', amount: '10.00', currency: 'USD' };
    const { findings } = validateRows({
      file: 'message.xml',
      columns: Object.keys(unreported).map((name) => ({ name, line: 2, row: 1 })),
      rows: [{ row: 1, line: 2, instruction: unreported, original }],
    });
    expect(findings.map(({ rule }) => rule)).not.toContain('unknown-column');
  });

  test('has no valid row once its header line is wrong', () => {
    expect(validated([{ ...GOOD, nickname: '' }]).instructions).toEqual([]);
  });

  test('of JSON has an unknown field on its row, and its other rows stay valid', () => {
    const { instructions, findings } = validateRows({
      file: 'payroll.json',
      columns: Object.keys({ ...GOOD, nickname: 'x' }).map((name) => ({ name, line: 2, row: 1 })),
      rows: [
        { row: 1, line: 2, instruction: { ...GOOD, nickname: 'Maria' } },
        { row: 2, line: 3, instruction: { ...GOOD, id: 'INV-2' } },
      ],
    });
    expect(findings).toMatchObject([{ line: 2, row: 1, column: 'nickname', value: 'M***', rule: 'unknown-column' }]);
    expect(instructions.map(({ row }) => row)).toEqual([2]);
  });

  test('has its unknown columns left alone while the bank was not asked about them', () => {
    expect(broken(validated([{ ...NEW_PAYEE, nickname: 'x' }], () => undefined))).toEqual([]);
  });

  test('names a required column the header line lacks once, not on every row', () => {
    const { amount: _amount, ...rest } = GOOD;
    const { findings, instructions } = validated([rest, { ...rest, id: 'INV-2' }]);
    expect(findings).toMatchObject([{ line: 1, row: null, column: 'amount', rule: 'missing-column' }]);
    expect(instructions).toEqual([]);
  });

  test('has no valid row where the reader found something wrong', () => {
    const columns = Object.keys(GOOD).map((name) => ({ name, line: 1, row: 1 }));
    const rows: ReadRow[] = [
      { row: 1, line: 1, instruction: GOOD, unsound: true },
      { row: 2, line: 2, instruction: { ...GOOD, id: 'INV-2', amount: 'x' }, unsound: true },
    ];
    const { instructions, findings } = validateRows({ file: 'payroll.json', columns, rows });
    expect(instructions).toEqual([]);
    expect(findings).toMatchObject([{ row: 2, column: 'amount' }]);
  });

  test('names a field that a JSON record lacks on that record', () => {
    const { findings } = validateRows({
      file: 'payroll.json',
      columns: [{ name: 'id', line: 1, row: 1 }],
      rows: [{ row: 1, line: 1, instruction: { id: 'A' } }],
    });
    expect(findings.map(({ row, column }) => [row, column])).toContainEqual([1, 'amount']);
  });

  test('says how else a payee is paid whose account the payment type does not take', () => {
    const original = { payment: 0, endToEndId: 'INV-1', amount: '10.00', currency: 'USD' };
    const instruction = { ...NEW_PAYEE, payment_type: 'swift', address_city: '' };
    const spare = ['account_no'];
    const row = { row: 1, line: 2, instruction, original, spare };
    const { findings } = validateRows({ file: 'payroll.xml', columns: [], rows: [row], requiredDetails: known });
    expect(findings).toMatchObject([
      {
        column: 'iban_no',
        rule: 'required',
        message:
          "under swift the bank asks for it, but the message has the payee's account_no; add payment_type local, address_suburb to the payee directory (--payees FILE), or ask the payee for iban_no and add it to the payee directory",
      },
    ]);
  });

  test('says what of the payee directory is in the way of the other payment type', () => {
    const original = { payment: 0, endToEndId: 'INV-1', amount: '10.00', currency: 'USD' };
    const [local, swift] = ENTRIES as [RequiredDetailsEntry, RequiredDetailsEntry];
    const entries = [local, { ...swift, fields: [...swift.fields, field('swift_code', true)] }];
    const instruction = { ...NEW_PAYEE, payment_type: 'swift', address_city: '', swift_code: 'SAMPDEFF' };
    const messageOf = (spare: string[]): string | undefined =>
      validateRows({
        file: 'payroll.xml',
        columns: [],
        rows: [{ row: 1, line: 2, instruction, original, spare }],
        requiredDetails: () => entries,
      }).findings.find(({ column }) => column === 'iban_no')?.message;
    expect(messageOf(['account_no'])).toContain('and clear swift_code there, or ask');
    expect(messageOf(['account_no', 'swift_code'])).not.toContain('clear');
  });
});
