import { describe, expect, it } from 'vitest';
import { readCsv } from '../../src/files/csv/read-csv.ts';
import { readJson } from '../../src/files/json/read-json.ts';
import { RULES } from '../../src/files/rules/rules.ts';
import { TABLE_FIELDS, type TableField } from '../../src/files/table-fields.ts';
import { readXlsx } from '../../src/files/xlsx/read-xlsx.ts';
import { bytesOf } from './bytes.ts';
import { collected } from './collected.ts';
import { validateRows } from './rules/validate-rows.ts';
import { workbook } from './xlsx/sample-workbook.ts';

const ROW = { id: 'A', uid: 'u-1', account_id: 'acc-1', amount: '1.00', currency: 'USD', beneficiary_id: 'ben-1' };
const { beneficiary_id: _, ...WITHOUT_PAYEE } = ROW;
const PAYEE = { ...WITHOUT_PAYEE, beneficiary_type: 'personal', payment_type: 'local' };
type Row = Readonly<Record<string, unknown>>;

const csv = (row: Row, more = '', header = ''): string =>
  `${Object.keys(row).join(',')}${header}\n${Object.values(row).join(',')}${more}\n`;
const json = (row: Row): string => JSON.stringify([row]);
type Sheets = NonNullable<Parameters<typeof workbook>[0]['sheets']>;
type Cells = Exclude<Sheets[number]['rows'], string>;
const sheetOf = (row: Row, ...more: Cells[number]): Cells => [
  Object.keys(row),
  [...(Object.values(row) as Cells[number]), ...more],
];
const xlsx = (rows: Sheets[number]['rows'], rest: Partial<Sheets[number]> = {}, ...others: Sheets) =>
  workbook({ sheets: [{ rows, ...rest }, ...others], formats: ['00000', 14] });
const withCell = (xml: string) =>
  xlsx([
    [...Object.keys(ROW), 'note'],
    [...Object.values(ROW), { xml }],
  ]);
/** Rows with attributes of their own, by the texts of their cells. */
const rowsOf = (hidden: string) =>
  [Object.keys(ROW), Object.values(ROW)]
    .map((texts, index) => {
      const cells = texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`);
      return `<row r="${index + 1}"${index === 0 ? '' : hidden}>${cells.join('')}</row>`;
    })
    .join('');
const RELATED = 'http://schemas.openxmlformats.org/package/2006/relationships';
const COMMENTS = `<Relationships xmlns="${RELATED}"><Relationship Id="rId1" Type="x/comments" Target="../comments1.xml"/></Relationships>`;

/** Files that have the content, and what becomes of it: a rule, or a value that is carried. */
type Sample = [content: string | Buffer, becomes: string | Row];

const SAMPLES: Readonly<Record<keyof typeof TABLE_FIELDS, readonly Sample[]>> = {
  ours: [
    [csv(ROW), ROW],
    [json(ROW), ROW],
    [xlsx(sheetOf(ROW)), ROW],
  ],
  payee: [
    [csv({ ...PAYEE, account_no: '12', address_city: 'Oslo' }), { account_no: '12' }],
    [csv({ ...PAYEE, account_no: 'x', address_city: 'Oslo' }), 'regex'],
    [csv({ ...PAYEE, account_no: '', address_city: 'Oslo' }), 'required'],
    [csv({ ...PAYEE, account_no: '12', address_city: 'Oslo', country: 'Norway' }), 'country'],
    [csv({ ...PAYEE, account_no: '12', address_city: 'Oslo', address_suburb: 'Moss' }), 'conflicting-fields'],
    [csv({ ...PAYEE, payment_type: 'swift', swift_code: 'NOXX', account_no: '12' }), 'unknown-field'],
  ],
  spare: [[csv({ ...ROW, iban_no: '' }), ROW]],
  other: [
    [csv({ ...ROW, colour: 'red' }), 'unknown-column'],
    [json({ ...ROW, colour: 'red' }), 'unknown-column'],
    [xlsx(sheetOf({ ...ROW, colour: 'red' })), 'unknown-column'],
  ],
  twice: [
    [csv(ROW, ',B', ',id'), 'duplicate-column'],
    [json(ROW).replace('}', ',"id":"B"}'), 'duplicate-column'],
  ],
  unnamed: [[csv(ROW, ',B', ','), 'bad-column-name']],
  blankLine: [[`${csv(ROW)},,,,,\n`, 'blank-row']],
  surplus: [[csv(ROW, ',B'), 'wrong-field-count']],
  besidePayouts: [[JSON.stringify({ payouts: [ROW], approved: true }), 'unexpected-key']],
  nested: [[json({ ...ROW, note: ['x'] }), 'nested-value']],
  notText: [
    [json({ ...ROW, note: 7 }), 'not-a-string'],
    [json({ ...ROW, amount: 7 }), 'amount-not-a-string'],
  ],
  none: [[json({ ...ROW, note: null }), ROW]],
  number: [[withCell('<c {ref}><v>33.333</v></c>'), { note: '33.333' }]],
  longNumber: [[withCell('<c {ref}><v>1234567890123450</v></c>'), 'lost-digits']],
  zeros: [[withCell('<c {ref} s="1"><v>7</v></c>'), { note: '00007' }]],
  date: [[withCell('<c {ref} s="2"><v>46112</v></c>'), { note: '2026-03-31' }]],
  formula: [
    [withCell('<c {ref}><f>1+1</f><v>2</v></c>'), { note: '2' }],
    [withCell('<c {ref}><f>1+1</f></c>'), 'formula-without-value'],
    [withCell('<c {ref} t="e"><f>1/0</f><v>#DIV/0!</v></c>'), 'cell-error'],
  ],
  merged: [[xlsx(sheetOf(ROW), { after: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>' }), 'merged-cells']],
  surplusCell: [[xlsx(sheetOf(ROW, 'x')), 'wrong-field-count']],
  hiddenRow: [[xlsx(rowsOf(' hidden="1"')), 'hidden-row']],
  hiddenColumn: [[xlsx(sheetOf(ROW), { columns: '<col min="2" max="2" hidden="1"/>' }), 'hidden-column']],
  struck: [[withCell('<c {ref} t="inlineStr"><is><r><rPr><strike/></rPr><t>x</t></r></is></c>'), 'struck-through']],
  otherSheet: [[xlsx(sheetOf(ROW), {}, { rows: [['x']] }), 'several-sheets']],
  hiddenSheet: [
    [xlsx(sheetOf(ROW), {}, { rows: [['x']], state: 'hidden' }), 'hidden-sheet'],
    [xlsx(sheetOf(ROW), {}, { rows: '' }, { rows: [['x']], state: 'veryHidden' }), 'hidden-sheet'],
  ],
  comments: [
    [
      workbook({ sheets: [{ rows: sheetOf(ROW) }], parts: { 'xl/worksheets/_rels/sheet1.xml.rels': COMMENTS } }),
      'not-carried',
    ],
  ],
  formatting: [[xlsx(sheetOf(ROW), { after: '<conditionalFormatting sqref="A1"/>' }), ROW]],
};

const field = (name: string, regex = '') => ({ field: name, required: true, regex, data_type: 'text' });
const LOCAL = [
  field('account_no', '^\\d+$'),
  field('address_city'),
  { ...field('country'), required: false, data_type: 'country' },
];
const SWIFT = [field('swift_code')];

async function readBy(content: string | Buffer) {
  const reader = typeof content !== 'string' ? readXlsx : /^[[{]/.test(content) ? readJson : readCsv;
  const { rows, columns, findings, warnings } = await collected((sink) => reader(bytesOf(content), sink));
  const requiredDetails = () =>
    [LOCAL, SWIFT].map((fields, index) => ({
      currency: 'USD',
      beneficiary_type: 'personal',
      payment_type: ['local', 'swift'][index] ?? '',
      fields,
    }));
  const validated = validateRows({ file: '', columns, rows, requiredDetails: requiredDetails as never });
  const rules = [...findings, ...warnings, ...validated.findings].map(({ rule }) => rule);
  return { rules: [...new Set(rules)], instruction: validated.instructions[0]?.instruction };
}

const FIELDS = Object.entries<TableField>(TABLE_FIELDS);
const rulesOf = ({ warns, refuses = [] }: TableField): string[] => [
  ...(warns === undefined ? [] : [warns.rule]),
  ...('rule' in refuses ? [refuses.rule] : refuses),
];

describe('the table of the contents of CSV, Excel and JSON', () => {
  const all = Object.entries(SAMPLES).flatMap(([name, samples]) => samples.map((sample) => [name, ...sample] as const));

  it.each(all)('says what becomes of: %s', async (_name, content, becomes) => {
    const { rules, instruction } = await readBy(content);
    if (typeof becomes === 'string') expect(rules).toEqual([becomes]);
    else {
      expect(rules).toEqual([]);
      expect(instruction).toMatchObject(becomes);
    }
  });

  it.each(FIELDS)('has a file for each of them: %s', (name, fate) => {
    const becomes = SAMPLES[name as keyof typeof SAMPLES].map(([, it]) => it);
    const rules = becomes.filter((it) => typeof it === 'string');
    expect(new Set(rules)).toEqual(new Set(rulesOf(fate)));
    expect(rulesOf(fate).filter((rule) => !Object.hasOwn(RULES, rule))).toEqual([]);
    expect(Boolean(fate.carried) || rules.length > 0).toBe(true);
  });
});
