import fc from 'fast-check';
import { expect, it } from 'vitest';
import { forSpreadsheet, fromSpreadsheet } from '../../src/domain/text.ts';

const anyText = fc.string({
  unit: fc.constantFrom("'", '=', '+', '-', '@', ';', '\t', '\r', '\n', ' ', '\u00a0', 'a', '1', '＝', '＋'),
  maxLength: 12,
});

it('is read back unchanged, and begins no formula wherever a spreadsheet may begin a cell', () => {
  fc.assert(
    fc.property(anyText, (value) => {
      const text = forSpreadsheet(value);
      expect(fromSpreadsheet(text)).toBe(value);
      expect(text.split(/[;\t\r\n]/).filter((cell) => /^\s*[=+\-@＝＋－＠]/.test(cell))).toEqual([]);
    }),
    { numRuns: 5_000 },
  );
});

it.each([
  ['=1\t+2', "'=1\t'+2"],
  ['+49 170 1234', "'+49 170 1234"],
  ['\tCMD', "'\tCMD"],
  [' @SUM(A1)', "' @SUM(A1)"],
  ['a;=b', "a;'=b"],
  ["'=1", "''=1"],
  ["'t Hooft", "'t Hooft"],
  ['1250.00', '1250.00'],
])('%j is written as %j', (value, text) => {
  expect(forSpreadsheet(value)).toBe(text);
  expect(fromSpreadsheet(text)).toBe(value);
});
