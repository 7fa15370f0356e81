import { describe, expect, it, test } from 'vitest';
import { oneOf, SIMPLE_TYPES, schemaDecimal, textUpTo } from '../../../src/files/iso20022/simple-types.ts';

const valid: Record<string, string[]> = {
  Amount: ['0', '12.5', '+12.50', '.5', '5.', ' 7 ', '123456789012345678', '000000000000000000001', '1.1234500'],
  Bic: ['SAMPDE2H', 'SAMPDE2HXXX'],
  Bicfi: ['SAMPDE00', '1AMPDE00XXX'],
  Boolean: ['true', 'false', '1', '0', ' true\n'],
  Date: ['2024-02-29', '2026-12-31Z', '2026-12-31+14:00', '0026-01-01'],
  DateTime: ['2026-03-31T00:00:00', '2026-03-31T24:00:00', '2026-03-31T17:00:00.123-05:30'],
  Decimal: ['-1.5', '0.12345678901234567'],
  Iban: ['FR00SAMPLE', 'DE89370400440532013000'],
  NumericText: ['1', '000000000000007'],
  Phone: ['+49-30(0)12-3', '+1-5'],
  Uuid: ['8f7d0f3e-2d0b-4b9c-9f55-3f1f6c1d2e00'],
};
const wrong: Record<string, string[]> = {
  Amount: ['', '-0.01', '1e3', '1,5', '.', '1.123456', '1234567890123456789', '1 0'],
  Bic: ['SAMPDE10', 'sampDE2H', 'SAMPDE2HX', ' SAMPDE2H'],
  Bicfi: ['SAMPD000', 'SAMPDE0'],
  Boolean: ['TRUE', 'yes', ''],
  Date: ['2026-02-29', '2026-13-01', '2026-1-1', '0000-01-01', '2026-01-01+15:00', '2026-03-31T00:00:00'],
  DateTime: ['2026-03-31', '2026-03-31T24:00:01', '2026-03-31T12:00:60', '2026-03-31T12:00', '2026-02-30T12:00:00'],
  Decimal: ['1.123456789012345678', '123456789012345678.5'],
  Iban: ['FR00 SAMPLE', 'fr00SAMPLE', 'FR0'],
  NumericText: ['', '1.0', '1234567890123456', ' 1'],
  Phone: ['0301234', '+49 30123', '+1-'],
  Uuid: ['8F7D0F3E-2d0b-4b9c-9f55-3f1f6c1d2e00', '8f7d0f3e-2d0b-1b9c-9f55-3f1f6c1d2e00'],
};

describe('values', () => {
  it.each(Object.keys(valid))('%s: what is allowed passes, what is not is a bad value', (name) => {
    const check = SIMPLE_TYPES[name]?.check ?? (() => undefined);
    expect(valid[name]?.filter((text) => check(text) !== undefined)).toEqual([]);
    expect(wrong[name]?.filter((text) => check(text)?.rule !== 'bad-value')).toEqual([]);
  });

  it('text counts characters, not UTF-16 units', () => {
    const check = textUpTo(35);
    expect(check('\u{1f600}'.repeat(35))).toBeUndefined();
    expect(check('x'.repeat(36))).toEqual({ rule: 'too-long', message: '36 characters where 35 are allowed' });
    expect(check('')?.rule).toBe('empty-element');
    expect(check(' ')).toBeUndefined();
  });

  it('no message holds the value', () => {
    const checks = [...Object.values(SIMPLE_TYPES).map(({ check }) => check), textUpTo(3), oneOf(['A'])];
    for (const check of checks) expect(check('secret-4711')?.message).not.toContain('4711');
  });
});

test('decimals are exact', () => {
  expect(schemaDecimal(' -12.340 ')).toEqual({ digits: -12340n, scale: 3 });
  expect(schemaDecimal('.5')).toEqual({ digits: 5n, scale: 1 });
  expect(schemaDecimal('5.')).toEqual({ digits: 5n, scale: 0 });
  expect(schemaDecimal('1e3')).toBeUndefined();
});
