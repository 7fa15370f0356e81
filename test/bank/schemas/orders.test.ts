import { expect, test } from 'vitest';
import { order, orderPage } from '../../../src/bank/schemas/orders.ts';

const ORDER = { order_id: 'a', status: 'COMPLETED', transaction_amount: '10.50', created_at: 1_700_000_000_000 };

test.each([
  { created_at: '2026-11-25T10:00:00Z' },
  { updated_at: {} },
  { rate: 'N/A' },
  { payment_type: [] },
  { fee: { amount: '1.00' } },
  { fee_currency: {} },
])('an order with %j, by which nothing is decided, is read without it', (odd) => {
  const read = order.parse({ ...ORDER, ...odd });
  expect(read).toMatchObject({ order_id: 'a', stage: 'paid', transaction_amount: '10.50' });
  expect(read[Object.keys(odd)[0] as keyof typeof read]).toBeUndefined();
  expect(read).not.toHaveProperty('unreadable');
});

test.each([
  { transaction_amount: '1,000.00' },
  { transaction_uid: {} },
  { type: {} },
  { direct: ['OUT'] },
  { client_order_id: {} },
  { transaction_currency: {} },
  { sell_amount: 'ten' },
])('one with %j says so, and hides no other order of its list', (odd) => {
  const page = orderPage.parse({ total: 2, records: [ORDER, { ...ORDER, order_id: 'b', ...odd }] });
  expect(page.records).toMatchObject([ORDER, { order_id: 'b', stage: 'paid', unreadable: Object.keys(odd) }]);
  expect(page.doubt).toBeUndefined();
});

test.each([undefined, null, '', {}])('the status %j is unclear, and people are shown why', (status) => {
  expect(order.parse({ ...ORDER, status })).toMatchObject({ status: 'not readable', stage: 'unknown' });
});

test.each([{ order_id: '' }, { order_id: {} }, { order_id: undefined }])(
  'one with %j is in nobody’s list, and makes its list prove nothing',
  (odd) => {
    const page = orderPage.parse({ total: 2, records: [{ ...ORDER, ...odd }, ORDER] });
    expect(page).toMatchObject({ records: [ORDER], doubt: 'records that cannot be read' });
    expect(order.safeParse({ ...ORDER, ...odd }).success).toBe(false);
  },
);

test.each([{ total: 'many' }, { page: {} }, { page_size: -1 }])(
  'a page with %j does not count as one that does not show it',
  (odd) => {
    expect(orderPage.parse({ total: 1, records: [ORDER], ...odd })).toMatchObject({
      records: [ORDER],
      doubt: 'page numbers that cannot be read',
    });
  },
);

test('the number of pages decides nothing', () => {
  const page = orderPage.parse({ total: 1, pages: 'many', records: [ORDER] });
  expect([page.pages, page.doubt]).toEqual([undefined, undefined]);
});

test('words of enumerations and currencies are read in any case, and people see the status as it is written', () => {
  const written = {
    type: 'payment',
    direct: ' Out',
    transaction_currency: 'usd',
    fee_currency: 'Eur',
    status: 'completed',
  };
  const read = {
    type: 'PAYMENT',
    direct: 'OUT',
    transaction_currency: 'USD',
    fee_currency: 'EUR',
    status: 'completed',
  };
  expect(order.parse({ ...ORDER, ...written })).toMatchObject({ ...read, stage: 'paid' });
  expect(order.parse({ ...ORDER, type: ' ', direct: null })).toMatchObject({ type: undefined, direct: undefined });
});
