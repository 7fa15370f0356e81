import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BusinessCalendar, dueAt, dueDate, WEEKDAYS } from '../../src/domain/time.ts';

const calendar: BusinessCalendar = {
  weekend: ['SAT', 'SUN'],
  holidays: { '*': ['2026-12-25'], EUR: ['2026-12-28'] },
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
          expect(dueDate(iso(given), 'EUR', { weekend, holidays: { '*': [...holidays] } })).toBe(iso(expected));
        },
      ),
    );
  });
});
