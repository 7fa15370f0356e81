import { DAY_MS } from './time.ts';

/**
 * The weekdays on which the payment systems of a currency are closed, computed by rule, for any year from 2024 on. What no rule
 * gives (religious calendars that are announced each year, one day proclaimed by a government) belongs into the file of
 * `PAYOUTS_HOLIDAYS`.
 */

type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** What happens to a closing day that falls on a weekend: nothing, Sunday moves, or Saturday and Sunday move to the next free day. */
type Substitute = 'none' | 'sunday' | 'weekend';

interface ClosingDay {
  /** Epoch ms of midnight UTC; undefined in a year without it. */
  in(year: number): number | undefined;
  substitute: Substitute;
}

export interface PaymentSystem {
  /** Of the systems with these closing days. */
  name: string;
  /** Who publishes them. */
  source: string;
  days: readonly ClosingDay[];
}

const [SUN, MON, THU, FRI, SAT] = [0, 1, 4, 5, 6] as const;

const weekdayOf = (at: number): Weekday => new Date(at).getUTCDay() as Weekday;
const day = (at: (year: number) => number | undefined, substitute: Substitute): ClosingDay => ({ in: at, substitute });

const on = (month: number, date: number, substitute: Substitute = 'none'): ClosingDay =>
  day((year) => Date.UTC(year, month - 1, date), substitute);

const since = (first: number, { in: at, substitute }: ClosingDay): ClosingDay =>
  day((year) => (year < first ? undefined : at(year)), substitute);

/** The first such weekday that is not before the date. */
const firstFrom = (weekday: Weekday, month: number, date: number): ClosingDay =>
  day((year) => {
    const at = Date.UTC(year, month - 1, date);
    return at + ((weekday - weekdayOf(at) + 7) % 7) * DAY_MS;
  }, 'none');

const nth = (n: number, weekday: Weekday, month: number): ClosingDay => firstFrom(weekday, month, 7 * n - 6);

/** The last such weekday of a month with 31 days. */
const last = (weekday: Weekday, month: 1 | 3 | 5 | 7 | 8 | 10 | 12): ClosingDay => firstFrom(weekday, month, 25);

const easter = (days: number): ClosingDay => day((year) => easterSunday(year) + days * DAY_MS, 'none');

/** Gregorian Easter by the algorithm of Meeus (Astronomical Algorithms, chapter 8). */
function easterSunday(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor(b / 4);
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const march = h + l - 7 * m + 22;
  return Date.UTC(year, 2, march);
}

/** Approximation of the National Astronomical Observatory of Japan for 1980 to 2099. */
const equinox = (month: 3 | 9, offset: number): ClosingDay =>
  day((year) => {
    const since1980 = year - 1980;
    const date = Math.floor(offset + 0.242_194 * since1980 - Math.floor(since1980 / 4));
    return Date.UTC(year, month - 1, date);
  }, 'sunday');

const [GOOD_FRIDAY, EASTER_MONDAY, ASCENSION, WHIT_MONDAY] = [easter(-2), easter(1), easter(39), easter(50)];
const MAUNDY_THURSDAY = easter(-3);
const [NEW_YEAR, MAY_DAY, CHRISTMAS_EVE, CHRISTMAS, BOXING_DAY] = [
  on(1, 1),
  on(5, 1),
  on(12, 24),
  on(12, 25),
  on(12, 26),
];
const LAST_OF_YEAR = on(12, 31);

/** By currency. A currency without an entry has no closing days here. */
export const PAYMENT_SYSTEMS: Readonly<Record<string, PaymentSystem>> = {
  EUR: {
    name: 'TARGET',
    source: 'European Central Bank, long-term calendar for TARGET closing days',
    days: [NEW_YEAR, GOOD_FRIDAY, EASTER_MONDAY, MAY_DAY, CHRISTMAS, BOXING_DAY],
  },
  USD: {
    name: 'Fedwire and ACH',
    source: 'Federal Reserve Banks, holiday schedules: a holiday on a Saturday closes no other day',
    days: [
      ...[on(1, 1, 'sunday'), nth(3, MON, 1), nth(3, MON, 2), last(MON, 5), on(6, 19, 'sunday'), on(7, 4, 'sunday')],
      ...[nth(1, MON, 9), nth(2, MON, 10), on(11, 11, 'sunday'), nth(4, THU, 11), on(12, 25, 'sunday')],
    ],
  },
  GBP: {
    name: 'CHAPS and Bacs',
    source: 'Bank of England; bank holidays of England and Wales (Banking and Financial Dealings Act 1971)',
    days: [
      ...[on(1, 1, 'weekend'), GOOD_FRIDAY, EASTER_MONDAY, nth(1, MON, 5), last(MON, 5), last(MON, 8)],
      ...[on(12, 25, 'weekend'), on(12, 26, 'weekend')],
    ],
  },
  CHF: {
    name: 'SIC',
    source: 'SIX Interbank Clearing, clearing day calendar',
    days: [
      ...[NEW_YEAR, on(1, 2), GOOD_FRIDAY, EASTER_MONDAY, MAY_DAY, ASCENSION, WHIT_MONDAY, on(8, 1)],
      ...[CHRISTMAS, BOXING_DAY],
    ],
  },
  AUD: {
    name: 'RITS',
    source: 'Reserve Bank of Australia, RITS public holidays',
    days: [
      ...[on(1, 1, 'weekend'), on(1, 26, 'weekend'), GOOD_FRIDAY, EASTER_MONDAY, on(4, 25), nth(2, MON, 6)],
      ...[on(12, 25, 'weekend'), on(12, 26, 'weekend')],
    ],
  },
  CAD: {
    name: 'Lynx',
    source: 'Payments Canada, system holidays',
    days: [
      ...[on(1, 1, 'weekend'), nth(3, MON, 2), GOOD_FRIDAY, firstFrom(MON, 5, 18), on(7, 1, 'weekend'), nth(1, MON, 8)],
      ...[nth(1, MON, 9), on(9, 30, 'weekend'), nth(2, MON, 10), on(11, 11, 'weekend')],
      ...[on(12, 25, 'weekend'), on(12, 26, 'weekend')],
    ],
  },
  JPY: {
    name: 'BOJ-NET and Zengin',
    source:
      'Act on National Holidays; Order for Enforcement of the Banking Act, article 5 (2 and 3 January, 31 December)',
    days: [
      ...[NEW_YEAR, on(1, 2), on(1, 3), nth(2, MON, 1), on(2, 11, 'sunday'), on(2, 23, 'sunday')],
      ...[equinox(3, 20.8431), on(4, 29, 'sunday'), on(5, 3, 'sunday'), on(5, 4, 'sunday'), on(5, 5, 'sunday')],
      ...[nth(3, MON, 7), on(8, 11, 'sunday'), nth(3, MON, 9), betweenHolidays(), equinox(9, 23.2488), nth(2, MON, 10)],
      ...[on(11, 3, 'sunday'), on(11, 23, 'sunday'), LAST_OF_YEAR],
    ],
  },
  SEK: {
    name: 'RIX',
    source: 'Sveriges Riksbank, opening days of RIX-RTGS',
    days: [
      ...[NEW_YEAR, on(1, 6), GOOD_FRIDAY, EASTER_MONDAY, MAY_DAY, ASCENSION, on(6, 6), firstFrom(FRI, 6, 19)],
      ...[CHRISTMAS_EVE, CHRISTMAS, BOXING_DAY, LAST_OF_YEAR],
    ],
  },
  DKK: {
    name: 'Kronos2',
    source: 'Danmarks Nationalbank, banking days',
    days: [
      ...[NEW_YEAR, MAUNDY_THURSDAY, GOOD_FRIDAY, EASTER_MONDAY, ASCENSION, easter(40), WHIT_MONDAY, on(6, 5)],
      ...[CHRISTMAS_EVE, CHRISTMAS, BOXING_DAY, LAST_OF_YEAR],
    ],
  },
  PLN: {
    name: 'SORBNET3 and Elixir',
    source: 'Act on days free from work; 24 December since 2025',
    days: [
      ...[NEW_YEAR, on(1, 6), EASTER_MONDAY, MAY_DAY, on(5, 3), easter(60), on(8, 15), on(11, 1), on(11, 11)],
      ...[since(2025, CHRISTMAS_EVE), CHRISTMAS, BOXING_DAY],
    ],
  },
  CZK: {
    name: 'CERTIS',
    source: 'Act 245/2000 on public holidays',
    days: [
      ...[
        NEW_YEAR,
        GOOD_FRIDAY,
        EASTER_MONDAY,
        MAY_DAY,
        on(5, 8),
        on(7, 5),
        on(7, 6),
        on(9, 28),
        on(10, 28),
        on(11, 17),
      ],
      ...[CHRISTMAS_EVE, CHRISTMAS, BOXING_DAY],
    ],
  },
};

/** A day of September between two holidays is one too: between the third Monday and the equinox two days later. */
function betweenHolidays(): ClosingDay {
  const [monday, autumn] = [nth(3, MON, 9), equinox(9, 23.2488)];
  return day((year) => {
    const [from, to] = [monday.in(year) ?? 0, autumn.in(year) ?? 0];
    return to - from === 2 * DAY_MS ? from + DAY_MS : undefined;
  }, 'none');
}

const years = new Map<string, ReadonlySet<number>>();

/** Whether the payment systems of the currency are closed on this day (midnight UTC, epoch ms), weekends not considered. */
export function isSystemClosed(at: number, currency: string): boolean {
  const system = PAYMENT_SYSTEMS[currency];
  if (system === undefined) return false;
  const year = new Date(at).getUTCFullYear();
  const key = `${currency}${year}`;
  const closed = years.get(key) ?? closedDaysOf(system, year);
  years.set(key, closed);
  return closed.has(at);
}

/** Days (midnight UTC, epoch ms) on which the system is closed in a year, those moved from a weekend included. */
function closedDaysOf({ days }: PaymentSystem, year: number): ReadonlySet<number> {
  const dated = days.flatMap((it) => {
    const at = it.in(year);
    return at === undefined ? [] : [{ at, substitute: it.substitute }];
  });
  const closed = new Set(dated.map(({ at }) => at));
  for (const { at, substitute } of dated.toSorted((one, other) => one.at - other.at)) {
    const weekday = weekdayOf(at);
    if (substitute === 'none' || !(weekday === SUN || (substitute === 'weekend' && weekday === SAT))) continue;
    let free = at;
    while (closed.has(free) || weekdayOf(free) === SUN || (substitute === 'weekend' && weekdayOf(free) === SAT))
      free += DAY_MS;
    closed.add(free);
  }
  return closed;
}
