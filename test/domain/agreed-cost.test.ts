import { describe, expect, it } from 'vitest';
import { agreedCost, maxRateOf, mostSoldFor, withSlippage } from '../../src/domain/agreed-cost.ts';

const exchange = {
  sellAccountId: 'from',
  buyAccountId: 'to',
  buyAmount: '100.00',
  buyCurrency: 'USD',
  sellCurrency: 'EUR',
  quotedSellAmount: '92.00',
  buysWhatWasAsked: true,
};

const soldAtMost = (quotedSellAmount: string, maxSlippage: string) =>
  agreedCost(
    { exchange: { ...exchange, quotedSellAmount }, mostSold: withSlippage('92.00', maxSlippage) },
    { maxSlippage },
  ).sellAtMost;

describe('what is agreed to at most', () => {
  it.each([
    ['the first quote', '92.00', '0.01', '92.9200'],
    ['a better one', '91.00', '0.01', '92.9200'],
    ['a worse one within the cap', '92.92', '0.01', '92.9200'],
    ['one above it', '92.93', '0.01', '93.849200'],
    ['one that is just a cap above it', '93.8492', '0.01', '93.849200'],
    ['one of more decimals', '93.84920001', '0.01', '94.77840000'],
    ['one that is worse by far', '184.00', '0.01', '184.910800'],
    ['one that is no number', 'much', '0.01', 'much'],
    ['the first quote without any slippage', '92.00', '0', '92.00'],
    ['a worse one without any slippage', '92.05', '0', '92.09200'],
  ])('is sold: %s', (_what, quoted, cap, atMost) => {
    expect(soldAtMost(quoted, cap)).toEqual({ currency: 'EUR', amount: atMost });
  });

  it('is sold: the quote itself is the first one where none was before', () => {
    expect(agreedCost({ exchange }, { maxSlippage: '0.01' }).sellAtMost?.amount).toBe('92.9200');
  });

  it.each([
    ['no cap', '5.00', undefined, undefined],
    ['a fee within it', '5.00', '5', '5'],
    ['a fee above it', '5.01', '5', '5.01'],
    ['a fee that is not known', undefined, '5', '5'],
  ])('is the fee: %s', (_what, fee, feeCap, atMost) => {
    expect(agreedCost({ fee }, { feeCap, maxSlippage: '0.01' })).toEqual({ feeAtMost: atMost });
  });

  it.each([
    ['of a quote and its cap, rounded up', '108.70', '100.00', '0.01', '1.0978700000'],
    ['of a rate that does not end', '1', '3', '0', '0.3333333334'],
    ['of a currency with small units', '100.00', '1725000', '0.01', '0.0000585508'],
    ['nothing of what is no amount', '108.70', '0', '0.01', undefined],
    ['nothing of what is no number', 'much', '100.00', '0.01', undefined],
  ])('is the rate: %s', (_what, sellAmount, buyAmount, cap, rate) => {
    expect(maxRateOf({ sellAmount, buyAmount }, cap)).toBe(rate);
  });

  it.each([
    ['100.00', '1.0978700000', 'USD', '109.79'],
    ['0.01', '1.0978700000', 'USD', '0.02'],
    ['1000', '163.10', 'JPY', '163100'],
    ['12.50', 'much', 'USD', '0'],
  ])('is sold for %s at %s %s: %s', (bought, maxRate, currency, most) => {
    expect(mostSoldFor(bought, { maxRate, currency })).toBe(most);
  });
});
