import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv } from '../../../src/files/csv/read-csv.ts';
import { RECORD_BYTES_MAX } from '../../../src/files/input.ts';
import { bytesOf } from '../bytes.ts';
import { type Collected, collected } from '../collected.ts';

const read = (content: string | Uint8Array, chunkSize?: number): Promise<Collected> =>
  collected((sink) => readCsv(bytesOf(content, chunkSize), sink));
const rules = ({ findings }: Collected): [string, number, number | null][] =>
  findings.map(({ rule, line, row }) => [rule, line, row]);

describe('a good file', () => {
  test('becomes rows with their line, blank values kept', async () => {
    const { rows, columns, findings } = await read('id,amount\nA,1.00\nB,\n');
    expect(findings).toEqual([]);
    expect(columns).toEqual([
      { name: 'id', line: 1, row: null },
      { name: 'amount', line: 1, row: null },
    ]);
    expect(rows).toEqual([
      { row: 1, line: 2, instruction: { id: 'A', amount: '1.00' } },
      { row: 2, line: 3, instruction: { id: 'B', amount: '' } },
    ]);
  });

  test.each([
    ['a byte order mark', '\ufeffid,amount\nA,1.00\n'],
    ['CRLF line ends', 'id,amount\r\nA,1.00\r\n'],
    ['no line end at the end', 'id,amount\nA,1.00'],
    ['semicolons', 'id;amount\nA;1.00\n'],
    ['tabs', 'id\tamount\nA\t1.00\n'],
    ['blanks around column names', 'id, amount\nA,1.00\n'],
    ['a quoted header with the other delimiters in it', '"id","amount"\nA,1.00\n'],
  ])('may have %s', async (_, content) => {
    const { rows, findings } = await read(content);
    expect(findings).toEqual([]);
    expect(rows).toEqual([{ row: 1, line: 2, instruction: { id: 'A', amount: '1.00' } }]);
  });

  test('counts blank lines as lines and not as rows', async () => {
    const { rows, findings } = await read('\n\nid,amount\n\nA,1.00\n\n\nB,2.00\n\n');
    expect(findings).toEqual([]);
    expect(rows.map(({ row, line }) => [row, line])).toEqual([
      [1, 5],
      [2, 8],
    ]);
  });

  test('takes a column named like a property of every object', async () => {
    const { rows } = await read('id,constructor\nA,B\n');
    expect(rows[0]?.instruction).toEqual({ id: 'A', constructor: 'B' });
  });
});

describe('line numbers', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', 'é', ' ', ';'), minLength: 1, maxLength: 12 });
  const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 20 });

  test.each([['\n'], ['\r\n']] as const)('stay true across quoted newlines (%j)', async (lineEnd) => {
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 64 }), async (cells, chunkSize) => {
        const readable = cells.map((record) => record.map((value) => (value.trim() === '' ? `x${value}` : value)));
        const text = stringify([['id', 'two', 'three'], ...readable], { quoted: true }).replaceAll('\n', lineEnd);
        const { rows, findings } = await read(text, chunkSize);
        expect(findings).toEqual([]);
        let line = 2;
        const expected = readable.map(([one = '', two = '', three = ''], index) => {
          const row = { row: index + 1, line, instruction: { id: one, two, three } };
          line += `${one}${two}${three}`.split('\n').length;
          return row;
        });
        expect(rows).toEqual(expected);
      }),
    );
  });
});

test('a file without a header line is reported, and shows nothing of its first row', async () => {
  const { rows, columns, findings } = await read(
    'Jane Doe,DE89370400440532013000,10.00\nJohn Doe,DE02120300000000202051,11.00\n',
  );
  expect([rows, columns]).toEqual([[], []]);
  expect(findings).toMatchObject([{ rule: 'no-header', line: 1, column: null, value: null }]);
});

test.each([
  ['in capitals', 'ID;UID;Account ID;AMOUNT;SWIFT-Code', ['id', 'uid', 'account_id', 'amount', 'swift_code']],
  ['of which only ours are written otherwise', 'id;Uid;AMOUNT;swiftCode', ['id', 'uid', 'amount', 'swiftCode']],
])('names of columns %s are taken as ours', async (_, header, names) => {
  const values = names.map((_name, index) => `${index}`);
  const { rows, findings } = await read(`${header}\n${values.join(';')}\n`);
  expect(findings).toEqual([]);
  expect(rows.map(({ instruction }) => Object.keys(instruction))).toEqual([names]);
});

test('the same name in two spellings is there twice', async () => {
  const { findings } = await read('id,amount,AMOUNT\nA,1,2\n');
  expect(findings).toMatchObject([{ rule: 'duplicate-column', column: 'amount' }]);
});

test.each([
  ['a title above the header line', 'Payments March;;\nid;uid;amount\nA;u;1\n', /delete what is above the header line/],
  ['a separator for Excel that is none here', 'sep=|\nid|uid|amount\nA|u|1\n', /"sep=" for Excel.*export/],
  ['a header line in typographic quotes', '“id”,“note”\n“A”,“Zoë, Jörg”\n', /in typographic quotes.*replace them by "/],
  ['a delimiter that is none here', 'id|uid|amount\nA|u|1\n', /not separated by a comma, a semicolon or a tab/],
])('%s has to be mended', async (_, content, message) => {
  const { findings } = await read(content);
  expect(findings).toMatchObject([{ rule: 'no-header', line: 1, message: expect.stringMatching(message) }]);
});

test('what ends too early, or has a column without a name, is reported with how to mend it', async () => {
  const { findings } = await read('id,uid,amount,\nA,u,1,\nB,u\nC,u,1,,\n');
  expect(findings.map(({ line, column, message }) => [line, column, message])).toEqual([
    [1, '4', expect.stringContaining('no name; name it, or delete it together with the delimiter')],
    [3, null, expect.stringMatching(/^2 fields .* has 4; the line may have been cut off/)],
    [4, null, expect.stringMatching(/^5 fields .* has 4; put values .* in quotes/)],
  ]);
});

describe('a file that ends without a line end', () => {
  const amounts = (...values: string[]) => ['id,currency,amount', ...values.map((it, at) => `${at},${it}`)].join('\n');

  test.each([
    ['inside an amount, recognised by those of the other rows', amounts('EUR,10.00', 'JPY,1250', 'EUR,12')],
    ['behind its point', amounts('EUR,10.00', 'EUR,1250.')],
  ])('%s is refused', async (_, content) => {
    for (const chunkSize of [1, 65_536]) {
      const { findings, warnings } = await read(content, chunkSize);
      expect(findings).toMatchObject([{ rule: 'truncated-file', row: null, column: 'amount' }]);
      expect(warnings).toEqual([]);
    }
    expect((await read(`${content}\n`)).findings).toEqual([]);
  });

  test.each([
    ['where other rows have such amounts too', amounts('EUR,10.5', 'EUR,12'), 'amount'],
    ['where there is no other row', amounts('EUR,12'), 'amount'],
    ['where the currency has no decimals', amounts('JPY,1250', 'JPY,12'), 'amount'],
    ['in an account number', 'id,account_no\nA,00010002\nB,0001', 'account_no'],
    ['before a value', 'id,execute_on\nA,2026-03-31\nB,', 'execute_on'],
  ])('%s is to be checked', async (_, content, column) => {
    const { findings, warnings } = await read(content);
    expect(findings).toEqual([]);
    const row = content.split('\n').length - 1;
    expect(warnings).toMatchObject([{ rule: 'no-line-end', line: row + 1, row, column }]);
    expect((await read(`${content}\r\n`)).warnings).toEqual([]);
  });

  test.each([
    ['an amount with all its decimals', amounts('EUR,10.5', 'EUR,12.00')],
    ['a value in quotes', 'id,account_no\nA,"0001"'],
    ['free text', 'id,note\nA,Invoice 47'],
  ])('behind %s is complete', async (_, content) => {
    const { findings, warnings } = await read(content);
    expect([...findings, ...warnings]).toEqual([]);
  });
});

describe('what old systems and editors leave', () => {
  test.each<[string, string | Buffer]>([
    ['UTF-16, as Excel writes "Unicode Text"', Buffer.from('\ufeffid\tnote\r\nA\tZoë\r\nB\tx\r\n', 'utf16le')],
    ['UTF-16 without a byte order mark', Buffer.from('id,note\nA,Zoë\nB,x\n', 'utf16le')],
    ['line ends of old Macs', 'id,note\rA,Zoë\rB,x\r'],
    ['line ends changed twice', 'id,note\r\r\nA,Zoë\r\r\nB,x\r\r\n'],
    ['Ctrl-Z behind the end', 'id,note\nA,Zoë\nB,x\n\x1a'],
    ['NULs behind the end', 'id,note\nA,Zoë\nB,x\n\0\0\0'],
    ['page breaks', '\fid,note\nA,Zoë\n\fB,x\n\f\n'],
    ['blanks that do not break', '\u00a0id,note\u00a0\nA\u00a0,Zoë\nB,\u202f x\u00a0\n'],
    ['characters without width', '\u200bid,\u2060note\nA\u200b,Zo\u00adë\n\ufeffB,x\n'],
    ['a line with the separator for Excel', 'sep=;\r\nid;note\r\nA;Zoë\r\nB;x\r\n'],
  ])('is read: %s', async (_, content) => {
    for (const size of [1, 5, 1024]) {
      const { rows, findings, warnings } = await read(content, size);
      expect([...findings, ...warnings]).toEqual([]);
      expect(rows.map(({ instruction: { id, note } }) => [id, note])).toEqual([
        ['A', 'Zoë'],
        ['B', 'x'],
      ]);
    }
  });
});

describe('a finding does not stop the pass', () => {
  test('for a line with another number of fields', async () => {
    const input = await read('id,amount\nA,1,000.00\nB,2.00\nC\n');
    expect(rules(input)).toEqual([
      ['wrong-field-count', 2, 1],
      ['wrong-field-count', 4, 3],
    ]);
    expect(input.rows).toMatchObject([{ row: 2, line: 3 }]);
  });

  test('nor does a line of delimiters only, which is left out with a warning', async () => {
    const input = await read('id,amount\n,\nB,2.00\n');
    expect(input.findings).toEqual([]);
    expect(input.warnings).toMatchObject([{ rule: 'blank-row', line: 2, row: 1 }]);
    expect(input.rows).toMatchObject([{ row: 2, line: 3 }]);
  });

  test('but a file of such lines holds no row', async () => {
    expect(rules(await read('id,amount\n,\n,\n'))).toEqual([['no-rows', 1, null]]);
  });

  test('for a stray quote', async () => {
    const input = await read('id,note\nA,the "big" one\nB,fine\n');
    expect(rules(input)).toEqual([['stray-quote', 2, 1]]);
    expect(input.rows).toMatchObject([{ row: 2, line: 3 }]);
  });

  test('for a NUL and a lone carriage return, one finding a line', async () => {
    const input = await read('id,note\nA,x\0y\0\nB,x\ry\nC,z\n', 3);
    expect(rules(input)).toEqual([
      ['nul-character', 2, null],
      ['lone-carriage-return', 3, null],
    ]);
    expect(input.rows.map(({ line }) => line)).toEqual([2, 3, 4]);
  });

  test('for a duplicate, an empty and an impossible column name', async () => {
    const input = await read('id,id,,__proto__,amount\nA,B,C,D,1.00\n');
    expect(rules(input)).toEqual([
      ['duplicate-column', 1, null],
      ['bad-column-name', 1, null],
      ['bad-column-name', 1, null],
    ]);
    expect(input.rows[0]?.instruction).toEqual({ id: 'A', amount: '1.00' });
  });
});

describe('a file that cannot be read on', () => {
  test.each([
    ['empty', ''],
    ['a byte order mark only', '\ufeff'],
    ['blank lines only', '\n\r\n\n'],
  ])('is named when it is %s', async (_, content) => {
    expect(rules(await read(content))).toEqual([['no-rows', 1, null]]);
  });

  test('is named when it has a header line only', async () => {
    const input = await read('id,amount\n');
    expect(rules(input)).toEqual([['no-rows', 1, null]]);
    expect(input.findings[0]?.message).toContain('only a header line');
  });

  test('is read on when it is Windows-1252, so that everything is reported in one pass', async () => {
    const content = Buffer.from('id,account_name\nA\nB,Zoë\nC,Jörg\n', 'latin1');
    const input = await read(content);
    expect(rules(input)).toEqual([
      ['not-utf8', 3, null],
      ['wrong-field-count', 2, 1],
    ]);
    expect(input.rows).toMatchObject([{ row: 2 }, { row: 3 }]);
  });

  test('keeps the rows before a quote that is never closed, and names the record it starts in', async () => {
    const input = await read('id,note\nA,fine\n\nB,"open\nC,x\nD,y\n');
    expect(rules(input)).toEqual([['broken-quote', 4, null]]);
    expect(input.rows).toMatchObject([{ row: 1, line: 2 }]);
  });

  test('stops at a quote closed in the middle of a value', async () => {
    expect(rules(await read('id,note\nA,"the"big one\nB,fine\n'))).toEqual([['broken-quote', 2, null]]);
  });

  test('stops at a record of stray quotes, and names the line', async () => {
    const input = await read(`id,note\nA,fine\nB,x${'"'.repeat(99)}\nC,x${'"'.repeat(100)}\nD,fine\n`);
    expect(rules(input)).toEqual([
      ['stray-quote', 3, 2],
      ['stray-quote', 4, 3],
      ['stray-quote', 4, null],
    ]);
    expect(input.findings[2]?.message).toContain('quote such values');
    expect(input.rows).toMatchObject([{ row: 1, line: 2 }]);
  });

  test('keeps the rows before a line beyond the record limit', async () => {
    const input = await read(`id,note\nA,fine\nB,${'x'.repeat(RECORD_BYTES_MAX)}\nC,fine\n`);
    expect(rules(input)).toEqual([['record-too-large', 3, null]]);
    expect(input.rows).toMatchObject([{ row: 1, line: 2 }]);
  });

  test('stops at a quoted record beyond the limit, however short its lines are', async () => {
    const input = await read(`id,note\nA,fine\nB,"${'short\n'.repeat(RECORD_BYTES_MAX / 6 + 1)}"\n`);
    expect(rules(input)).toEqual([['record-too-large', 3, null]]);
    expect(input.rows).toMatchObject([{ row: 1, line: 2 }]);
  });

  test.each([
    ['letters', 'x'],
    ['delimiters', ','],
    ['quotes', '"'],
    ['line ends of old Macs', '\r'],
  ])('reads no further into a 200 MB line of %s than the limit needs', async (_, char) => {
    const chunk = Buffer.alloc(64 * 1024, char);
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('id,note\nA,fine\n');
      for (; given < 200 * 1024 * 1024; given += chunk.length) yield chunk;
    }
    const input = await collected((sink) => readCsv(endless(), sink));
    expect(rules(input)).toContainEqual(['record-too-large', 3, null]);
    expect(input.rows).toMatchObject([{ row: 1, line: 2 }]);
    expect(given).toBeLessThanOrEqual(4 * RECORD_BYTES_MAX);
  });
});
