import { describe, expect, it } from 'vitest';
import { cameBackOf, sameReturn, shownStateOf } from '../../src/domain/returned.ts';

const PAID = { amount: '1000.00', currency: 'EUR' };
const back = (amount: string, change: { currency?: string; reasonCode?: string; seenAt?: number } = {}) => ({
  ...{ amount, currency: 'EUR', reasonCode: null, seenAt: 5 },
  ...change,
});
const completed = (...returns: ReturnType<typeof back>[]) =>
  shownStateOf({ state: 'completed', stateSince: 1, reason: null, cameBack: cameBackOf(PAID, returns) ?? null });

describe('a completed payout', () => {
  it('is completed while nothing came back in its currency', () => {
    expect(completed()).toEqual({ state: 'completed', reason: null, since: 1 });
    expect(completed(back('1000.00', { currency: 'USD' }))).toMatchObject({ state: 'completed', reason: null });
  });

  it('is returned once all of it came back, with the reasons in words and without text of the bank', () => {
    const shown = completed(back('-400.00', { reasonCode: 'AC04' }), back('600', { reasonCode: 'AC04', seenAt: 9 }));
    expect(shown).toEqual({
      state: 'returned',
      reason: {
        code: 'returned',
        message: 'the money came back: 1,000.00 EUR; the account of the payee is closed (AC04)',
      },
      since: 9,
    });
  });

  it('stays completed while a part is left, and says how much', () => {
    expect(completed(back('995.00', { reasonCode: 'XX99' }))).toMatchObject({
      state: 'completed',
      reason: {
        code: 'partly-returned',
        message: 'a part of the money came back: 995.00 EUR, and 5.00 EUR did not; XX99',
      },
    });
  });
});

it('says nothing of returns before its end', () => {
  const cameBack = cameBackOf(PAID, [back('1000.00')]) ?? null;
  expect(shownStateOf({ state: 'processing', stateSince: 1, reason: null, cameBack })).toMatchObject({
    state: 'processing',
    reason: null,
  });
});

describe('a return that a second source shows', () => {
  const known = (orderId: string, amount: string) => ({
    ...{ orderId, amount, currency: 'EUR', shownBy: 'orders' as const, otherId: null },
  });
  const same = (amount: string, free: ReturnType<typeof known>[], cameBack: string) =>
    sameReturn({ amount, currency: 'EUR' }, free, { paid: PAID, cameBack })?.orderId;

  it('is the first of equal amount', () => {
    expect(same('500.00', [known('o-1', '510.00'), known('o-2', '-500.00')], '1010.00')).toBe('o-2');
  });

  it('is the nearest that differs by no more than a fee, in either direction', () => {
    expect(same('395.00', [known('o-1', '410.00'), known('o-2', '400.00')], '810.00')).toBe('o-2');
    expect(same('400.00', [known('o-1', '395.00')], '395.00')).toBe('o-1');
    expect(same('380.00', [known('o-1', '400.00')], '400.00')).toBeUndefined();
  });

  it('differs by more only if more than was paid would have come back', () => {
    expect(same('900.00', [known('o-1', '1000.00')], '1000.00')).toBe('o-1');
    expect(same('400.00', [known('o-1', '500.00')], '500.00')).toBeUndefined();
    expect(
      sameReturn({ amount: '995.00', currency: 'USD' }, [known('o-1', '1000.00')], { paid: PAID, cameBack: '0' }),
    ).toBeUndefined();
  });
});
