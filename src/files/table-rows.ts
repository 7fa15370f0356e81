import { aboutFile, type Found, printable } from '../domain/finding.ts';
import { OWN_FIELDS } from '../domain/instruction.ts';
import { withoutTypographicQuotes, withoutUnseen } from '../domain/plain-text.ts';
import { fromSpreadsheet } from '../domain/text.ts';

import { COLUMNS_MAX, isColumnName, type RowSink, tooManyColumns, UnreadableFile } from './input.ts';

/** A problem with one value of a row, given by its index. */
export interface CellProblem {
  index: number;
  rule: string;
  message: string;
}

/** Rows of a table whose first record has the column names: a CSV file or a sheet. */
export class TableRows {
  private readonly sink: RowSink;
  private readonly isSheet: boolean;
  private names: readonly string[] | undefined;
  /** Index of each readable column. */
  private readonly positions = new Map<string, number>();
  private headerLine = 1;
  private rows = 0;
  private hasValues = false;

  /** `isSheet`: its columns have letters. */
  constructor(sink: RowSink, { isSheet = false } = {}) {
    this.sink = sink;
    this.isSheet = isSheet;
  }

  /** Column names; undefined before the header line. */
  get header(): readonly string[] | undefined {
    return this.names;
  }

  /** Throws `UnreadableFile` if the record has none of our column names, or too many columns. */
  takeHeader(record: readonly string[], line: number): void {
    const names = asOurs(record.map((name) => withoutUnseen(name).trim()));
    this.names = names;
    this.headerLine = line;
    if (names.length > COLUMNS_MAX) throw tooManyColumns(line);
    // If the first line has none of our column names, it may be a row: its values are not shown.
    if (!names.some((name) => OWN_FIELDS.has(name))) throw new UnreadableFile(this.found(line, noHeader(names)));
    for (const [index, name] of names.entries()) {
      if (!isColumnName(name))
        this.sink.finding({
          ...this.found(line, name === '' ? NO_NAME : BAD_NAME),
          value: printable(name),
          column: `${index + 1}`,
        });
      else if (this.positions.has(name)) this.sink.finding({ ...this.found(line, DUPLICATE_NAME), column: name });
      else {
        this.positions.set(name, index);
        this.sink.column({ name, line, row: null, ...(this.isSheet && { letter: letterOf(index) }) });
      }
    }
  }

  /** The record has a value for each column. A row with problems is checked but never valid. */
  takeRow(record: readonly string[], line: number, problems: readonly CellProblem[] = []): void {
    this.rows += 1;
    this.hasValues = true;
    const instruction: Record<string, string> = {};
    for (const [name, index] of this.positions) instruction[name] = fromSpreadsheet(withoutUnseen(record[index] ?? ''));
    for (const problem of problems) this.sink.finding(this.aboutCell(line, problem));
    const unsound = problems.length === 0 ? {} : { unsound: true as const };
    this.sink.row({ row: this.rows, line, instruction, ...unsound });
  }

  /** A warning about a value of the row taken last. */
  warn(line: number, problem: CellProblem): void {
    this.sink.warning(this.aboutCell(line, problem));
  }

  /** A warning about the row taken last as a whole. */
  warnOfRow(line: number, why: { rule: string; message: string }): void {
    this.sink.warning({ ...this.found(line, why), row: this.rows });
  }

  /** A row without values pays nothing: it is counted and left out. */
  leaveOut(line: number, why: { rule: string; message: string }): void {
    this.rows += 1;
    this.warnOfRow(line, why);
  }

  /** Reports a row that cannot be split into values. */
  refuse(line: number, why: { rule: string; message: string }): void {
    this.rows += 1;
    this.hasValues = true;
    this.sink.finding({ ...this.found(line, why), row: this.rows });
  }

  /** Reports a file without a record or without a payout. */
  end(): void {
    if (this.hasValues) return;
    const message =
      this.header === undefined
        ? 'the file is empty; write a header line and one line per payout'
        : 'the file has only a header line; write one line per payout';
    this.sink.finding(aboutFile(this.headerLine, 'no-rows', message));
  }

  found(line: number, { rule, message }: { rule: string; message: string }): Found {
    return aboutFile(line, rule, message);
  }

  private aboutCell(line: number, { index, ...problem }: CellProblem): Found {
    return { ...this.found(line, problem), row: this.rows, column: this.header?.[index] || `${index + 1}` };
  }
}

/**
 * Names as we write them: `Account ID` is `account_id`. Where none of ours is written as we do, the names of the bank are taken to
 * be in the same spelling; else they are left as they are, since a bank can distinguish case.
 */
function asOurs(names: readonly string[]): string[] {
  const ours = names.map((name) => name.toLowerCase().replace(/[\s-]+/g, '_'));
  const isOtherSpelling = !names.some((name) => OWN_FIELDS.has(name)) && ours.some((name) => OWN_FIELDS.has(name));
  return names.map((name, index) => {
    const written = ours[index] ?? name;
    return isOtherSpelling || OWN_FIELDS.has(written) ? written : name;
  });
}

/** Why a first line has none of our column names. */
function noHeader(names: readonly string[]): { rule: string; message: string } {
  if (names.some((name) => OWN_FIELDS.has(withoutTypographicQuotes(name)))) return QUOTED_OTHERWISE;
  if (names[0]?.startsWith('sep=')) return EXCEL_SEPARATOR;
  const isSplitOtherwise = names.some((name) =>
    name.split(OTHER_DELIMITERS).some((part) => OWN_FIELDS.has(part.trim())),
  );
  return isSplitOtherwise ? OTHER_DELIMITER : NO_HEADER;
}

const LETTERS = 26;

/** `A` for 0, `Z` for 25, `AA` for 26. */
export function letterOf(index: number): string {
  const last = String.fromCharCode('A'.charCodeAt(0) + (index % LETTERS));
  return index < LETTERS ? last : letterOf(Math.floor(index / LETTERS) - 1) + last;
}

const NO_HEADER = {
  rule: 'no-header',
  message:
    'the first line contains no known column; delete what is above the header line, or write one (`payouts template` prints one)',
};
const OTHER_DELIMITERS = /[|:~^!]/;
const OTHER_DELIMITER = {
  rule: NO_HEADER.rule,
  message: 'the names in the header line are not separated by a comma, a semicolon or a tab; export with one of these',
};
const EXCEL_SEPARATOR = {
  rule: NO_HEADER.rule,
  message:
    'a line "sep=" for Excel is above the header line, but names no comma, semicolon or tab; export with one of these',
};
const QUOTED_OTHERWISE = {
  rule: NO_HEADER.rule,
  message:
    'the names are in typographic quotes, into which a word processor or a mail has changed plain ones; export the file again, or replace them by " in a plain text editor',
};
const BAD_NAME = {
  rule: 'bad-column-name',
  message: 'not a column name: letters, digits, "_", "-" and ".", starting with a letter; rename or delete the column',
};
const NO_NAME = {
  rule: BAD_NAME.rule,
  message: 'the column has no name; name it, or delete it together with the delimiter at the end of each line',
};
const DUPLICATE_NAME = { rule: 'duplicate-column', message: 'this column appears twice; keep only one' };
