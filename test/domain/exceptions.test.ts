import { describe, expect, it } from 'vitest';
import { approvalExceptionsOf } from '../../src/domain/gates.ts';
import type { PayeeCheck } from '../../src/domain/payee.ts';

const NO_CAPS = { feeCap: undefined, maxSlippage: '0.01' };
const read = { digest: 'd', fee: '1.00', feeCurrency: 'USD' };

describe('what people have to let through', () => {
  it('is nothing for a payout within its caps', () => {
    expect(approvalExceptionsOf(read, 'p', NO_CAPS)).toEqual([]);
    expect(approvalExceptionsOf(read, 'p', { ...NO_CAPS, feeCap: '1' })).toEqual([]);
  });

  it('is a fee above its cap, and each fee by itself', () => {
    const [exception] = approvalExceptionsOf(read, 'p', { ...NO_CAPS, feeCap: '0.99' });
    expect(exception).toMatchObject({
      digest: 'd/fee-above-cap/1.00 USD',
      reason: { code: 'fee-above-cap', message: expect.stringContaining('fee 1.00 USD, cap 0.99') },
    });
    const [higher] = approvalExceptionsOf({ ...read, fee: '1.01' }, 'p', { ...NO_CAPS, feeCap: '0.99' });
    expect(higher?.digest).not.toBe(exception?.digest);
  });

  it.each([
    [0, ' (earlier the same day)'],
    [1, ' (1 day before)'],
    [3, ' (3 days before)'],
    [null, 'payout'],
  ])('is that it looks like an earlier payout, of which %s days before is said', (daysBefore, text) => {
    expect(approvalExceptionsOf({ ...read, lookAlike: { daysBefore } }, 'p', NO_CAPS)).toEqual([
      {
        digest: 'p/look-alike',
        reason: { code: 'look-alike', message: expect.stringMatching(new RegExp(`${text.replace(/[()]/g, '\\$&')}$`)) },
      },
    ]);
  });

  it('is that an order which was not sent from here may have paid it, bound to that order', () => {
    const [exception, ...none] = approvalExceptionsOf({ ...read, lookAlike: { orderId: 'ord-9' } }, 'p', NO_CAPS);
    expect(none).toEqual([]);
    expect(exception).toMatchObject({
      digest: 'p/look-alike-order/ord-9',
      reason: { code: 'look-alike-order', message: expect.stringMatching(/not sent from here \(ord-9\)$/) },
    });
  });

  it('is each verdict on the payee but match and clear, bound to the payout and to the answer', () => {
    const check = { provider: 'p', payee: 'd', digest: 'answer', askedAt: 1 };
    const hit = { ...check, kind: 'screening', verdict: 'hit' } as const;
    const close = { ...check, kind: 'verification', verdict: 'close-match' } as const;
    const asked = (...checks: PayeeCheck[]) => approvalExceptionsOf({ ...read, checks }, 'p', NO_CAPS);
    expect(asked(close, hit)).toMatchObject([
      { digest: 'p/payee-close-match/answer', reason: { code: 'payee-close-match' } },
      { digest: 'p/screening-hit/answer', reason: { code: 'screening-hit' } },
    ]);
    expect(asked({ ...hit, verdict: 'clear' }, { ...close, verdict: 'match' })).toEqual([]);
  });

  it('comes in one order: what is said of the payout before what is said of its cost', () => {
    const both = approvalExceptionsOf({ ...read, lookAlike: { daysBefore: 1 } }, 'p', { ...NO_CAPS, feeCap: '0.5' });
    expect(both.map(({ reason }) => reason.code)).toEqual(['look-alike', 'fee-above-cap']);
  });
});

describe('what a card payment brought in', () => {
  const collected = { amount: '40.00', currency: 'USD', isTaken: true, covers: true };
  const asked = (over: Partial<typeof collected>) =>
    approvalExceptionsOf({ ...read, collected: { ...collected, ...over } }, 'p', NO_CAPS).map(({ digest }) => digest);

  it('is enough when it was taken and covers the payout', () => {
    expect(asked({})).toEqual([]);
  });

  it('is let through by what was shown: money only reserved, and too little of it', () => {
    const [reserved, small] = ['p/card-payment-not-captured/40.00 USD', 'p/card-payment-too-small/40.00 USD'];
    expect(asked({ isTaken: false })).toEqual([reserved]);
    expect(asked({ covers: false })).toEqual([small]);
    expect(asked({ isTaken: false, covers: false })).toEqual([reserved, small]);
  });
});

describe('the quote of an exchange by itself', () => {
  const quoted = (quotedSellAmount: string, buysWhatWasAsked = true) => ({
    digest: 'd',
    mostSold: '101.00',
    exchange: {
      sellAccountId: 'a',
      buyAccountId: 'b',
      buyAmount: '108.00',
      buyCurrency: 'USD',
      sellCurrency: 'EUR',
      quotedSellAmount,
      buysWhatWasAsked,
    },
  });
  const asked = (amount: string) => approvalExceptionsOf(quoted(amount), 'p', NO_CAPS);

  it('passes up to what was agreed to, and is asked for beyond it', () => {
    expect(asked('101.00')).toEqual([]);
    expect(asked('101.01')).toMatchObject([
      {
        reason: {
          code: 'slippage-above-cap',
          message: 'the exchange rate moved by more than the cap (101.01 EUR now, at most 101.00 agreed)',
        },
      },
    ]);
  });

  it('is let through up to the next cap, and asked for again beyond that', () => {
    const [first] = asked('101.01');
    expect(asked('102.01')[0]?.digest).toBe(first?.digest);
    expect(asked('102.02')[0]?.digest).not.toBe(first?.digest);
  });

  it('is not compared when it buys something else than was asked', () => {
    expect(approvalExceptionsOf(quoted('200.00', false), 'p', NO_CAPS)).toEqual([]);
  });

  it('of a payout without a plan is compared once it is booked', () => {
    const { mostSold: _agreed, ...ofPayout } = quoted('200.00');
    expect(approvalExceptionsOf(ofPayout, 'p', NO_CAPS)).toEqual([]);
  });
});
