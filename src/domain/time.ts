export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Doubling pause, never above `max`: `first * 2^n` after the n-th try, from 0. */
export function doublingPause(n: number, first: number, max: number): number {
  return Math.min(max, first * 2 ** Math.min(n, 30));
}

/**
 * Midnight UTC of an ISO 8601 date, in epoch ms; undefined for what is no day of the calendar, which `Date` would correct (30
 * February is 2 March), and for a year below 100.
 */
export function midnightOf(date: string): number | undefined {
  const at = /^(?!00)\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(date) ? at : undefined;
}

export const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;
type Weekday = (typeof WEEKDAYS)[number];

/** Days on which no payment is made. */
export interface BusinessCalendar {
  /** Days closed every week; never all seven. */
  weekend: readonly Weekday[];
  /** ISO dates by currency; `*` applies to every currency. */
  holidays: Readonly<Record<string, readonly string[]>>;
}

const EVERY_CURRENCY = '*';

/**
 * The date on which a payout is due: `executeOn` (ISO date), or the next open day of its currency if that day is closed (ISO
 * 20022 "following"). Without a calendar every day is open.
 */
export function dueDate(executeOn: string, currency: string, calendar: BusinessCalendar | undefined): string {
  if (calendar === undefined) return executeOn;
  let day = Date.parse(`${executeOn}T00:00:00Z`);
  while (isClosed(new Date(day), currency, calendar)) day += DAY_MS;
  return isoDate(new Date(day));
}

/**
 * Start of the due date, epoch ms; undefined for a payout without a date. Midnight UTC: the interface does not show the bank's
 * time zone.
 */
export function dueAt(
  { execute_on: executeOn, currency }: { execute_on?: string; currency: string },
  calendar: BusinessCalendar | undefined,
): number | undefined {
  return executeOn === undefined ? undefined : Date.parse(`${dueDate(executeOn, currency, calendar)}T00:00:00Z`);
}

function isClosed(day: Date, currency: string, { weekend, holidays }: BusinessCalendar): boolean {
  const date = isoDate(day);
  const weekday = WEEKDAYS[day.getUTCDay()];
  if (weekday !== undefined && weekend.includes(weekday)) return true;
  return [EVERY_CURRENCY, currency].some((key) => holidays[key]?.includes(date) === true);
}

const isoDate = (day: Date): string => day.toISOString().slice(0, 10);
