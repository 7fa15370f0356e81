import { expect, test } from 'vitest';
import { paidThroughAnExchange, record, reportOf } from './records.ts';

const eur = (row: number, amount: string, change = {}) =>
  record(row, 'completed', { amount, fee: '0.10', feeCurrency: 'EUR', ...change });

test('say per account and currency what was paid, charged, sold, bought and returned', async () => {
  const { rows, facts } = paidThroughAnExchange();
  const others = [eur(2, '0.10'), eur(3, '0.20'), record(4, 'failed', { amount: '7' }, 'bank-failed')];
  const { accounts, currencies, exchanges, totals } = await reportOf([...rows, ...others], { facts });
  const nothing = { fees: '0.00', sold: '0.00', bought: '0.00', returned: '0.00' };
  const euros = { accountId: 'acc-eur', currency: 'EUR', payouts: 1, amount: '1000.00', completed: '1000.00' };
  const dollars = { accountId: 'acc-usd', currency: 'USD', payouts: 0, amount: '0.00', completed: '0.00' };
  expect(accounts).toEqual([
    { ...nothing, accountId: 'acc-1', currency: 'EUR', payouts: 3, amount: '7.30', completed: '0.30', fees: '0.20' },
    { ...nothing, ...euros, fees: '1.50', bought: '1001.50', returned: '4.00' },
    { ...nothing, ...dollars, fees: '2.00', sold: '1085.20' },
  ]);
  expect(currencies.map(({ currency, payouts, fees, completed }) => [currency, payouts, fees, completed])).toEqual([
    ['EUR', 4, '1.70', '1000.30'],
    ['USD', 0, '2.00', '0.00'],
  ]);
  const pair = { accountId: 'acc-usd', soldCurrency: 'USD', boughtCurrency: 'EUR' };
  expect(exchanges).toEqual([{ ...pair, exchanges: 1, sold: '1085.20', bought: '1001.50', quoted: '1085.00' }]);
  // A currency that was only sold is no currency of a payout.
  expect(totals.map(({ currency }) => currency)).toEqual(['EUR']);
});

test('count an exchange once it is booked, and not before', async () => {
  const { rows, facts } = paidThroughAnExchange('held');
  const { accounts, exchanges, payouts } = await reportOf(rows, { facts: { 1: { ...facts[1], booked: undefined } } });
  expect(exchanges).toEqual([]);
  expect(accounts.map(({ accountId, sold, bought }) => [accountId, sold, bought])).toEqual([
    ['acc-eur', '0.00', '0.00'],
  ]);
  expect(payouts[0]?.exchange).toMatchObject({ soldAmount: null, quotedAmount: '1085.00', boughtAmount: '1001.50' });
});

test('hold amounts that no float holds', async () => {
  const big = '999999999999999999.99';
  const { totals, currencies } = await reportOf([eur(1, big), eur(2, big), eur(3, '0.03')]);
  expect(totals).toEqual([{ currency: 'EUR', amount: '2000000000000000000.01', completed: '2000000000000000000.01' }]);
  expect(currencies[0]?.completed).toBe('2000000000000000000.01');
});
