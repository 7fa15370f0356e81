import type { OriginalMessage } from '../domain/bank-message.ts';
import type { Found } from '../domain/finding.ts';
import type { ReadColumn, ReadRow } from './rules/read-row.ts';

/** Receives what a reader reads, as it reads: readers keep nothing of a file, and do not know its name. */
export interface RowSink<Told = Found> {
  row(row: ReadRow): void;
  column(column: ReadColumn): void;
  finding: (finding: Told) => void;
  /** Something to look at that stops nothing. */
  warning: (warning: Told) => void;
  /** As soon as the message's head is read, and again when more is known; the last call counts. */
  message(message: OriginalMessage): void;
}

/** Field names like those of the interface; excludes `__proto__` and look-alike letters. */
const COLUMN_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

export function isColumnName(name: string): boolean {
  return COLUMN_NAME.test(name);
}
