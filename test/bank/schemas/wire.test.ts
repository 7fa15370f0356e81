import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { accountBalance } from '../../../src/bank/schemas/accounts.ts';
import { order } from '../../../src/bank/schemas/orders.ts';
import { fxQuote, orderFee } from '../../../src/bank/schemas/transactions.ts';
import {
  amount,
  decimal,
  identifier,
  optionalAmount,
  optionalDecimal,
  optionalText,
  optionalTimestamp,
  pageOf,
} from '../../../src/bank/schemas/wire.ts';

const record = z.object({ text: optionalText, amount: optionalDecimal, at: optionalTimestamp });

test.each(['1.25', '-1.25', -1.25, ' -1.25 '])('an amount of %j is how much it is, without a sign', (wire) => {
  expect([amount.parse(wire), optionalAmount.parse(wire)]).toEqual(['1.25', '1.25']);
  expect([optionalAmount.parse(null), optionalAmount.parse('')]).toEqual([undefined, undefined]);
});

describe('money reads the same however an answer spells it, so that an approval of a fee stays one', () => {
  test.each(['1.5', '1.50', '1.500000', 1.5])('%j', (wire) => {
    const quote = { sell_amount: wire, buy_amount: wire, fee: wire, fee_currency: 'EUR', rate: '1.1000' };
    const of = { sell_account: 'a', buy_account: 'b', sell_currency: 'EUR', buy_currency: 'KWD' };
    expect(orderFee.parse({ fee: wire, fee_currency: 'usd' })).toEqual({ fee: '1.50', fee_currency: 'USD' });
    expect(fxQuote.parse({ ...quote, ...of })).toMatchObject({ sell_amount: '1.50', buy_amount: '1.500', fee: '1.50' });
    expect(
      order.parse({
        order_id: 'o',
        status: 'COMPLETED',
        transaction_amount: wire,
        transaction_currency: 'USD',
        fee: wire,
      }),
    ).toMatchObject({ transaction_amount: '1.50', fee: String(wire) });
    expect(
      accountBalance.parse({ uid: 'u', account_id: 'a', currency: 'USD', balance: wire, frozen: null }),
    ).toMatchObject({ balance: '1.50', frozen: undefined });
  });
});

test.each([
  ['-2', 'USD', '-2.00'],
  ['0.0125', 'USD', '0.0125'],
  ['150.000', 'JPY', '150'],
  ['1.500', 'XXQ', '1.500'],
])('%s %s is spelled %s', (balance, currency, spelling) => {
  expect(accountBalance.parse({ uid: 'u', account_id: 'a', currency, balance })).toMatchObject({ balance: spelling });
});

describe('an optional field', () => {
  test.each([{}, { text: null, amount: null, at: null }, { text: '', amount: '', at: '' }])(
    'may be missing, null or empty: %j',
    (wire) => {
      const { text, amount, at } = record.parse(wire);
      expect([text, amount, at]).toEqual([undefined, undefined, undefined]);
    },
  );

  test('is read from any scalar type', () => {
    expect(record.parse({ text: 5, amount: 12.5, at: '1767225600000' })).toEqual({
      text: '5',
      amount: '12.5',
      at: 1767225600000,
    });
  });
});

test.each(['1e5', 'abc', '1,000.00', '', 1e21])('%j is no decimal', (value) => {
  expect(decimal.safeParse(value).success).toBe(false);
});

test.each(['', null, 1.5, {}])('%j is no identifier', (value) => {
  expect(identifier.safeParse(value).success).toBe(false);
});

test('a text is as every store and every server takes it', () => {
  expect(identifier.parse('ord-\ud83d-\0')).toBe('ord-\ufffd-\ufffd');
  expect(optionalText.parse('\udc00 and \u{1f642}')).toBe('\ufffd and \u{1f642}');
});

describe('a page', () => {
  const page = pageOf(z.object({ id: identifier }));

  test.each([{ total: 0 }, { records: null }, { records: [] }])('%j is empty', (empty) => {
    expect(page.parse(empty).records).toEqual([]);
  });

  test.each([{}, { page: 1, pages: 0 }, { total: null }])('%j does not say that it is', (silent) => {
    expect(page.safeParse(silent).success).toBe(false);
  });

  test('with total null has no total: null is not 0', () => {
    expect(page.parse({ total: null, records: [{ id: 'a' }] }).total).toBeUndefined();
  });

  test('takes counts as digits', () => {
    expect(page.parse({ total: '41', page: '1', pages: 3, page_size: 20, records: null })).toMatchObject({
      total: 41,
      page: 1,
      pages: 3,
    });
  });
});

test('no text of the bank holds U+0000, which PostgreSQL does not store', () => {
  const text = 'a\0b';
  const { status, client_order_id, order_id } = order.parse({ order_id: text, client_order_id: text, status: text });
  expect([status, client_order_id, order_id]).toEqual(['a\ufffdb', 'a\ufffdb', 'a\ufffdb']);
});

test('a word longer than any of the interface is cut, and never into one that is listed', () => {
  const long = 'W'.repeat(99) + '\u{1f642}'.repeat(5_000);
  const spaced = `COMPLETED${' '.repeat(10_000)}`;
  const { status, stage, fee_currency } = order.parse({ order_id: '1', status: long, fee: '1.5', fee_currency: long });
  expect([status, stage, fee_currency]).toEqual([`${'W'.repeat(99)}\ufffd\u2026`, 'unknown', status]);
  expect(order.parse({ order_id: '1', status: spaced }).stage).toBe('paid');
  expect(order.parse({ order_id: '1', status: `${spaced}NOT` }).stage).toBe('unknown');
});
