import { expect, it } from 'vitest';
import { currencyTotals } from '../../src/reports/report-sums.ts';

it('adds rows up by currency, each with its own decimals, and apart those that are paid', () => {
  const row = (currency: string, amount: string, state: 'completed' | 'failed' = 'completed') => ({
    ...{ currency, amount, state },
  });
  const rows = [row('USD', '10.5'), row('JPY', '1000'), row('USD', '0.07', 'failed'), row('KWD', '0.001', 'failed')];
  expect(currencyTotals(rows)).toEqual([
    { currency: 'JPY', count: 1, amount: '1000', completed: '1000' },
    { currency: 'KWD', count: 1, amount: '0.001', completed: '0.000' },
    { currency: 'USD', count: 2, amount: '10.57', completed: '10.50' },
  ]);
});
