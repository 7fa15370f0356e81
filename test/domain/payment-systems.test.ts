import { describe, expect, it } from 'vitest';
import { isSystemClosed, PAYMENT_SYSTEMS } from '../../src/domain/payment-systems.ts';

const DAY = 86_400_000;

/** Weekdays of a year on which the currency's systems are closed, `12-25`. */
function closedWeekdays(currency: string, year: number): string[] {
  const found: string[] = [];
  for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += DAY) {
    const weekday = new Date(at).getUTCDay();
    if (weekday !== 0 && weekday !== 6 && isSystemClosed(at, currency))
      found.push(new Date(at).toISOString().slice(5, 10));
  }
  return found;
}

/** As their operators have published them. */
const PUBLISHED: [currency: string, year: number, days: string][] = [
  ['EUR', 2024, '01-01 03-29 04-01 05-01 12-25 12-26'],
  ['EUR', 2026, '01-01 04-03 04-06 05-01 12-25'],
  ['USD', 2026, '01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25'],
  ['USD', 2027, '01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25'],
  ['GBP', 2026, '01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-28'],
  ['GBP', 2027, '01-01 03-26 03-29 05-03 05-31 08-30 12-27 12-28'],
  ['GBP', 2028, '01-03 04-14 04-17 05-01 05-29 08-28 12-25 12-26'],
  ['CHF', 2026, '01-01 01-02 04-03 04-06 05-01 05-14 05-25 12-25'],
  ['AUD', 2026, '01-01 01-26 04-03 04-06 06-08 12-25 12-28'],
  ['CAD', 2026, '01-01 02-16 04-03 05-18 07-01 08-03 09-07 09-30 10-12 11-11 12-25 12-28'],
  [
    'JPY',
    2026,
    '01-01 01-02 01-12 02-11 02-23 03-20 04-29 05-04 05-05 05-06 07-20 08-11 09-21 09-22 09-23 10-12 11-03 11-23 12-31',
  ],
  ['SEK', 2026, '01-01 01-06 04-03 04-06 05-01 05-14 06-19 12-24 12-25 12-31'],
  ['DKK', 2026, '01-01 04-02 04-03 04-06 05-14 05-15 05-25 06-05 12-24 12-25 12-31'],
  ['PLN', 2024, '01-01 04-01 05-01 05-03 05-30 08-15 11-01 11-11 12-25 12-26'],
  ['PLN', 2026, '01-01 01-06 04-06 05-01 06-04 11-11 12-24 12-25'],
  ['CZK', 2026, '01-01 04-03 04-06 05-01 05-08 07-06 09-28 10-28 11-17 12-24 12-25'],
];

describe('the payment systems', () => {
  it.each(PUBLISHED)('of %s in %i are closed on the published days', (currency, year, days) => {
    expect(closedWeekdays(currency, year).join(' ')).toBe(days);
  });

  it('are each compared with what was published', () => {
    expect(new Set(PUBLISHED.map(([currency]) => currency))).toEqual(new Set(Object.keys(PAYMENT_SYSTEMS)));
  });

  it('have no closing days by rule for other currencies', () => {
    expect(closedWeekdays('SGD', 2026)).toEqual([]);
  });
});
