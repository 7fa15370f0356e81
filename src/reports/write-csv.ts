import { stringify } from 'csv-stringify/sync';
import { COLUMNS } from './columns.ts';
import type { ReportedPayout } from './report-document.ts';

/** A number is no formula, and an escaped one would no longer add up in a spreadsheet. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

export const csvHead = (): string => csvText([COLUMNS.map(({ name }) => name)]);

/** One line for each row. Values that a spreadsheet would run as formulas are escaped. */
export const csvLines = (payouts: readonly ReportedPayout[]): string =>
  csvText(payouts.map((payout) => COLUMNS.map(({ of }) => of(payout))));

/** Lines of CSV. Values that a spreadsheet would run as formulas are escaped. */
export function csvText(lines: (string | number | null)[][]): string {
  return stringify(lines, {
    escape_formulas: true,
    cast: {
      string: (value) => (value.startsWith('-') && NUMBER.test(value) ? { value, escape_formulas: false } : value),
    },
  });
}
