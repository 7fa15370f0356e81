import { stringify } from 'csv-stringify/sync';
import { visible } from '../domain/finding.ts';
import { forSpreadsheet } from '../domain/text.ts';
import { COLUMNS } from './report-columns.ts';
import type { ReportedPayout } from './report-document.ts';

/** No formula, and if escaped, a spreadsheet could not add it up. */
const NEGATIVE = /^-\d+(?:\.\d+)?$/;

/** Excel takes a file without this mark for one in the code page of its machine. */
export const BYTE_ORDER_MARK = '\ufeff';

export const csvHead = (): string => BYTE_ORDER_MARK + csvText([COLUMNS.map(({ name }) => name)]);

/** One line for each row. Values that a spreadsheet would evaluate are escaped. */
export const csvLines = (payouts: readonly ReportedPayout[]): string =>
  csvText(payouts.map((payout) => COLUMNS.map(({ of }) => of(payout))));

/** Lines of CSV. Values that a spreadsheet would evaluate are escaped; characters that steer a terminal are made visible. */
export function csvText(lines: (string | number | null)[][]): string {
  return stringify(lines, {
    cast: { string: (value) => (NEGATIVE.test(value) ? value : forSpreadsheet(visible(value))) },
  });
}
