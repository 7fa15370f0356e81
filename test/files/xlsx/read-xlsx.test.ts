import { describe, expect, it } from 'vitest';
import { readXlsx } from '../../../src/files/xlsx/read-xlsx.ts';
import { UNPACKED_BYTES_MAX } from '../../../src/files/xlsx/workbook.ts';
import { bytesOf } from '../bytes.ts';
import { collected } from '../collected.ts';
import { sheet, workbook, zip } from './sample-workbook.ts';

const read = (content: Buffer, chunkSize?: number) => collected((sink) => readXlsx(bytesOf(content, chunkSize), sink));
const rulesOf = async (content: Buffer) =>
  (await read(content)).findings.map(({ rule, line, row }) => [rule, line, row]);
const HEADER = ['id', 'amount'] as const;
const cells = (xml: string): { xml: string } => ({ xml: `<c {ref} ${xml}</c>` });

describe('a sheet of payouts', () => {
  it.each([64 * 1024, 100, 1])(
    'is read row by row, with the lines of the sheet, in chunks of %i bytes',
    async (size) => {
      const content = sheet([], [...HEADER], ['INV-1', '10.00'], [], [null, null], ['INV-2', '1.50']);
      const { rows, columns, findings } = await read(content, size);
      expect(findings).toEqual([]);
      expect(columns.map(({ name, line, row }) => [name, line, row])).toEqual([
        ['id', 2, null],
        ['amount', 2, null],
      ]);
      expect(rows).toEqual([
        { row: 1, line: 3, instruction: { id: 'INV-1', amount: '10.00' } },
        { row: 2, line: 6, instruction: { id: 'INV-2', amount: '1.50' } },
      ]);
    },
  );

  it.each<[string, string, string]>([
    ['a number', '><v>1250.0999999999999</v>', '1250.1'],
    ['a number with a format', ' s="3"><v>1250.5</v>', '1250.5'],
    ['a date', ' s="1"><v>46112</v>', '2026-03-31'],
    ['a date of a custom format', ' s="2"><v>46112</v>', '2026-03-31'],
    ['digits with leading zeros', ' s="4"><v>12345</v>', '000012345'],
    ['digits in groups', ' s="5"><v>62000</v>', '062-000'],
    ['digits apart', ' s="6"><v>123456</v>', '0012 3456'],
    ['digits behind a text', ' s="7"><v>12</v>', 'INV-0012'],
    ['text in place', ' t="inlineStr"><is><t>In </t><r><t>place</t></r><rPh><t>no</t></rPh></is>', 'In place'],
    ['a formula of text', ' t="str"><f>A1&amp;"x"</f><v>INVx</v>', 'INVx'],
    ['a formula of a number', '><f>SUM(B1:B2)</f><v>0.30000000000000004</v>', '0.3'],
    ['a truth', ' t="b"><v>1</v>', 'TRUE'],
    ['an ISO date', ' t="d"><v>2026-03-31T00:00:00</v>', '2026-03-31'],
    ['an escaped line end', ' t="inlineStr"><is><t>a_x000A_b</t></is>', 'a\nb'],
  ])('has what a CSV file would hold for %s', async (_, xml, text) => {
    const rows = [[...HEADER], ['INV-1', cells(xml)]];
    const content = workbook({
      sheets: [{ rows }],
      formats: [14, 'yyyy\\-mm\\-dd', '#,##0.00', '000000000', '000\\-000', '0000 0000', '"INV-"0000'],
    });
    const input = await read(content);
    expect(input.findings).toEqual([]);
    expect(input.rows[0]?.instruction.amount).toBe(text);
  });

  it('keeps rich text without its readings, and two systems of dates apart', async () => {
    const strings =
      '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>id</t></si><si><r><t>no</t></r><r><t>te</t></r><rPh sb="0" eb="1"><t>x</t></rPh></si></sst>';
    const rows =
      '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c t="inlineStr"><is><t>A</t></is></c><c s="1"><v>44650</v></c></row>';
    const parts = { 'xl/sharedStrings.xml': strings };
    const { rows: read1904 } = await read(workbook({ sheets: [{ rows }], formats: [14], isFrom1904: true, parts }));
    expect(read1904).toEqual([{ row: 1, line: 2, instruction: { id: 'A', note: '2026-03-31' } }]);
  });

  it('is the visible one that holds anything', async () => {
    const sheets = [
      { rows: '' },
      { state: 'hidden' as const, rows: [['lists'], ['x']] },
      { rows: [[...HEADER], ['INV-1', '1']] },
      { rows: '<row r="1"><c r="A1" s="0"/></row>' },
    ];
    const { rows, findings } = await read(workbook({ sheets }));
    expect(findings).toEqual([]);
    expect(rows).toHaveLength(1);
  });
});

describe('what would be paid otherwise than seen is a finding', () => {
  it.each<[string, Buffer, [string, number, number | null][]]>([
    [
      'a second list',
      workbook({ sheets: [{ rows: [[...HEADER], ['A', '1']] }, { rows: [['x']] }] }),
      [['several-sheets', 1, null]],
    ],
    [
      'a hidden row',
      workbook({
        sheets: [
          {
            rows: '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c></row><row r="2" hidden="1"><c r="A2"><v>1</v></c></row>',
          },
        ],
      }),
      [['hidden-row', 2, 1]],
    ],
    [
      'an account number of 16 digits typed as a number',
      sheet([...HEADER], ['A', cells('><v>1234567890123450</v>')]),
      [['lost-digits', 2, 1]],
    ],
    [
      'a formula that was never calculated',
      sheet([...HEADER], ['A', cells('><f>1+1</f>')]),
      [['formula-without-value', 2, 1]],
    ],
    ['an error', sheet([...HEADER], ['A', cells(' t="e"><f>1/0</f><v>#DIV/0!</v>')]), [['cell-error', 2, 1]]],
    ['a text that is not there', sheet([...HEADER], ['A', cells(' t="s"><v>99</v>')]), [['not-a-workbook', 2, 1]]],
    ['a value without a column', sheet([...HEADER], ['A', '1', null, 'x']), [['wrong-field-count', 2, 1]]],
    ['no header', sheet(['Payouts of March']), [['no-header', 1, null]]],
    ['nothing', workbook({ sheets: [{ rows: '' }] }), [['no-rows', 1, null]]],
    [
      'a value beyond the columns of any list',
      sheet(['id', ...Array(600).fill(null), 'x']),
      [['too-many-columns', 1, null]],
    ],
    [
      'a cell larger than any record',
      sheet(['id'], [cells(` t="inlineStr"><is><t>${'x'.repeat(70_000)}</t></is>`)]),
      [['record-too-large', 2, null]],
    ],
    ['a text larger than any record', sheet(['id'], ['x'.repeat(70_000)]), [['record-too-large', 1, null]]],
  ])('%s', async (_, content, found) => {
    expect(await rulesOf(content)).toEqual(found);
  });

  it.each<[string, string, [string, number, number | null][]]>([
    ['over two rows', 'B2:B3', [['merged-cells', 2, null]]],
    ['over the names and a row', 'B1:B2', [['merged-cells', 1, null]]],
    ['over two columns', 'A2:B2', []],
    ['below the rows', 'A5:B9', []],
  ])('a cell that is merged %s', async (_, ref, found) => {
    const rows = [[...HEADER], ['A', '1'], ['B', '2']] as const;
    const after = `<autoFilter ref="A1:B3"/><mergeCells count="1"><mergeCell ref="${ref}"/></mergeCells>`;
    expect(await rulesOf(workbook({ sheets: [{ rows, after }] }))).toEqual(found);
  });

  it('formatting after the cells may be as large as any', async () => {
    const after = '<conditionalFormatting sqref="A1"/>'.repeat(60_000);
    expect(await rulesOf(workbook({ sheets: [{ rows: [[...HEADER], ['A', '1']], after }] }))).toEqual([]);
  });

  it('warns once of a hidden column whose values are used', async () => {
    const rows = [
      [...HEADER, 'note'],
      ['A', '1', null],
      ['B', '2', 'x'],
      ['C', '3', 'y'],
    ] as const;
    const content = workbook({
      sheets: [{ rows, columns: '<col min="2" max="3" width="0" hidden="1"/><col min="4" max="9"/>' }],
    });
    const { warnings, findings } = await read(content);
    expect(findings).toEqual([]);
    expect(warnings.map(({ rule, column, row, line }) => [rule, column, row, line])).toEqual([
      ['hidden-column', 'amount', 1, 2],
      ['hidden-column', 'note', 2, 3],
    ]);
  });

  it('warns of each row that is struck through, if only in a part, and of no other', async () => {
    const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
    const fonts = '<fonts><font/><font><strike/></font><font><strike val="0"/></font></fonts>';
    const xfs = '<cellXfs><xf numFmtId="0"/><xf numFmtId="0" fontId="1"/><xf numFmtId="0" fontId="2"/></cellXfs>';
    const struck = '<r><t>1</t></r><r><rPr><strike/></rPr><t>2</t></r>';
    const texts = ['<t>id</t>', '<t>amount</t>', struck, '<r><rPr><b/></rPr><t>3</t></r>'];
    const amounts = [
      ' s="1"><v>1</v>',
      ' s="2"><v>1</v>',
      ' t="s"><v>2</v>',
      ' t="s"><v>3</v>',
      ` t="inlineStr"><is>${struck}</is>`,
      ' s="1">',
      ' s="0"><v>1</v>',
    ];
    const content = workbook({
      sheets: [{ rows: [[...HEADER], ...amounts.map((xml, index) => [index, cells(xml)])] }],
      parts: {
        'xl/styles.xml': `<styleSheet ${main}>${fonts}${xfs}</styleSheet>`,
        'xl/sharedStrings.xml': `<sst ${main}>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
      },
    });
    const { warnings, findings } = await read(content);
    expect(findings).toEqual([]);
    expect(warnings.map(({ rule, row }) => [rule, row])).toEqual([1, 3, 5].map((row) => ['struck-through', row]));
  });

  it('names the column and keeps the row from being valid', async () => {
    const { rows, findings } = await read(sheet([...HEADER], ['A', cells('><v>1234567890123450</v>')]));
    expect(findings).toMatchObject([{ column: 'amount', value: null }]);
    expect(rows).toMatchObject([{ unsound: true, instruction: { id: 'A', amount: '1234567890123450' } }]);
  });
});

describe('no workbook holds more than a reader can bear', () => {
  const rels = (target: string) =>
    `<Relationships xmlns="r"><Relationship Id="rId1" Type="x/officeDocument" Target="${target}"/></Relationships>`;
  const doctype = '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet/>';

  it('and one that was damaged is refused, though its sheet can be read', async () => {
    const content = sheet([...HEADER], ['A', '1']);
    // In the directory of the archive, the checksum of a part is 30 bytes before its name.
    const at = content.lastIndexOf('xl/worksheets/sheet1.xml') - 30;
    content.writeUInt32LE((content.readUInt32LE(at) ^ 1) >>> 0, at);
    expect(await rulesOf(content)).toEqual([['not-a-workbook', 1, null]]);
  });

  it('and an archive of other files is called one', async () => {
    const { findings } = await read(zip([['payroll.csv', 'id\nA\n']]));
    expect(findings).toMatchObject([
      { rule: 'not-a-workbook', message: expect.stringMatching(/ZIP archive.*unpack it/) },
    ]);
  });

  it.each<[string, () => Buffer, string]>([
    ['no ZIP', () => Buffer.from('PK\u0003\u0004 and no more'), 'not-a-workbook'],
    ['an old workbook', () => Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]), 'old-workbook'],
    ['another kind of ZIP', () => zip([['word/document.xml', '<x/>']]), 'not-a-workbook'],
    ['a letter', () => workbook({ parts: { 'xl/workbook.xml': '<document><body/></document>' } }), 'not-a-workbook'],
    ['a part that is not there', () => zip([['_rels/.rels', rels('xl/workbook.xml')]]), 'not-a-workbook'],
    [
      'two parts of one name',
      () =>
        zip([
          ['_rels/.rels', rels('a')],
          ['_RELS/.rels', rels('b')],
        ]),
      'not-a-workbook',
    ],
    [
      'a path that leads out',
      () =>
        zip([
          ['../x', ''],
          ['_rels/.rels', rels('a')],
        ]),
      'not-a-workbook',
    ],
    [
      'a part larger than it says',
      () => zip([['_rels/.rels', rels('a') + ' '.repeat(100_000)]], 100),
      'not-a-workbook',
    ],
    ['a part cut off', () => zip([['_rels/.rels', rels('a')]], 1_000_000), 'not-a-workbook'],
    [
      'a part larger than all may be',
      () => zip([['_rels/.rels', rels('a')]], UNPACKED_BYTES_MAX + 1),
      'file-too-large',
    ],
    [
      'more than is read packed',
      () => Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(17 * 1024 * 1024)]),
      'file-too-large',
    ],
    ['another encoding', () => zip([['_rels/.rels', Buffer.from([0x3c, 0xff, 0xfe])]]), 'not-a-workbook'],
    [
      'a DOCTYPE',
      () => workbook({ sheets: [{ rows: '' }], parts: { 'xl/worksheets/sheet1.xml': doctype } }),
      'doctype-refused',
    ],
    ['broken XML', () => workbook({ sheets: [{ rows: '<row>' }] }), 'not-a-workbook'],
    ['deep elements', () => workbook({ sheets: [{ rows: '<a>'.repeat(100) }] }), 'not-a-workbook'],
    [
      'a row without end',
      () => workbook({ sheets: [{ rows: `<row>${'<c s="1"/>'.repeat(200_000)}` }] }),
      'record-too-large',
    ],
    [
      'a text without end',
      () => workbook({ sheets: [{ rows: `<row><c><f>${'x'.repeat(2_000_000)}` }] }),
      'record-too-large',
    ],
  ])('%s', async (_, content, rule) => {
    const { rows, findings } = await read(content());
    expect(rows).toEqual([]);
    expect(findings).toMatchObject([{ rule, row: null }]);
  });
});
