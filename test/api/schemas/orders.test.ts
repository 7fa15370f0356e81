import { expect, test } from 'vitest';
import { order, orderPage } from '../../../src/api/schemas/orders.ts';

const ORDER = { order_id: 'a', status: 'COMPLETED', transaction_amount: '10.50', created_at: 1_700_000_000_000 };

test.each([
  { transaction_amount: '1,000.00' },
  { created_at: '2026-11-25T10:00:00Z' },
  { rate: 'N/A' },
  { fee: { amount: '1.00' } },
])('an order with %j hides no other order of its list, and is read in part', (odd) => {
  const { records } = orderPage.parse({ total: 2, records: [ORDER, { ...ORDER, order_id: 'b', type: 'FX', ...odd }] });
  expect(records).toMatchObject([ORDER, { order_id: 'b', type: 'FX', status: 'COMPLETED', stage: 'paid' }]);
  expect(records[1]).not.toHaveProperty(Object.keys(odd)[0] ?? '');
  expect(order.safeParse({ ...ORDER, ...odd }).success).toBe(false);
});

test.each([{ order_id: '' }, { status: undefined }, { type: {} }])('one with %j makes its list unreadable', (odd) => {
  expect(orderPage.safeParse({ total: 1, records: [{ ...ORDER, ...odd }] }).success).toBe(false);
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
