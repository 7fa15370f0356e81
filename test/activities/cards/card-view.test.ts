import { describe, expect, it } from 'vitest';
import { viewOf as shown } from '../../../src/activities/card-events.ts';
import { isMerchantRequestId } from '../../../src/domain/card-number.ts';
import type { CardPaymentView } from '../../../src/domain/card-payment.ts';

const PAN = '4000000010000000';
const PAYMENT: CardPaymentView = {
  paymentId: 'pay-1',
  status: 'REQUIRES_ACTION',
  nextAction: { type: '3DS', verifyUrl: 'https://acs.example/v/1' },
  amount: '49.90',
  currency: 'EUR',
  merchantRequestId: 'order-1',
};

const viewOf = (payment: CardPaymentView, known = PAYMENT.paymentId) => shown(payment, known);

describe('viewOf', () => {
  it('keeps what is named, and nothing else', () => {
    expect(viewOf({ ...PAYMENT, ...{ echo: PAN } })).toEqual(PAYMENT);
  });

  it('leaves out every text that holds a card number', () => {
    const verifyUrl = `https://acs.example/v?pan=${PAN}`;
    const view = viewOf({ ...PAYMENT, nextAction: { type: '3DS', verifyUrl }, merchantRequestId: PAN, amount: PAN });
    expect(view).toEqual({
      paymentId: 'pay-1',
      status: 'REQUIRES_ACTION',
      nextAction: { type: '3DS', verifyUrl: null },
      currency: 'EUR',
    });
  });

  it('keeps a UUID in which digits are side by side like those of a card', () => {
    const paymentId = 'pay-e9266951-4427-4090-8375-3dabf60fdd54';
    expect(viewOf({ ...PAYMENT, paymentId })).toMatchObject({ paymentId });
  });

  it.each([{ paymentId: PAN }, { status: `CARD ${PAN}` }])('has none of an id or a status that holds one', (change) => {
    expect(() => viewOf({ ...PAYMENT, ...change })).toThrow(/^the answer has no id that may be kept$/);
  });
  it('keeps an id that is known, with any digits, and the address of its challenge', () => {
    const paymentId = '7234567890123456706';
    const verifyUrl = `https://acs.example/v/${paymentId}`;
    const payment = { ...PAYMENT, paymentId, nextAction: { type: '3DS', verifyUrl } };
    expect(() => viewOf(payment)).toThrow();
    expect(viewOf(payment, paymentId)).toMatchObject({ paymentId, nextAction: { verifyUrl } });
    expect(() => viewOf({ ...payment, status: `CARD ${PAN}` }, paymentId)).toThrow();
  });

  it('keeps every merchant_request_id that the channel takes', () => {
    const merchantRequestId = 'order-1795276103821';
    expect(isMerchantRequestId(merchantRequestId)).toBe(true);
    expect(viewOf({ ...PAYMENT, merchantRequestId })).toMatchObject({ merchantRequestId });
  });
});
