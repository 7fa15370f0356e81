import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sumDecimals } from '../../src/domain/money.ts';
import type { ReportedExchange } from '../../src/reports/report-document.ts';
import { partsOf } from '../../src/reports/reported-payout.ts';

const WHOLE: ReportedExchange = {
  ...{ orderId: 'fx-1', accountId: 'acc-eur', soldCurrency: 'EUR', boughtCurrency: 'USD', boughtTo: 'acc-usd' },
  ...{
    soldAmount: '92.11',
    boughtAmount: '100.00',
    quotedAmount: '92.10',
    rate: '0.92',
    fee: '0.05',
    feeCurrency: 'EUR',
  },
};

const of = (...weights: string[]) =>
  partsOf(
    WHOLE,
    'USD',
    weights.map((weight, at) => ({ reference: `${at}`, weight })),
  ).map(([, part]) => part);

it('rounds by largest remainder: the parts of three equal payouts add up', () => {
  const parts = of('33.33', '33.33', '33.33');
  expect(parts.map(({ soldAmount }) => soldAmount)).toEqual(['30.71', '30.70', '30.70']);
  expect(parts.map(({ boughtAmount }) => boughtAmount)).toEqual(['33.34', '33.33', '33.33']);
  expect(parts.map(({ fee }) => fee)).toEqual(['0.02', '0.02', '0.01']);
  expect(parts.map(({ isFirst }) => isFirst)).toEqual([true, false, false]);
});

it('gives the larger payout the larger part, whatever comes first', () => {
  expect(of('0.01', '99.99').map(({ fee }) => fee)).toEqual(['0.00', '0.05']);
});

it('adds up for any payouts, within a minor unit of each exact share', () => {
  const cents = fc.array(fc.bigInt(1n, 10n ** 12n), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(cents, fc.bigInt(0n, 10n ** 14n), (amounts, sold) => {
      const text = (digits: bigint) => `${digits / 100n}.${`${digits % 100n}`.padStart(2, '0')}`;
      const shares = amounts.map((amount, at) => ({ reference: `${at}`, weight: text(amount) }));
      const parts = partsOf({ ...WHOLE, soldAmount: text(sold) }, 'USD', shares).map(([, part]) => part);
      expect(sumDecimals(parts.map(({ soldAmount }) => soldAmount ?? ''))).toBe(text(sold));
      const sum = amounts.reduce((all, amount) => all + amount, 0n);
      for (const [at, { soldAmount }] of parts.entries()) {
        const part = BigInt((soldAmount ?? '').replace('.', ''));
        const exact = sold * (amounts[at] ?? 0n);
        expect(part * sum > exact - sum && part * sum < exact + sum).toBe(true);
      }
    }),
  );
});

it('has no parts of what the bank has not booked', () => {
  const [part] = partsOf({ ...WHOLE, soldAmount: null, fee: null }, 'USD', [{ reference: 'a', weight: '100.00' }]);
  expect(part?.[1]).toMatchObject({ soldAmount: null, fee: null, boughtAmount: '100.00' });
});
