import type { OriginalMessage } from '../domain/bank-message.ts';
import type { Finding } from '../domain/finding.ts';
import { fileFinding } from '../rules/finding.ts';
import type { ReadColumn, ReadRow } from '../rules/read-row.ts';

/** What every reader returns, whatever the format. */

/** Receives what a reader reads, as it reads: readers keep nothing of a file. */
export interface RowSink {
  row(row: ReadRow): void;
  column(column: ReadColumn): void;
  finding(finding: Finding): void;
  /** Something to look at that stops nothing. */
  warning(warning: Finding): void;
  /** As soon as the message's head is read, and again when more is known; the last call counts. */
  message(message: OriginalMessage): void;
}

/** A record larger than this is a broken file, not a payout. */
export const RECORD_BYTES_MAX = 64 * 1024;
/** Limit from the start of one record to the start of the next; beyond it the rest of a file is not read. */
export const STRETCH_BYTES_MAX = 4 * RECORD_BYTES_MAX;
export const FILE_BYTES_MAX = 256 * 1024 * 1024;
/** Limit of a file whose text is in memory while it is read. */
export const TEXT_BYTES_MAX = 64 * 1024 * 1024;
export const ROWS_MAX = 1_000_000;
/** Far more than any bank asks for: such a file is not a list of payouts. */
export const COLUMNS_MAX = 500;

/** Field names like those of the interface; excludes `__proto__` and look-alike letters. */
const COLUMN_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

export function isColumnName(name: string): boolean {
  return COLUMN_NAME.test(name);
}

export const fileTooLarge = (file: string, bytesMax: number): Finding =>
  fileFinding(file, 1, 'file-too-large', `such a file may have at most ${bytesMax / 1024 / 1024} MiB; split it`);

export const tooManyRows = (file: string, line: number, rowsMax: number): Finding =>
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
