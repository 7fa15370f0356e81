/** How a number format changes what the cell says; every other format changes its looks only. */
export type NumberFormat = { kind: 'plain' } | { kind: 'date' } | { kind: 'padded'; places: readonly Place[] };

/** Of a format of zeros: a digit, or text beside them. */
type Place = { digit: true } | { text: string };

export const PLAIN: NumberFormat = { kind: 'plain' };
const DATE: NumberFormat = { kind: 'date' };

/** Built-in formats with a date (ECMA-376 part 1, 18.8.30, and those of East Asian locales). */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

/** Quoted and escaped characters, colours, conditions and locales. */
const LITERALS = /"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/gs;

/** One place of `000-000`, `0000 0000` or `"INV-"0000`: what makes numbers into account numbers and ids. */
const PLACE = /"([^"]*)"|\\(.)|([0 -])/gs;
const DIGITS_MAX = 64;

/** Positive numbers have the first section; colour, locale and the width of a bracket show nothing of it. */
const SECTION = /^(?:"[^"]*"|\\.|[^;])*/s;
const UNSEEN = /("[^"]*"|\\.)|\[(?:[a-z]{3,7}\d*|\$-[^\]]*)\]|_./gis;

/** Undefined for a format that has anything else, or fewer than two zeros: `0 "JPY"` is an amount. */
function placesOf(code: string): Place[] | undefined {
  if (code.replace(PLACE, '') !== '') return undefined;
  const places = [...code.matchAll(PLACE)].map(
    ([, quoted, escaped, bare]): Place => (bare === '0' ? { digit: true } : { text: quoted ?? escaped ?? bare ?? '' }),
  );
  const zeros = places.filter((place) => 'digit' in place).length;
  return zeros >= 2 && zeros <= DIGITS_MAX ? places : undefined;
}

/** Digits as the cell shows them: leading zeros in places without one, and what has no place before the first. */
export function paddedText(digits: string, places: readonly Place[]): string {
  const zeros = places.filter((place) => 'digit' in place).length;
  const padded = digits.padStart(zeros, '0');
  let taken = 0;
  return places
    .map((place) => {
      if ('text' in place) return place.text;
      const from = taken;
      taken += taken === 0 ? padded.length - zeros + 1 : 1;
      return padded.slice(from, taken);
    })
    .join('');
}

/** @param code of a format that the workbook defines itself */
export function numberFormatOf(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return isBuiltInDate(id) ? DATE : PLAIN;
  const places = placesOf((SECTION.exec(code)?.[0] ?? '').replace(UNSEEN, '$1'));
  if (places !== undefined) return { kind: 'padded', places };
  return /[dy]/i.test(code.replace(LITERALS, '')) ? DATE : PLAIN;
}

/** Day 60 of the 1900 system is 29 February 1900, which did not exist. */
const FIRST_TRUE_DAY = 61;
const LAST_DAY = 2_958_465;
const DAYS_TO_1904 = 1462;
const DAY_MS = 86_400_000;
const DAY_0 = Date.UTC(1899, 11, 30);

/** `2026-03-31`, or `2026-03-31T17:00:00` with a time; undefined if the number is not a calendar day. */
export function dateText(number: string, isFrom1904: boolean): string | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,7})(\.\d+)?$/.exec(number) ?? [];
  const day = Number(whole) + (isFrom1904 ? DAYS_TO_1904 : 0);
  if (whole === '' || day < FIRST_TRUE_DAY || day > LAST_DAY) return undefined;
  const seconds = Math.round(Number(`0${fraction}`) * (DAY_MS / 1000));
  const text = new Date(DAY_0 + day * DAY_MS + seconds * 1000).toISOString();
  return seconds === 0 ? text.slice(0, 'YYYY-MM-DD'.length) : text.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
}
