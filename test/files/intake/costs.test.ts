import { expect, it } from 'vitest';
import type { Bank } from '../../../src/bank/bank.ts';
import { costsOf } from '../../../src/files/intake/costs.ts';
import type { ClaimRow } from '../../../src/store/store.ts';
import { claimRowsOf } from './rows.ts';
import { checkedOf } from './staged.ts';

const OWN = [
  { account_id: 'acc-usd', uid: 'u-1001', currency: 'USD', balance: '100.00' },
  { account_id: 'acc-eur', uid: 'u-1001', currency: 'EUR', balance: '100.00' },
  { account_id: 'acc-jpy', uid: 'u-1001', currency: 'JPY', balance: '0' },
];

/** Fees of 1 % of the amount; one dollar is two euros, and yen have no rate. */
function bankOf(quotes: string[] = []): Bank {
  const refuse = () => Promise.reject(new Error('no rate'));
  return {
    accounts: {
      get: async (id: string) => OWN.find(({ account_id }) => account_id === id),
      ofUser: async () => OWN,
    },
    transactions: {
      paymentFee: async ({ amount, currency, account_id }: Record<string, string>) => {
        quotes.push(`${account_id} ${amount}`);
        return { fee: (Number(amount) / 100).toFixed(2), fee_currency: currency };
      },
      fxQuote: async ({ sell_account, buy_account, amount, currency }: Record<string, string>) => {
        if (sell_account === 'acc-jpy') return refuse();
        const sells = currency === 'USD';
        const other = (Number(amount) * (sells ? 2 : 0.5)).toFixed(2);
        const sides = sells ? { sell_amount: amount, buy_amount: other } : { sell_amount: other, buy_amount: amount };
        return { sell_account, buy_account, ...sides, rate: '2.0000' };
      },
    },
  } as unknown as Bank;
}

const row = (n: number, more: Partial<ClaimRow['instruction']> = {}) => ({
  id: `d-${n}`,
  account_id: 'acc-usd',
  amount: '10.00',
  ...more,
});

const accountsOf = (...accounts: [accountId: string, currency: string, amount: string][]) => ({
  accounts: accounts.map(([accountId, currency, amount]) => ({
    ...{ uid: 'u-1001', accountId, currency, amount, count: 1 },
  })),
});

it('quotes 25 fees and estimates the others by them, of payees without an id too', async () => {
  const quotes: string[] = [];
  const given = Array.from({ length: 30 }, (_, n) => row(n));
  const byDetails = row(99, { beneficiary_id: undefined, account_no: '1', payment_type: 'local' });
  const { staged } = checkedOf('a.csv', claimRowsOf(...given, byDetails));
  const costs = await costsOf(
    bankOf(quotes),
    { plan: accountsOf(['acc-usd', 'USD', '310.00']), staged, quotes: [] },
    undefined,
  );
  expect(quotes).toHaveLength(25);
  expect(costs).toMatchObject({ feesUnknown: 0, inBase: null });
  expect(costs.fees).toEqual([{ currency: 'USD', amount: '3.10', quoted: 25, estimated: 6 }]);
  expect(costs.balances).toMatchObject([{ needs: '313.10', after: '-213.10' }]);
});

it('quotes rows of each kind, and says of how many kinds of rows nothing is known', async () => {
  const euros = Array.from({ length: 30 }, (_, n) => row(n, { account_id: 'acc-eur', currency: 'EUR' }));
  const yen = row(98, { account_id: 'acc-jpy', currency: 'JPY', amount: '5', beneficiary_id: undefined });
  const { staged } = checkedOf('a.csv', claimRowsOf(...euros, row(99), yen));
  const asked = accountsOf(['acc-eur', 'EUR', '300.00'], ['acc-usd', 'USD', '10.00'], ['acc-jpy', 'JPY', '5']);
  const costs = await costsOf(bankOf(), { plan: asked, staged, quotes: [] }, undefined);
  expect(costs.fees).toEqual([
    { currency: 'EUR', amount: '3.00', quoted: 24, estimated: 6 },
    { currency: 'USD', amount: '0.10', quoted: 1, estimated: 0 },
  ]);
  expect(costs.feesUnknown).toBe(1);
});

it('exchanges for amount and fee, and adds everything up in one currency', async () => {
  const { staged } = checkedOf('a.csv', claimRowsOf(row(1, { currency: 'EUR', amount: '40.00' }), row(2)));
  const asked = accountsOf(['acc-usd', 'EUR', '40.00'], ['acc-usd', 'USD', '10.00']);
  const quote = {
    ...{ uid: 'u-1001', accountId: 'acc-usd', sellCurrency: 'USD', currency: 'EUR', payingAccountId: 'acc-eur' },
    ...{ buyAmount: '40.00', sellAmount: '20.00', rate: '2.0000', maxSlippage: '0.01' },
  };
  const { balances, inBase } = await costsOf(bankOf(), { plan: asked, staged, quotes: [quote] }, 'EUR');
  expect(balances).toMatchObject([
    { accountId: 'acc-usd', needs: '30.30', exchanges: [{ buyAmount: '40.40', sellAmount: '20.20' }] },
  ]);
  expect(inBase).toEqual({ currency: 'EUR', amount: '60.60', without: [] });
});
