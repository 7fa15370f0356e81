import type { Finding } from './finding.ts';

/** What every reader hands over, whatever the format. */

/** One record of the file; its values are text as written, blank ones included. */
export interface ReadRow {
  /** Data row from 1. */
  row: number;
  /** Line where the record starts. */
  line: number;
  instruction: Record<string, string>;
}

/** A column or key and where it first appears: the header line (row null) or the record that brought it. */
export interface ReadColumn {
  name: string;
  line: number;
  row: number | null;
}

export interface ReadInput {
  rows: ReadRow[];
  columns: ReadColumn[];
  findings: Finding[];
}

/** A record larger than this is a broken file, not a payout. */
export const RECORD_BYTES_MAX = 64 * 1024;
export const FILE_BYTES_MAX = 64 * 1024 * 1024;
export const ROWS_MAX = 100_000;

/** Field names as the interface writes them; keeps `__proto__` and look-alike letters out of our records. */
const COLUMN_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

export function isColumnName(name: string): boolean {
  return COLUMN_NAME.test(name);
}

export const tooManyRows = (file: string, line: number): Finding => ({
  file,
  line,
  row: ROWS_MAX + 1,
  column: null,
  value: null,
  rule: 'too-many-rows',
  message: `a file holds at most ${ROWS_MAX} rows; split it. The rest was not checked`,
});

export const noRows = (file: string, line: number, message: string): Finding => ({
  file,
  line,
  row: null,
  column: null,
  value: null,
  rule: 'no-rows',
  message,
});
