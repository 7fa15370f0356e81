import { describe, expect, it } from 'vitest';
import { agreedCost } from '../../src/domain/agreed-cost.ts';

const exchange = {
  sellAccountId: 'from',
  buyAccountId: 'to',
  buyAmount: '100.00',
  buyCurrency: 'USD',
  sellCurrency: 'EUR',
  quotedSellAmount: '92.00',
  buysWhatWasAsked: true,
};

const soldAtMost = (quotedSellAmount: string, maxSlippage: string, firstSellAmount: string | undefined = '92.00') =>
  agreedCost({ exchange: { ...exchange, quotedSellAmount }, firstSellAmount }, { maxSlippage }).sellAtMost;

describe('what is agreed to at most', () => {
  it.each([
    ['the first quote', '92.00', '0.01', '92.9200'],
    ['a better one', '91.00', '0.01', '92.9200'],
    ['a worse one within the cap', '92.92', '0.01', '92.9200'],
    ['one above it', '92.93', '0.01', '93.8400'],
    ['one that is just two caps worse', '93.84', '0.01', '93.8400'],
    ['one of more decimals', '93.84001', '0.01', '94.76000'],
    ['one that is worse by far', '184.00', '0.01', '184.0000'],
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
});
