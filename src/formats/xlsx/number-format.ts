/** How a number format changes what the cell says; every other format changes its looks only. */
export type NumberFormat = { kind: 'plain' } | { kind: 'date' } | { kind: 'padded'; digits: number };

export const PLAIN: NumberFormat = { kind: 'plain' };
const DATE: NumberFormat = { kind: 'date' };

/** Built-in formats with a day (ECMA-376 part 1, 18.8.30, and the ones of East Asian locales). */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

/** Quoted and escaped characters, colours, conditions and locales. */
const LITERALS = /"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/gs;

/** What people put between the digits of an account number (`000-000`, `0000 0000`); it carries nothing. */
const SEPARATORS = /\\?[ -]/g;

/** `code`: of a format that the workbook brings itself. */
export function numberFormatOf(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return isBuiltInDate(id) ? DATE : PLAIN;
  const zeros = code.replace(SEPARATORS, '');
  if (/^0{2,64}$/.test(zeros)) return { kind: 'padded', digits: zeros.length };
  return /[dy]/i.test(code.replace(LITERALS, '')) ? DATE : PLAIN;
}

/** Day 60 of the 1900 system is 29 February 1900, which never was. */
const FIRST_TRUE_DAY = 61;
const LAST_DAY = 2_958_465;
const DAYS_TO_1904 = 1462;
const DAY_MS = 86_400_000;
const DAY_0 = Date.UTC(1899, 11, 30);

/** `2026-03-31`, or `2026-03-31T17:00:00` for a day with a time; undefined for a number that is no day of the calendar. */
export function dateText(number: string, isFrom1904: boolean): string | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,7})(\.\d+)?$/.exec(number) ?? [];
  const day = Number(whole) + (isFrom1904 ? DAYS_TO_1904 : 0);
  if (whole === '' || day < FIRST_TRUE_DAY || day > LAST_DAY) return undefined;
  const seconds = Math.round(Number(`0${fraction}`) * (DAY_MS / 1000));
  const text = new Date(DAY_0 + day * DAY_MS + seconds * 1000).toISOString();
  return seconds === 0 ? text.slice(0, 'YYYY-MM-DD'.length) : text.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
}
