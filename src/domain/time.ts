const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** The last moment (epoch ms) that `Date` has. */
export const MOMENT_MAX = 8_640_000_000_000_000;

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

/** The day of a moment (epoch ms) in UTC: `2026-03-31`. */
export const isoDate = (at: number): string => new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** The day `days` after this one (ISO date), or before it. */
export const laterDay = (day: string, days: number): string => isoDate(Date.parse(day) + days * DAY_MS);

/** The day of a moment (epoch ms) in a time zone (IANA), ISO 8601. */
export const dayIn = (at: number, zone: string): string => (zone === 'UTC' ? isoDate(at) : localTime(at, zone).date);

/** The first minute (epoch ms) after `at` in which clocks of a time zone (IANA) show this time (`08:00`), or are put past it. */
export function nextAt(time: string, at: number, zone: string): number {
  const now = localTime(at, zone);
  const target = `${now.time < time ? now.date : laterDay(now.date, 1)} ${time}`;
  let [before, after] = [Math.floor(at / MINUTE_MS), Math.floor((at + 2 * DAY_MS) / MINUTE_MS)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    const shown = localTime(middle * MINUTE_MS, zone);
    if (`${shown.date} ${shown.time}` < target) before = middle;
    else after = middle;
  }
  return after * MINUTE_MS;
}

/** Date (ISO 8601) and time (`15:30`) of a moment (epoch ms) in a time zone (IANA). */
export function localTime(at: number, timeZone: string): { date: string; time: string } {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const [date = '', time = ''] = format.format(at).split(' ');
  return { date, time };
}
