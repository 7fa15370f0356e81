import { expect, it } from 'vitest';
import { amountPaid, paidShown } from '../../src/domain/sent-order.ts';

const NO_FEE = { fee: null, feeCurrency: null };
const sent = { amount: '14.00', currency: 'EUR' } as never;

it('is what the bank shows, not what was asked', () => {
  const order = { order_id: 'o', status: 's', stage: 'paid', transaction_amount: '9999.00' } as never;
  const { amount = null, currency = null } = paidShown('payment', order);
  expect(amountPaid({ amount, currency }, sent, NO_FEE)).toEqual({ amount: '9999.00', currency: 'EUR' });
});

it('leaves out a fee that the bank counts in', () => {
  const shown = { amount: '15.50', currency: 'EUR' };
  expect(amountPaid(shown, sent, { fee: '1.50', feeCurrency: 'EUR' })).toEqual({ amount: '14.00', currency: 'EUR' });
  expect(amountPaid(shown, sent, { fee: '1.50', feeCurrency: 'USD' })).toEqual(shown);
});

it('is what was sent where the bank shows no amount, and unknown where neither is known', () => {
  expect(amountPaid({ amount: null, currency: null }, sent, NO_FEE)).toEqual({ amount: '14.00', currency: 'EUR' });
  expect(amountPaid(undefined, undefined, NO_FEE)).toBeUndefined();
});
