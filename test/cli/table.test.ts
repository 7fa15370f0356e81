import fc from 'fast-check';
import { expect, it } from 'vitest';
import { table } from '../../src/cli/output.ts';

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

it.each([60, 80, 120])(
  'breaks no word at %i columns: what does not fit beside each other is below each other',
  (width) => {
    const [id, why] = [
      '01890000-0000-7000-8000-000000000001',
      'the bank does not know the account of this payout any more',
    ];
    const text = table(
      ['batch', 'reference', 'why'],
      [
        [id, id, why],
        [id, id, ''],
      ],
      width,
    );
    expect(text.split('\n').filter((line) => line.length > width)).toEqual([]);
    expect(text.split(/\s+/)).toEqual([
      'batch',
      id,
      'reference',
      id,
      'why',
      ...why.split(' '),
      'batch',
      id,
      'reference',
      id,
    ]);
  },
);
