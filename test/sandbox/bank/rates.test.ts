import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SEED_CURRENCIES } from '../../../src/sandbox/bank/open-books.ts';
import { buyAmountOf, orderRate, quoteRate, rateOf, sellAmountOf } from '../../../src/sandbox/bank/place-orders.ts';

const pair = fc
  .tuple(fc.constantFrom(...SEED_CURRENCIES), fc.constantFrom(...SEED_CURRENCIES))
  .filter(([sell, buy]) => sell !== buy);
const minor = fc.bigInt({ min: 1n, max: 10n ** 15n });

describe('exchange rates', () => {
  test('what buys an amount is the least that buys it', () => {
    fc.assert(
      fc.property(pair, minor, ([sell, buy], wanted) => {
        const rate = rateOf(sell, buy);
        const cost = sellAmountOf(wanted, sell, buy, rate);
        expect(buyAmountOf(cost, sell, buy, rate)).toBeGreaterThanOrEqual(wanted);
        expect(buyAmountOf(cost - 1n, sell, buy, rate)).toBeLessThan(wanted);
      }),
    );
  });

  test('there and back never earns', () => {
    fc.assert(
      fc.property(pair, minor, ([sell, buy], amount) => {
        const there = buyAmountOf(amount, sell, buy, rateOf(sell, buy));
        expect(buyAmountOf(there, buy, sell, rateOf(buy, sell))).toBeLessThanOrEqual(amount);
      }),
    );
  });

  test('a quote shows four decimals, an order ten', () => {
    expect(quoteRate(rateOf('USD', 'JPY'))).toBe('149.1045');
    expect(orderRate(rateOf('USD', 'JPY'))).toBe('149.1044776119');
  });

  test('a drift makes the order worse than the quote', () => {
    expect(orderRate(rateOf('EUR', 'USD', 100))).toBe('1.0730650000');
    expect(orderRate(rateOf('EUR', 'USD'))).toBe('1.0839150000');
  });

  test('a currency without a rate is not supported', () => {
    expect(() => rateOf('USD', 'CLP')).toThrow('Unsupported');
  });
});
