import { expect, it } from 'vitest';
import { type BusinessCalendar, KNOWN_BY_RULE } from '../../src/domain/business-days.ts';
import { arrivalIfSent, isSlower, settlingOf } from '../../src/domain/settling.ts';
import { HOUR_MS } from '../../src/domain/time.ts';

it('how long payouts take is said from ten of them on: what nine of ten took, and the slowest', () => {
  const hours = (count: number) => Array.from({ length: count }, (_, n) => (count - n) * HOUR_MS);
  expect(settlingOf(hours(9))).toBeUndefined();
  expect(settlingOf(hours(10))).toEqual({ of: 10, usualMs: 9 * HOUR_MS, slowestMs: 10 * HOUR_MS });
  expect(settlingOf(hours(100))).toEqual({ of: 100, usualMs: 90 * HOUR_MS, slowestMs: 100 * HOUR_MS });
});

it('a payout is slower than others only after all of them, and never within an hour', () => {
  const settling = { of: 10, usualMs: HOUR_MS, slowestMs: 2 * HOUR_MS };
  expect(isSlower(0, 2 * HOUR_MS, settling)).toBe(false);
  expect(isSlower(0, 2 * HOUR_MS + 1, settling)).toBe(true);
  expect(isSlower(0, HOUR_MS, { ...settling, slowestMs: 1 })).toBe(false);
  expect(isSlower(0, 99 * HOUR_MS, undefined)).toBe(false);
});

const calendar: BusinessCalendar = {
  ...KNOWN_BY_RULE,
  cutOffs: [{ currency: 'EUR', payment_type: 'sepa', at: '15:30', zone: 'Europe/Berlin' }],
};
/** A Wednesday; Berlin is an hour ahead. */
const at = (time: string): number => Date.parse(`2026-11-25T${time}Z`);
const EUR = { currency: 'EUR', payment_type: 'sepa' };
const CUT_OFF = '15:30 Europe/Berlin';

it('what is sent before the cut-off counts for the day, and later for the next business day', () => {
  expect(arrivalIfSent(at('14:29:59'), EUR, calendar)).toEqual({ day: '2026-11-25', cutOff: CUT_OFF });
  const late = { day: '2026-11-26', late: 'after-cut-off', cutOff: CUT_OFF };
  expect(arrivalIfSent(at('14:30:00'), EUR, calendar)).toEqual(late);
  expect(
    arrivalIfSent(Date.parse('2026-11-28T08:00:00Z'), { currency: 'EUR', payment_type: 'other' }, calendar),
  ).toEqual({ day: '2026-11-30', late: 'closed-day' });
});

it('what has a date counts for the day on which it is sent', () => {
  const scheduled = { ...EUR, execute_on: '2026-11-28' };
  expect(arrivalIfSent(at('20:00:00'), scheduled, calendar)).toEqual({
    ...{ day: '2026-11-30', cutOff: CUT_OFF, isScheduled: true },
  });
  expect(arrivalIfSent(at('20:00:00'), scheduled, undefined)).toEqual({ day: '2026-11-28', isScheduled: true });
  expect(arrivalIfSent(at('20:00:00'), EUR, undefined)).toEqual({});
});
