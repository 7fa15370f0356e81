import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COLUMNS_MAX, RECORD_BYTES_MAX, STRETCH_BYTES_MAX } from '../../../src/files/input.ts';
import { readJson } from '../../../src/files/json/read-json.ts';
import { bytesOf } from '../bytes.ts';
import { type Collected, collected } from '../collected.ts';

const read = (content: string | Uint8Array): Promise<Collected> =>
  collected((sink) => readJson(bytesOf(content), sink));
const rules = ({ findings }: Collected): [string, number, number | null, string | null][] =>
  findings.map(({ rule, line, row, column }) => [rule, line, row, column]);

describe('a good file', () => {
  test('is an array of payouts, each with the line it starts on', async () => {
    const { rows, columns, findings } = await read(
      '[\n  {"id": "A", "amount": "1.00"},\n\n  {"id": "B",\n "note": null}\n]\n',
    );
    expect(findings).toEqual([]);
    expect(rows).toEqual([
      { row: 1, line: 2, instruction: { id: 'A', amount: '1.00' } },
      { row: 2, line: 4, instruction: { id: 'B', note: '' } },
    ]);
    expect(columns).toEqual([
      { name: 'id', line: 2, row: 1 },
      { name: 'amount', line: 2, row: 1 },
      { name: 'note', line: 4, row: 2 },
    ]);
  });

  test('may be an object with the key payouts, with a byte order mark', async () => {
    const { rows, findings } = await read('\ufeff{\n"payouts": [\n{"id": "A"}]}');
    expect(findings).toEqual([]);
    expect(rows).toEqual([{ row: 1, line: 3, instruction: { id: 'A' } }]);
  });

  test('gives every string back as JSON.parse does, laid out in any way', async () => {
    const payout = fc.dictionary(fc.stringMatching(/^[a-z][a-z_]{0,8}$/), fc.string({ unit: 'binary' }), {
      maxKeys: 5,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(payout, { minLength: 1, maxLength: 8 }), fc.nat(3), async (payouts, indent) => {
        const text = JSON.stringify({ payouts }, null, indent);
        const { rows, findings } = await read(text);
        expect(findings).toEqual([]);
        expect(rows.map(({ instruction }) => instruction)).toEqual(payouts.map((each) => ({ ...each })));
        const lines = text.split('\n');
        if (indent > 0) for (const { line } of rows) expect(lines[line - 1]?.trim().startsWith('{')).toBe(true);
      }),
    );
  });
});

describe('a finding does not stop the pass', () => {
  test('for an amount that is a number: digits get lost in numbers', async () => {
    const input = await read('[{"id": "A", "amount": 10.50},\n{"id": 7, "amount": "2.00"}]');
    expect(input.findings).toMatchObject([
      { rule: 'amount-not-a-string', line: 1, row: 1, column: 'amount', value: '10.50' },
      { rule: 'not-a-string', line: 2, row: 2, column: 'id', value: '7' },
    ]);
    expect(input.rows).toMatchObject([{ unsound: true }, { unsound: true }]);
  });

  test('for nested, repeated and misnamed fields', async () => {
    const input = await read('[{"id": "A", "id": "B", "payee": {"iban": ["x", {}]}, "__proto__": "x", "": "y"}]');
    expect(rules(input)).toEqual([
      ['duplicate-column', 1, 1, 'id'],
      ['nested-value', 1, 1, 'payee'],
      ['bad-column-name', 1, 1, '__proto__'],
      ['bad-column-name', 1, 1, ''],
    ]);
    expect(input.rows).toEqual([{ row: 1, line: 1, instruction: { id: 'A' }, unsound: true }]);
  });

  test('for an element that is no object', async () => {
    const input = await read('["A",\n[],\n{"id": "B"}]');
    expect(rules(input)).toEqual([
      ['not-an-object', 1, 1, null],
      ['not-an-object', 2, 2, null],
    ]);
    expect(input.rows).toMatchObject([{ row: 3, line: 3 }]);
  });

  test('for a key beside payouts', async () => {
    const input = await read('{"version": 1, "payouts": [{"id": "A"}]}');
    expect(rules(input)).toEqual([['unexpected-key', 1, null, 'version']]);
    expect(input.rows).toHaveLength(1);
  });

  test('for a record beyond the limit', async () => {
    const input = await read(`[{"id": "A", "note": "${'x'.repeat(RECORD_BYTES_MAX)}"},\n{"id": "B"}]`);
    expect(rules(input)).toEqual([['record-too-large', 1, 1, null]]);
    expect(input.rows).toMatchObject([{ row: 2, line: 2 }]);
  });
});

describe('a file that cannot be read on', () => {
  test('once, where it is a payout without its list, or several one after the other', async () => {
    const one = '{"id": "A", "uid": "u-1", "amount": "1.00"}';
    const { findings, rows } = await read(one);
    expect(rows).toEqual([]);
    expect(findings).toMatchObject([
      { rule: 'no-payouts', message: expect.stringContaining('put each payout into it') },
    ]);
    expect((await read(`${one}\n${one}`)).findings.map(({ rule }) => rule)).toEqual(['no-payouts', 'not-json']);
  });

  test.each([
    ['empty', ' \n', 'no-rows'],
    ['an empty array', '[]', 'no-rows'],
    ['without payouts', '{"payouts": []}', 'no-rows'],
    ['an object without the key payouts', '{}', 'no-payouts'],
    ['a text', '"payouts"', 'not-json'],
  ])('is named when it is %s', async (_, content, rule) => {
    expect(await read(content)).toMatchObject({ rows: [], findings: [{ rule, line: 1 }] });
  });

  test.each([
    ['a comma too many', '[\n{"id": "A"},\n]', 3, 1],
    ['a missing comma', '[\n{"id": "A"}\n{"id": "B"}]', 3, 1],
    ['a missing bracket', '[{"id": "A"}', 1, 13],
    ['more after the end', '[{"id": "A"}]\n[]', 2, 1],
    ['a string that is not closed', '[{"id": "A}]', 1, 9],
    ['a line end in a string', '[{"id":\n "A\n"}]', 2, 2],
    ['a bare word', '[{"id": A}]', 1, 9],
    ['endless nesting', `[{"id": ${'['.repeat(100_000)}`, 1, 74],
  ])('is named with line and character when it has %s', async (_, content, line, character) => {
    const { findings } = await read(content);
    expect(findings).toMatchObject([{ rule: 'not-json', line }]);
    expect(findings[0]?.message).toContain(`line ${line}, character ${character}`);
  });

  test('keeps the rows before a syntax error', async () => {
    expect((await read('[{"id": "A"},\n{"id" "B"}]')).rows).toMatchObject([{ row: 1 }]);
  });

  test('is one finding when it is Latin-1', async () => {
    const input = await read(Buffer.from('[\n{"id": "Zoë"}]', 'latin1'));
    expect(rules(input)).toEqual([['not-utf8', 2, null, null]]);
    expect(input.findings[0]?.message).toMatch(/not UTF-8; export the file again as UTF-8$/);
  });

  test.each([
    ['a string', `"id": "${'x'.repeat(STRETCH_BYTES_MAX)}"`],
    ['a list', `"id": [${'1,'.repeat(STRETCH_BYTES_MAX / 2)}1]`],
    ['line ends', '\n'.repeat(STRETCH_BYTES_MAX)],
  ])('stops where a payout has no end in sight: %s', async (_, content) => {
    const input = await read(`[{"id": "A"},\n{${content}`);
    expect(rules(input)).toContainEqual(['record-too-large', expect.any(Number), null, null]);
    expect(input.rows).toMatchObject([{ row: 1, line: 1 }]);
  });

  test('stops at a payout with more members than a file has columns', async () => {
    const input = await read(`[{"id": "A"},\n{${'"": "x", '.repeat(COLUMNS_MAX)}"id": "B"}]`);
    expect(rules(input).at(-1)).toEqual(['too-many-columns', 2, null, null]);
  });
});

test('blanks and marks of editors between values mean nothing, and typographic quotes are named', async () => {
  const input = await read('\ufeff[\u00a0{"id":\u200b"A\u200b", "note": "\u00a0Zoë"}\f]\x1a');
  expect(input).toMatchObject({ findings: [], rows: [{ instruction: { id: 'A', note: 'Zoë' } }] });
  const { findings } = await read('[{“id”: “A”}]');
  expect(findings).toMatchObject([
    { rule: 'not-json', line: 1, message: expect.stringContaining('a typographic quote') },
  ]);
});
