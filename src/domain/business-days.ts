import { isSystemClosed } from './payment-systems.ts';
import { laterDay, localTime, midnightOf } from './time.ts';

export const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;
type Weekday = (typeof WEEKDAYS)[number];

/** The last moment of a day at which the bank takes payments that count for that day. */
interface CutOff {
  currency: string;
  /** Absent: of every type. */
  payment_type?: string;
  /** `15:30`. */
  at: string;
  /** IANA time zone, such as `Europe/Berlin`. */
  zone: string;
}

/** Days on which no payment is made, and how late in a day one is. */
export interface BusinessCalendar {
  /** Days closed every week; never all seven. */
  weekend: readonly Weekday[];
  /** Whether the closing days of the currency's payment systems count, as far as they are known by rule. */
  paymentSystems: boolean;
  /** Further closed days, ISO dates by currency; `*` applies to every currency. */
  holidays: Readonly<Record<string, readonly string[]>>;
  /** Open days whatever else says, as `holidays`. */
  open: Readonly<Record<string, readonly string[]>>;
  cutOffs: readonly CutOff[];
}

/** Weekends, and the closing days that are known by rule. */
export const KNOWN_BY_RULE: BusinessCalendar = {
  weekend: ['SAT', 'SUN'],
  paymentSystems: true,
  holidays: {},
  open: {},
  cutOffs: [],
};

const EVERY_CURRENCY = '*';

export function isOpen(date: string, currency: string, calendar: BusinessCalendar): boolean {
  const isIn = (days: BusinessCalendar['holidays']): boolean =>
    [EVERY_CURRENCY, currency].some((key) => days[key]?.includes(date) === true);
  if (isIn(calendar.open)) return true;
  const at = midnightOf(date) ?? Number.NaN;
  const weekday = WEEKDAYS[new Date(at).getUTCDay()];
  if (weekday !== undefined && calendar.weekend.includes(weekday)) return false;
  return !isIn(calendar.holidays) && !(calendar.paymentSystems && isSystemClosed(at, currency));
}

/**
 * The date on which a payout is due: `executeOn` (ISO date), or the next open day of its currency if that day is closed (ISO
 * 20022 "following"). Without a calendar every day is open.
 */
export function dueDate(executeOn: string, currency: string, calendar: BusinessCalendar | undefined): string {
  if (calendar === undefined) return executeOn;
  let date = executeOn;
  while (!isOpen(date, currency, calendar)) date = laterDay(date, 1);
  return date;
}

/**
 * Start of the due date, epoch ms; undefined for a payout without a date. Midnight UTC: the interface does not show the bank's
 * time zone.
 */
export function dueAt(
  { execute_on: executeOn, currency }: { execute_on?: string; currency: string },
  calendar: BusinessCalendar | undefined,
): number | undefined {
  return executeOn === undefined ? undefined : midnightOf(dueDate(executeOn, currency, calendar));
}

/** The day for which a payment counts, and why it is not the day on which it is sent. */
export interface ValueDay {
  /** ISO date, in the time zone of the cut-off. */
  date: string;
  late?: 'after-cut-off' | 'closed-day';
  cutOff?: CutOff;
}

/** @param at when the payment is sent, epoch ms */
export function valueDay(
  at: number,
  { currency, payment_type: type }: { currency: string; payment_type?: string },
  calendar: BusinessCalendar,
): ValueDay {
  const cutOff = cutOffOf(calendar, currency, type);
  const { date, time } = localTime(at, cutOff?.zone ?? 'UTC');
  const named = cutOff && { cutOff };
  if (!isOpen(date, currency, calendar))
    return { date: dueDate(date, currency, calendar), late: 'closed-day', ...named };
  if (cutOff === undefined || time < cutOff.at) return { date, ...named };
  return { date: dueDate(laterDay(date, 1), currency, calendar), late: 'after-cut-off', ...named };
}

/** Of the payment type, or else of the currency. Of a type that is not known yet, the earliest. */
function cutOffOf({ cutOffs }: BusinessCalendar, currency: string, type: string | undefined): CutOff | undefined {
  const ofCurrency = cutOffs.filter((it) => it.currency === currency);
  if (type === undefined) return ofCurrency.toSorted((one, other) => (one.at < other.at ? -1 : 1))[0];
  return ofCurrency.find((it) => it.payment_type === type) ?? ofCurrency.find((it) => it.payment_type === undefined);
}
