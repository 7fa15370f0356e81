import type { CsvError, InfoRecord } from 'csv-parse';
import type { Finding } from '../../domain/finding.ts';
import { OWN_FIELDS } from '../../domain/instruction.ts';
import { fileFinding, printable } from '../../rules/finding.ts';
import { UnreadableFile } from '../decode.ts';
import {
  COLUMNS_MAX,
  isColumnName,
  noRows,
  ROWS_MAX,
  type RowSink,
  recordTooLarge,
  tooManyColumns,
  tooManyRows,
} from '../input.ts';

/** Turns parsed records into rows and findings, keeping the line each record starts on. */
export class CsvRecords {
  readonly file: string;
  private readonly sink: RowSink;
  private header: string[] | undefined;
  /** Position of each column that can be read. */
  private readonly positions = new Map<string, number>();
  private headerLine = 1;
  private row = 0;
  /** First line after the record seen last, and the blank lines counted by then. */
  private nextLine = 1;
  private blankLines = 0;
  /** Stray quotes of the record that is being read. */
  private strayQuotes = 0;

  constructor(file: string, sink: RowSink) {
    this.file = file;
    this.sink = sink;
  }

  take(record: string[], info: InfoRecord): null {
    this.strayQuotes = 0;
    // The parser counts the line a record ends on; the newlines it holds give the line it starts on.
    const line = info.lines - newlinesIn(record);
    this.nextLine = info.lines + 1;
    this.blankLines = info.empty_lines;
    if (this.header === undefined) this.takeHeader(record, line);
    else this.takeRow(this.header, record, line);
    return null;
  }

  /** A record the parser gave up. Throws when what follows cannot be told apart either. */
  skip(error: CsvError | undefined): undefined {
    const blankLines = Number(error?.empty_lines);
    const start = this.nextLine + blankLines - this.blankLines;
    if (error?.code === 'CSV_MAX_RECORD_SIZE') throw new UnreadableFile(recordTooLarge(this.file, start));
    if (error?.code !== 'INVALID_OPENING_QUOTE') {
      throw new UnreadableFile(this.found(start, BROKEN_QUOTE));
    }
    if (this.header === undefined) throw new UnreadableFile(this.found(start, STRAY_QUOTE));
    const end = Number(error?.lines);
    // The parser reports every stray quote of a record, each time with the whole value so far.
    if (end < this.nextLine) {
      this.strayQuotes += 1;
      if (this.strayQuotes < STRAY_QUOTES_MAX) return undefined;
      throw new UnreadableFile(this.found(end, STRAY_QUOTES));
    }
    this.strayQuotes = 1;
    this.nextLine = end + 1;
    this.blankLines = blankLines;
    this.countRow(start);
    this.sink.finding({ ...this.found(start, STRAY_QUOTE), row: this.row });
    return undefined;
  }

  /** A file without a record, or without a payout. */
  end(): void {
    if (this.row > 0) return;
    const message =
      this.header === undefined
        ? 'the file is empty; write a header line and one line for each payout'
        : 'the file has a header line only; write one line for each payout';
    this.sink.finding(noRows(this.file, this.headerLine, message));
  }

  private takeHeader(record: string[], line: number): void {
    this.header = record.map((name) => name.trim());
    this.headerLine = line;
    if (this.header.length > COLUMNS_MAX) throw new UnreadableFile(tooManyColumns(this.file, line));
    // A first line that names no column of ours is a row: its values are nobody's business.
    if (!this.header.some((name) => OWN_FIELDS.has(name))) throw new UnreadableFile(this.found(line, NO_HEADER));
    for (const [index, name] of this.header.entries()) {
      if (!isColumnName(name))
        this.sink.finding({ ...this.found(line, BAD_NAME), value: printable(name), column: `${index + 1}` });
      else if (this.positions.has(name)) this.sink.finding({ ...this.found(line, DUPLICATE_NAME), column: name });
      else {
        this.positions.set(name, index);
        this.sink.column({ name, line, row: null });
      }
    }
  }

  private takeRow(header: string[], record: string[], line: number): void {
    this.countRow(line);
    if (record.every((value) => value.trim() === '')) {
      this.sink.finding({ ...this.found(line, BLANK_ROW), row: this.row });
      return;
    }
    if (record.length !== header.length) {
      const message = `${record.length} fields where the header line has ${header.length}; put values that hold the delimiter in quotes`;
      this.sink.finding({ ...this.found(line, { rule: 'wrong-field-count', message }), row: this.row });
      return;
    }
    const instruction: Record<string, string> = {};
    for (const [name, index] of this.positions) instruction[name] = record[index] ?? '';
    this.sink.row({ row: this.row, line, instruction });
  }

  private countRow(line: number): void {
    this.row += 1;
    if (this.row > ROWS_MAX) throw new UnreadableFile(tooManyRows(this.file, line));
  }

  private found(line: number, { rule, message }: { rule: string; message: string }): Finding {
    return fileFinding(this.file, line, rule, message);
  }
}

const newlinesIn = (record: readonly string[]): number =>
  record.reduce((count, value) => count + value.split('\n').length - 1, 0);

const NO_HEADER = {
  rule: 'no-header',
  message: 'the first line names no column that payouts have; write a header line (`payouts template` prints one)',
};
const BAD_NAME = {
  rule: 'bad-column-name',
  message: 'not a column name: letters, digits, "_", "-" and ".", starting with a letter; rename or delete the column',
};
const DUPLICATE_NAME = { rule: 'duplicate-column', message: 'this column appears twice; keep one of them' };
const BLANK_ROW = { rule: 'blank-row', message: 'this line holds no values; delete it' };
const STRAY_QUOTE = {
  rule: 'stray-quote',
  message: 'a quote inside a value that is not in quotes; quote the whole value and double the quotes in it',
};
/** A value in which somebody has forgotten to double the quotes has a few. */
const STRAY_QUOTES_MAX = 100;
const STRAY_QUOTES = {
  rule: 'stray-quote',
  message: `${STRAY_QUOTES_MAX} quotes inside values that are not in quotes, in one record; quote such values and double the quotes in them. The rest was not checked`,
};
const BROKEN_QUOTE = {
  rule: 'broken-quote',
  message:
    'a quote is never closed or closed in the middle of a value; double the quotes in a value. The rest was not checked',
};
