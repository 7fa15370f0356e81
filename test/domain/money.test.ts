import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDecimals,
  compareDecimals,
  currencyCodes,
  currencyExponent,
  decimalsEqual,
  exceedsSlippage,
  formatMinor,
  parseAmount,
  sumDecimals,
} from '../../src/domain/money.ts';

const currency = fc.constantFrom(...currencyCodes());
const minor = fc.bigInt({ min: 1n, max: 10n ** 18n - 1n });
const decimalText = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 10 }))
  .map(([digits, scale]) => {
    const text = digits.toString().padStart(scale + 1, '0');
    return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
  });

describe('an instructed amount', () => {
  it('survives the way to minor units and back, in every currency', () => {
    fc.assert(
      fc.property(currency, minor, (code, amount) => {
        const parsed = parseAmount(formatMinor(amount, code), code);
        expect(parsed).toEqual({ ok: true, minor: amount });
      }),
    );
  });

  it('may not have more decimals than its currency, not even zeros', () => {
    fc.assert(
      fc.property(currency, minor, (code, amount) => {
        const exponent = currencyExponent(code) ?? 0;
        const tooFine = `${amount}.${'0'.repeat(exponent + 1)}`;
        expect(parseAmount(tooFine, code)).toEqual({ ok: false, rule: 'too-many-decimals' });
      }),
    );
  });

  it.each([
    ['10.5', 'JPY', 'too-many-decimals'],
    ['1.234', 'USD', 'too-many-decimals'],
    ['0', 'USD', 'not-positive'],
    ['0.00', 'EUR', 'not-positive'],
    ['-1', 'EUR', 'not-a-decimal'],
    ['1e3', 'EUR', 'not-a-decimal'],
    ['1,000.00', 'EUR', 'not-a-decimal'],
    ['', 'EUR', 'not-a-decimal'],
    ['.5', 'EUR', 'not-a-decimal'],
    ['1', 'XXX', 'unknown-currency'],
    ['1', 'eur', 'unknown-currency'],
    ['9'.repeat(19), 'EUR', 'too-large'],
  ])('%s %s is refused as %s', (text, code, rule) => {
    expect(parseAmount(text, code)).toEqual({ ok: false, rule });
  });

  it.each([
    ['HUF', 2],
    ['IDR', 2],
    ['JPY', 0],
    ['KWD', 3],
    ['CLF', 4],
    ['MRU', 2],
  ])('%s has %i decimals, as ISO 4217 says', (code, exponent) => {
    expect(currencyExponent(code)).toBe(exponent);
  });
});

describe('decimals of the bank', () => {
  it('are compared by value, at any scale', () => {
    fc.assert(
      fc.property(decimalText, fc.integer({ min: 1, max: 6 }), (text, zeros) => {
        const padded = text.includes('.') ? text + '0'.repeat(zeros) : `${text}.${'0'.repeat(zeros)}`;
        expect(decimalsEqual(text, padded)).toBe(true);
      }),
    );
  });

  it('add exactly, in any order', () => {
    fc.assert(
      fc.property(fc.array(decimalText, { minLength: 1, maxLength: 8 }), (texts) => {
        expect(decimalsEqual(addDecimals(...texts), addDecimals(...[...texts].reverse()))).toBe(true);
      }),
    );
    expect(addDecimals('0.1', '0.2')).toBe('0.3');
  });

  it('that are no plain decimals compare as unknown, never as equal', () => {
    expect(compareDecimals('1e3', '1000')).toBeUndefined();
    expect(decimalsEqual('NaN', 'NaN')).toBe(false);
  });
});

describe('slippage', () => {
  it('is exceeded only beyond the cap itself', () => {
    expect(exceedsSlippage('100.00', '101.00', '0.01')).toBe(false);
    expect(exceedsSlippage('100.00', '101.0000000001', '0.01')).toBe(true);
    expect(exceedsSlippage('100.00', '99.00', '0')).toBe(false);
  });

  it('that cannot be computed counts as exceeded', () => {
    expect(exceedsSlippage('100', 'about 100', '0.01')).toBe(true);
  });
});

it('as many decimals are added as there are payouts of a busy day', () => {
  expect(sumDecimals(Array<string>(200_000).fill('0.01'))).toBe('2000.00');
});
