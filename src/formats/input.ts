import type { OriginalMessage } from '../domain/bank-message.ts';
import type { Finding } from '../domain/finding.ts';
import { fileFinding } from '../rules/finding.ts';
import type { ReadColumn, ReadRow } from '../rules/read-row.ts';

/** What every reader hands over, whatever the format. */

/** Takes what a reader finds, while it reads: nothing of a file is kept by its reader. */
export interface RowSink {
  row(row: ReadRow): void;
  column(column: ReadColumn): void;
  finding(finding: Finding): void;
  /** Worth a look, and stops nothing. */
  warning(warning: Finding): void;
  /** Once, as soon as the head is read and again when more of it is known; the last one counts. */
  message(message: OriginalMessage): void;
}

/** A record larger than this is a broken file, not a payout. */
export const RECORD_BYTES_MAX = 64 * 1024;
/** From the start of one record to the start of the next: beyond it the rest of a file is not read. */
export const STRETCH_BYTES_MAX = 4 * RECORD_BYTES_MAX;
export const FILE_BYTES_MAX = 64 * 1024 * 1024;
export const ROWS_MAX = 100_000;
/** Far above what any bank asks for; a file with more of them is no list of payouts. */
export const COLUMNS_MAX = 500;

/** Field names as the interface writes them; keeps `__proto__` and look-alike letters out of our records. */
const COLUMN_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

export function isColumnName(name: string): boolean {
  return COLUMN_NAME.test(name);
}

export const tooManyRows = (file: string, line: number, rowsMax = ROWS_MAX): Finding =>
  fileFinding(
    file,
    line,
    'too-many-rows',
    `a file may have at most ${rowsMax} rows; split it. The rest was not checked`,
  );

export const tooManyColumns = (file: string, line: number): Finding =>
  fileFinding(
    file,
    line,
    'too-many-columns',
    `a file may have at most ${COLUMNS_MAX} columns. The rest was not checked`,
  );

export const noRows = (file: string, line: number, message: string): Finding =>
  fileFinding(file, line, 'no-rows', message);

export const recordTooLarge = (file: string, line: number): Finding =>
  fileFinding(
    file,
    line,
    'record-too-large',
    `a record may have at most ${RECORD_BYTES_MAX / 1024} KiB; a quote or a line ending may be missing. The rest was not checked`,
  );
