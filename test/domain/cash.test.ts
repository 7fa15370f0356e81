import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CashNeed, cashLines } from '../../src/domain/cash.ts';

const DAYS = ['2026-03-30', '2026-03-31', '2026-04-01'];
const account = { uid: 'u', accountId: 'acc', currency: 'USD', balance: '100.00', frozen: null };
const need = (amount: string, due = DAYS[0] ?? '', isAtBank = false): CashNeed => ({
  accountId: 'acc',
  amount,
  due,
  isAtBank,
});
const lineOf = (...needs: CashNeed[]) => cashLines([account], needs, DAYS)[0];

describe('the cash of an account', () => {
  it('is what is left after the payouts of the days', () => {
    expect(lineOf(need('10.50'), need('20', '2026-04-01'), need('40', '2026-04-01'))).toMatchObject({
      waiting: '10.50',
      due: [{ date: '2026-04-01', amount: '60' }],
      after: '29.50',
      short: null,
    });
  });

  it('leaves orders at the bank and later payouts aside, and names both', () => {
    const line = lineOf(need('500', DAYS[0], true), need('700', '2026-04-02'));
    expect(line).toMatchObject({ atBank: '500', later: '700', after: '100.00', short: null });
  });

  it('is short on the first day on which it does not suffice, by what is missing on that day', () => {
    const line = lineOf(need('90'), need('10.01', '2026-03-31'), need('30', '2026-04-01'));
    expect(line).toMatchObject({ short: { date: '2026-03-31', amount: '0.01' }, after: '-30.01' });
  });

  it('is not short when the money suffices to the last unit', () => {
    expect(lineOf(need('100'))?.short).toBeNull();
  });

  it('counts each need of the account once, in one of four places', () => {
    const cents = fc.integer({ min: 1, max: 5_000 });
    const due = fc.constantFrom(...DAYS, '2026-04-02', '2026-05-01');
    fc.assert(
      fc.property(fc.array(fc.tuple(cents, due, fc.boolean(), fc.boolean())), (given) => {
        const needs = given.map(([amount, day, isAtBank, isOther]) => ({
          ...need((amount / 100).toFixed(2), day, isAtBank),
          ...(isOther && { accountId: 'other' }),
        }));
        const line = lineOf(...needs);
        const shown = [line?.atBank, line?.waiting, line?.later, ...(line?.due ?? []).map(({ amount }) => amount)];
        const total = shown.reduce((sum, text) => sum + Math.round(Number(text) * 100), 0);
        expect(total).toBe(given.filter(([, , , isOther]) => !isOther).reduce((sum, [amount]) => sum + amount, 0));
      }),
    );
  });
});
