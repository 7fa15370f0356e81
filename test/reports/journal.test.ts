import { parse } from 'csv-parse/sync';
import { assert, asyncProperty, constantFrom, integer, option, record as recordOf, subarray } from 'fast-check';
import { expect, it } from 'vitest';
import { addDecimals, formatMinor } from '../../src/domain/money.ts';
import { type JournalAccounts, journalCsv } from '../../src/reports/erp-file.ts';
import { type MovedFacts, movedBy } from '../../src/reports/movements.ts';
import { attempt, booked, exchangeAttempt, paidFacts, payment, SEEN_AT } from './moved.ts';

const ACCOUNTS: JournalAccounts = {
  bank: 'bank:{account}',
  payment: 'payouts',
  fee: 'bank-fees',
  exchange: 'exchange:{currency}',
  return: 'returned-payouts',
};

const csv = async (facts: readonly MovedFacts[], accounts = ACCOUNTS): Promise<string> =>
  (await Array.fromAsync(journalCsv(facts.map(movedBy), accounts))).join('');

type Line = Record<'entry' | 'kind' | 'account' | 'debit' | 'credit' | 'currency', string>;

it('books each movement as an entry, what leaves the bank credited there', async () => {
  const back = { reference: 'ref', orderId: 'r-1', amount: '10.00', currency: 'EUR', seenAt: SEEN_AT + 86_400_000 };
  const facts = paidFacts({ exchangeAttempts: [exchangeAttempt()], exchange: booked(), returns: [back] });
  const lines = parse<Line & { date: string; document: string }>(await csv([facts]), { columns: true });
  expect(
    lines.map(({ entry, account, debit, credit, currency }) => [entry.slice(33), account, debit, credit, currency]),
  ).toEqual([
    ['X', 'exchange:USD', '12.50', '', 'USD'],
    ['X', 'bank:acc-usd', '', '12.50', 'USD'],
    ['X', 'exchange:EUR', '', '11.50', 'EUR'],
    ['X', 'bank:acc-eur', '11.50', '', 'EUR'],
    ['P', 'payouts', '10.00', '', 'EUR'],
    ['P', 'bank:acc-eur', '', '10.00', 'EUR'],
    ['F', 'bank-fees', '1.50', '', 'EUR'],
    ['F', 'bank:acc-eur', '', '1.50', 'EUR'],
    ['R', 'returned-payouts', '', '10.00', 'EUR'],
    ['R', 'bank:acc-eur', '10.00', '', 'EUR'],
  ]);
  expect(lines.map(({ date }) => date)).toEqual([...Array(8).fill('2026-03-31'), '2026-04-01', '2026-04-01']);
  expect(new Set(lines.map(({ document }) => document))).toEqual(new Set(['INV-1']));
});

it('names nobody, and no account number', async () => {
  const text = await csv([paidFacts()]);
  expect(text).not.toMatch(/Ramirez|99887766/);
});

it('is nothing but its columns where nothing has moved', async () => {
  expect((await csv([])).trim().split('\n')).toHaveLength(1);
});

it('has no formula in it', async () => {
  const accounts = { ...ACCOUNTS, payment: '=1+1' };
  expect(await csv([paidFacts()], accounts)).toContain("'=1+1");
});

/** Every amount, state and fact that a payout of one file may come to. */
const CURRENCIES = ['EUR', 'USD', 'JPY', 'KWD'] as const;
const anyFacts = recordOf({
  minor: integer({ min: 1, max: 10 ** 12 }),
  sold: integer({ min: 1, max: 10 ** 12 }),
  fee: option(integer({ min: 0, max: 10 ** 6 }), { nil: null }),
  currency: constantFrom(...CURRENCIES),
  soldCurrency: constantFrom(...CURRENCIES),
  feeCurrency: constantFrom(...CURRENCIES),
  state: constantFrom('completed', 'failed', 'processing', 'needs-operator'),
  isExchanged: constantFrom(true, false),
  returned: subarray([1, 2, 3]),
}).map(({ minor, sold, fee, currency, soldCurrency, feeCurrency, state, isExchanged, returned }): MovedFacts => {
  const amount = formatMinor(BigInt(minor), currency);
  const orders = isExchanged && soldCurrency !== currency;
  return paidFacts(
    {
      attempts: [attempt({ request: { ...payment, amount, currency, accountId: `acc-${currency}` } })],
      exchangeAttempts: orders ? [exchangeAttempt({ request: sentExchange(amount, currency, soldCurrency) })] : [],
      exchange: orders
        ? booked({
            soldAmount: formatMinor(BigInt(sold), soldCurrency),
            soldCurrency,
            boughtAmount: amount,
            boughtCurrency: currency,
            fee: fee === null ? null : formatMinor(BigInt(fee), feeCurrency),
            feeCurrency,
          })
        : undefined,
      returns: returned.map((part) => ({
        reference: 'ref',
        orderId: `r-${part}`,
        amount: formatMinor(BigInt(part), currency),
        currency,
        seenAt: SEEN_AT + part,
      })),
    },
    {
      state,
      amount,
      currency,
      fee: fee === null ? null : formatMinor(BigInt(fee), feeCurrency),
      feeCurrency: fee === null ? null : feeCurrency,
    },
  );
});

const sentExchange = (amount: string, currency: string, sellCurrency: string) => ({
  sellAccountId: `acc-${sellCurrency}`,
  buyAccountId: `acc-${currency}`,
  amount,
  currency,
  expiredAt: 0,
  sellCurrency,
  quotedSellAmount: '1',
});

it('balances in every entry and every currency, for all movements, in the same bytes each time', async () => {
  let entries = 0;
  await assert(
    asyncProperty(anyFacts, async (facts) => {
      const text = await csv([facts]);
      expect(await csv([facts])).toBe(text);
      const lines = parse<Line>(text, { columns: true });
      for (const line of lines) {
        expect([line.debit, line.credit].filter((it) => it !== '')).toHaveLength(1);
        expect(line.debit + line.credit).toMatch(/^\d+(\.\d+)?$/);
      }
      for (const group of Map.groupBy(lines, ({ entry, currency }) => `${entry} ${currency}`).values()) {
        const sum = (side: 'debit' | 'credit') => addDecimals('0.000', ...group.map((line) => line[side] || '0'));
        expect(sum('debit')).toBe(sum('credit'));
        expect(sum('debit')).not.toBe('0.000');
        entries += 1;
      }
      // What the bank account shows is what was moved, each posting once.
      const { movements } = movedBy(facts);
      const postings = movements.flatMap((movement) => movement.postings);
      expect(lines.filter(({ account }) => account.startsWith('bank:'))).toHaveLength(postings.length);
      expect(lines).toHaveLength(2 * postings.length);
    }),
    { numRuns: 500 },
  );
  expect(entries).toBeGreaterThan(500);
});
