import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateText, numberFormatOf, numberText, paddedText } from '../../../src/files/xlsx/workbook.ts';

describe('a number cell', () => {
  it.each([
    ['1250.0999999999999', '1250.1'],
    ['10', '10'],
    ['-0.5', '-0.5'],
    ['1E-3', '0.001'],
    ['1.25E+3', '1250'],
    ['0.30000000000000004', '0.3'],
    ['999999999999999', '999999999999999'],
    ['9.99999999999999E14', '999999999999999'],
    ['0.0', '0'],
    ['000123', '123'],
  ])('of %s is %s', (raw, text) => {
    expect(numberText(raw)).toEqual({ text, mayHaveLostDigits: false });
  });

  it.each([
    '1234567890123456',
    '4.1111111111111101E+15',
    '33.333333333333336',
    '1E+39',
    '1E-41',
    '12345678901234.561',
    '12345678901234.95',
  ])('of %s may have lost digits', (raw) => {
    expect(numberText(raw)?.mayHaveLostDigits).toBe(true);
  });

  it.each(['', 'x', '1,5', '1e5000', 'NaN', '--1', '0x10'])('never of "%s"', (raw) => {
    expect(numberText(raw)).toBeUndefined();
  });

  it('is the amount that was typed, of every amount of up to 14 digits in the form in which Excel writes it', () => {
    const amounts = fc.tuple(fc.bigInt(0n, 10n ** 14n - 1n), fc.constantFrom(0, 2, 3));
    fc.assert(
      fc.property(amounts, ([minor, decimals]) => {
        const digits = `${minor}`.padStart(decimals + 1, '0');
        const typed = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
        // A double in 17 digits.
        const written = Number(typed).toPrecision(17);
        const plain = decimals === 0 ? typed : typed.replace(/\.?0+$/, '');
        expect(numberText(written)).toEqual({ text: plain, mayHaveLostDigits: false });
      }),
    );
  });
});

describe('a number in a format of zeros', () => {
  it.each([
    ['000-000', '62000', '062-000'],
    ['000-000', '1062000', '1062-000'],
    ['00\\/00', '7', '00/07'],
    ['"R0-"00', '123', 'R0-123'],
    ['0000', '0', '0000'],
    ['0000;-0000', '7', '0007'],
    ['[Red]0000;;;@', '7', '0007'],
    ['[$-409]0000_);(0000)', '7', '0007'],
    ['"A;_B-"00', '7', 'A;_B-07'],
  ])('%s: %s is %s', (code, digits, text) => {
    const format = numberFormatOf(200, code);
    expect(format.kind === 'padded' && paddedText(digits, format.places)).toBe(text);
  });
});

describe('a date cell', () => {
  it.each([
    ['46112', false, '2026-03-31'],
    ['44650', true, '2026-03-31'],
    ['46112.708333333336', false, '2026-03-31T17:00:00'],
    ['61', false, '1900-03-01'],
  ])('of %s (from 1904: %s) is %s', (number, isFrom1904, text) => {
    expect(dateText(number, isFrom1904)).toBe(text);
  });

  it.each(['60', '0', '-5', '2958466', '99999999'])('of %s is no day of the calendar', (number) => {
    expect(dateText(number, false)).toBeUndefined();
  });

  it.each<[number, string | undefined, string]>([
    [14, undefined, 'date'],
    [22, undefined, 'date'],
    [0, undefined, 'plain'],
    [20, undefined, 'plain'],
    [164, 'yyyy-mm-dd', 'date'],
    [164, '[$-407]d. mmmm yyyy;@', 'date'],
    [164, '#,##0.00 "days"', 'plain'],
    [164, '[Red]0.00', 'plain'],
    [164, '0\\d', 'plain'],
    [164, '000000000', 'padded'],
    [164, '"INV-"0000', 'padded'],
    [164, '0 "JPY"', 'plain'],
    [164, '0.00 "EUR"', 'plain'],
    [164, '00:00', 'plain'],
    [164, '[<=99]00;000', 'plain'],
    [164, '0.00;00', 'plain'],
  ])('is recognised by its format %i %s: %s', (id, code, kind) => {
    expect(numberFormatOf(id, code).kind).toBe(kind);
  });
});
