import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BusinessCalendar, dueAt, dueDate, valueDay, WEEKDAYS } from '../../src/domain/business-days.ts';

const calendar: BusinessCalendar = {
  weekend: ['SAT', 'SUN'],
  paymentSystems: false,
  holidays: { '*': ['2026-12-25'], EUR: ['2026-12-28'] },
  open: {},
  cutOffs: [],
};

describe('a due date', () => {
  it.each([
    ['an open day stays', '2026-12-24', 'EUR', '2026-12-24'],
    ['a Saturday moves to Monday', '2026-12-19', 'EUR', '2026-12-21'],
    ['a holiday before a weekend moves behind both', '2026-12-25', 'USD', '2026-12-28'],
    ['a holiday of the currency counts too', '2026-12-25', 'EUR', '2026-12-29'],
    ['a holiday of another currency does not', '2026-12-28', 'USD', '2026-12-28'],
    ['the end of a month is crossed', '2027-01-30', 'USD', '2027-02-01'],
  ])('on %s', (_, given, currency, due) => {
    expect(dueDate(given, currency, calendar)).toBe(due);
  });

  it('is as written without a calendar', () => {
    expect(dueDate('2026-12-26', 'EUR', undefined)).toBe('2026-12-26');
    expect(dueAt({ execute_on: '2026-12-26', currency: 'EUR' }, undefined)).toBe(Date.UTC(2026, 11, 26));
    expect(dueAt({ currency: 'EUR' }, calendar)).toBeUndefined();
  });

  it('is the first open day that is not before the one given, past all closed days', () => {
    const date = fc.date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true });
    const iso = (day: Date): string => day.toISOString().slice(0, 10);
    fc.assert(
      fc.property(
        date,
        fc.subarray([...WEEKDAYS], { maxLength: 6 }),
        fc.array(date, { maxLength: 40 }),
        (given, weekend, closed) => {
          const holidays = new Set(closed.map(iso));
          const isOpen = (day: Date): boolean =>
            !holidays.has(iso(day)) && !weekend.some((name) => WEEKDAYS[day.getUTCDay()] === name);
          let expected = new Date(`${iso(given)}T00:00:00Z`);
          while (!isOpen(expected)) expected = new Date(expected.getTime() + 86_400_000);
          expect(dueDate(iso(given), 'EUR', { ...calendar, weekend, holidays: { '*': [...holidays] } })).toBe(
            iso(expected),
          );
        },
      ),
    );
  });
});

describe('the days of payment systems', () => {
  const systems = { ...calendar, holidays: {}, paymentSystems: true };

  it('are closed for their own currency', () => {
    expect(dueDate('2026-05-01', 'EUR', systems)).toBe('2026-05-04');
    expect(dueDate('2026-05-01', 'USD', systems)).toBe('2026-05-01');
  });

  it('are open where the calendar says so', () => {
    expect(dueDate('2026-05-01', 'EUR', { ...systems, open: { EUR: ['2026-05-01'] } })).toBe('2026-05-01');
  });
});

describe('the day for which a payment counts', () => {
  const cutOffs = [
    { currency: 'EUR', at: '15:30', zone: 'Europe/Berlin' },
    { currency: 'EUR', payment_type: 'SWIFT', at: '12:00', zone: 'Europe/Berlin' },
  ];
  const systems = { ...calendar, holidays: {}, paymentSystems: true, cutOffs };

  it.each([
    ['before the cut-off: the same day', '2026-12-03T14:29:00Z', 'LOCAL', '2026-12-03', undefined],
    ['at the cut-off: the next day', '2026-12-03T14:30:00Z', 'LOCAL', '2026-12-04', 'after-cut-off'],
    ['at the cut-off in summer', '2026-07-03T13:30:00Z', 'LOCAL', '2026-07-06', 'after-cut-off'],
    ['of a type with a cut-off of its own', '2026-12-03T11:30:00Z', 'SWIFT', '2026-12-04', 'after-cut-off'],
    ['of a type that is not known yet: the earliest', '2026-12-03T11:30:00Z', undefined, '2026-12-04', 'after-cut-off'],
    ['on a Friday evening: Monday', '2026-12-04T20:00:00Z', 'LOCAL', '2026-12-07', 'after-cut-off'],
    ['on a Sunday: Monday', '2026-12-06T08:00:00Z', 'LOCAL', '2026-12-07', 'closed-day'],
    ['late on the eve of Christmas', '2026-12-24T22:00:00Z', 'LOCAL', '2026-12-28', 'after-cut-off'],
    ['after midnight in the zone of the cut-off', '2026-12-02T23:30:00Z', 'LOCAL', '2026-12-03', undefined],
  ])('%s', (_, at, type, date, late) => {
    const found = valueDay(Date.parse(at), { currency: 'EUR', ...(type && { payment_type: type }) }, systems);
    expect([found.date, found.late]).toEqual([date, late]);
  });

  it('is the day of sending, in UTC, where no cut-off is known', () => {
    expect(valueDay(Date.parse('2026-12-03T23:59:00Z'), { currency: 'USD' }, systems)).toEqual({ date: '2026-12-03' });
  });
});
