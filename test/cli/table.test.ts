import fc from 'fast-check';
import { expect, it } from 'vitest';
import { filledTable, table } from '../../src/cli/output.ts';

it('aligns columns under their head and leaves no blanks at the ends of lines', () => {
  expect(
    table(
      ['batch', 'paid'],
      [
        ['a', '1/1'],
        ['a-longer-one', ''],
      ],
    ),
  ).toBe(['batch         paid', '------------  ----', 'a             1/1', 'a-longer-one'].join('\n'));
});

it('puts figures at the right, with or without a currency, but not what names the row', () => {
  const rows = [
    ['17', '1,250.00', '1.00 USD', '8/8'],
    ['4', '-5', '', '10'],
  ];
  expect(table(['document', 'balance', 'fee', 'paid'], rows)).toBe(
    [
      'document   balance       fee  paid',
      '--------  --------  --------  ----',
      '17        1,250.00  1.00 USD  8/8',
      '4               -5            10',
    ].join('\n'),
  );
});

it('stays aligned with letters that take two columns, or none of their own', () => {
  const rows = [
    ['請求書-1', 'x'],
    ['e\u0301-2', 'y'],
  ];
  expect(table(['document', 'kind'], rows).split('\n').slice(2)).toEqual(['請求書-1  x', 'e\u0301-2       y']);
});

it('shows the head alone when there are no rows', () => {
  expect(table(['batch', 'paid'], [])).toBe('batch  paid\n-----  ----');
});

it('keeps every cell, for any rows, in one line each', () => {
  const word = fc.stringMatching(/^[a-z0-9-]{1,12}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word), { maxLength: 20 }), (rows) => {
      const lines = table(['first', 'second'], rows).split('\n');
      expect(lines.slice(2).map((line) => line.split(/ {2,}/))).toEqual(rows);
    }),
  );
});

it('shows what would steer the terminal, in columns that stay aligned', () => {
  const rows = [
    ['ord-\u001b[2J1', 'a'],
    ['two\nlines', 'b'],
  ];
  expect(table(['order', 'kind'], rows)).toBe(
    ['order           kind', '--------------  ----', 'ord-\\u001b[2J1  a', 'two\\u000alines  b'].join('\n'),
  );
});

it.each([60, 80])('breaks no word at %i columns: what does not fit beside each other is below each other', (width) => {
  const [id, why] = [
    '01890000-0000-7000-8000-000000000001',
    'the bank does not know the account of this payout any more',
  ];
  const text = table(
    ['one', 'other', 'why'],
    [
      [id, id, why],
      [id, id, ''],
    ],
    width,
  );
  expect(text.split('\n').filter((line) => line.length > width)).toEqual([]);
  expect(text.split(/\s+/)).toEqual(['one', id, 'other', id, 'why', ...why.split(' '), 'one', id, 'other', id]);
});

it('begins ids of ours, and breaks the text of the last column, before rows become paragraphs', () => {
  const id = '01890000-0000-7000-8000-000000000001';
  const rows = [
    [id, id, 'the bank does not know the account any more'],
    [id, id, ''],
  ];
  expect(table(['batch', 'other', 'why'], rows, 80)).toBe(
    [
      'batch          other                                 why',
      '-------------  ------------------------------------  ---------------------------',
      `01890000-0000  ${id}  the bank does not know the`,
      '                                                     account any more',
      `01890000-0000  ${id}`,
    ].join('\n'),
  );
  expect(table(['batch', 'other', 'why'], rows, Number.POSITIVE_INFINITY)).toContain(`${id}  ${id}  the bank`);
});

it('leaves spare columns out until the others fit', () => {
  const columns = ['document', 'payout', 'fee', 'since'].map((head) => [head, () => 'x'.repeat(15)] as const);
  const heads = (width: number) =>
    filledTable(columns, [0], width, ['payout', 'fee']).split('\n')[0]?.trim().split(/ {2,}/);
  expect(heads(80)).toEqual(['document', 'payout', 'fee', 'since']);
  expect(heads(60)).toEqual(['document', 'fee', 'since']);
  expect(heads(40)).toEqual(['document', 'since']);
});
