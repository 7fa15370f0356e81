import { type CsvError, type InfoRecord, type Parser, parse } from 'csv-parse';
import { isFreeText } from '../../domain/finding.ts';
import { currencyExponent } from '../../domain/money.ts';
import { decodeText } from '../decode.ts';
import { RECORD_BYTES_MAX, type RowSink, recordTooLarge, UnreadableFile } from '../input.ts';
import { TABLE_FIELDS } from '../table-fields.ts';
import { TableRows } from '../table-rows.ts';
import { csvText, detectDelimiter, namedDelimiter } from './csv-text.ts';

/** Turns parsed records into rows and findings, each with the line on which its record starts. */
class CsvRecords {
  private readonly table: TableRows;
  /** Line after the last record, and the number of blank lines up to it. */
  private nextLine = 1;
  private blankLines = 0;
  private strayQuotes = 0;
  /** The record taken last, if it is a row with all its values. */
  private last: { record: readonly string[]; line: number } | undefined;
  private rows = 0;
  /** Rows whose amount, in the last column, has fewer decimals than its currency. */
  private shortAmounts = 0;

  constructor(sink: RowSink) {
    this.table = new TableRows(sink);
  }

  take(record: string[], info: InfoRecord): null {
    this.strayQuotes = 0;
    this.last = undefined;
    // The parser gives the line on which a record ends; less the newlines in it, that is the line on which it starts.
    const line = info.lines - newlinesIn(record);
    this.nextLine = info.lines + 1;
    this.blankLines = info.empty_lines;
    const { header } = this.table;
    if (header === undefined) this.table.takeHeader(record, line);
    else this.takeRow(header.length, record, line);
    return null;
  }

  /** Called for a record that the parser gave up. Throws if the following records cannot be parsed either. */
  skip(error: CsvError | undefined): undefined {
    this.last = undefined;
    const { table } = this;
    const blankLines = Number(error?.empty_lines);
    const start = this.nextLine + blankLines - this.blankLines;
    if (error?.code === 'CSV_MAX_RECORD_SIZE') throw recordTooLarge(start);
    if (error?.code !== 'INVALID_OPENING_QUOTE') throw new UnreadableFile(table.found(start, BROKEN_QUOTE));
    if (table.header === undefined) throw new UnreadableFile(table.found(start, STRAY_QUOTE));
    const end = Number(error?.lines);
    // The parser reports every stray quote of a record, each time with the value read so far.
    if (end < this.nextLine) {
      this.strayQuotes += 1;
      if (this.strayQuotes < STRAY_QUOTES_MAX) return undefined;
      throw new UnreadableFile(table.found(end, STRAY_QUOTES));
    }
    this.strayQuotes = 1;
    this.nextLine = end + 1;
    this.blankLines = blankLines;
    table.refuse(start, STRAY_QUOTE);
    return undefined;
  }

  /**
   * `isEnded`: the file ends with a line end or a quote. Otherwise it may have been cut off inside its last value, and a part of
   * an amount or of an account number is one too. Throws if that is certain.
   */
  end(isEnded: boolean): void {
    this.table.end();
    const { table, last } = this;
    const column = table.header?.at(-1) ?? '';
    if (isEnded || last === undefined || isFreeText(column)) return;
    const decimals = column === 'amount' ? this.decimalsOf(last.record) : undefined;
    if (decimals === 'all') return;
    if (decimals === 'fewer' && this.shortAmounts === 1 && this.rows > 1) {
      throw new UnreadableFile({ ...table.found(last.line, CUT_OFF), column });
    }
    table.warn(last.line, { index: last.record.length - 1, ...NO_LINE_END });
  }

  /** Of the amount in the last column, compared with its currency; undefined if that has none or is not known. */
  private decimalsOf(record: readonly string[]): 'all' | 'fewer' | undefined {
    const { header = [] } = this.table;
    const places = currencyExponent(record[header.indexOf('currency')]?.trim() ?? '') ?? 0;
    const [, decimals = ''] = record.at(-1)?.trim().split('.') ?? [];
    if (places === 0) return undefined;
    return decimals.length < places ? 'fewer' : 'all';
  }

  private takeRow(columns: number, record: string[], line: number): void {
    if (record.every((value) => value.trim() === '')) this.table.leaveOut(line, TABLE_FIELDS.blankLine.warns);
    else if (record.length === columns) {
      this.table.takeRow(record, line);
      this.last = { record, line };
      this.rows += 1;
      if (this.table.header?.at(-1) === 'amount' && this.decimalsOf(record) === 'fewer') this.shortAmounts += 1;
    } else {
      const mend =
        record.length < columns
          ? 'the line may have been cut off, or split by a line break in a value: complete it'
          : 'put values that contain the delimiter in quotes';
      const message = `${record.length} ${record.length === 1 ? 'field' : 'fields'} where the header line has ${columns}; ${mend}`;
      this.table.refuse(line, { rule: 'wrong-field-count', message });
    }
  }
}

const newlinesIn = (record: readonly string[]): number =>
  record.reduce((count, value) => count + value.split('\n').length - 1, 0);

const CUT_OFF = {
  rule: 'truncated-file',
  message:
    'the file ends without a line end, in an amount with fewer decimals than all others: it may be truncated; export it again, or end the line if it is complete',
};
const NO_LINE_END = {
  rule: 'no-line-end',
  message:
    'the file ends here without a line end, so this value may have been cut off, and rows may be missing; compare it with its source',
};
const STRAY_QUOTE = {
  rule: 'stray-quote',
  message: 'a quote inside an unquoted value; quote the whole value and double the quotes in it',
};
/** More than a value has in which somebody forgot to double the quotes. */
const STRAY_QUOTES_MAX = 100;
const STRAY_QUOTES = {
  rule: 'stray-quote',
  message: `${STRAY_QUOTES_MAX} quotes inside unquoted values in one record; quote such values and double the quotes in them. The rest was not checked`,
};
const BROKEN_QUOTE = {
  rule: 'broken-quote',
  message:
    'a quote is not closed, or is closed in the middle of a value; double the quotes inside values. The rest was not checked',
};

/**
 * Reads a CSV file: UTF-8 or UTF-16, header line first; comma, semicolon or tab as delimiter, as in the header line or as a line
 * "sep=" above it says; quotes as in RFC 4180. A finding never stops the pass, unless the rest cannot be read (a broken quote, a
 * limit).
 */
export async function readCsv(bytes: AsyncIterable<Uint8Array>, sink: RowSink): Promise<void> {
  const records = new CsvRecords(sink);
  const text = decodeText(bytes, sink.finding);
  const ending = await parseInto(records, csvText(text, sink));
  records.end(ending === '\n' || ending === '"');
}

/** Returns the last character. */
async function parseInto(records: CsvRecords, text: AsyncIterable<string>): Promise<string> {
  let parser: Parser | undefined;
  let held = '';
  let ending = '';
  for await (const chunk of text) {
    ending = chunk.at(-1) ?? ending;
    held += chunk;
    // The delimiter is known once the header line is complete, which may be the second.
    if (parser === undefined && !/^\s*\S.*\n.*\n/.test(held)) {
      if (held.length > 2 * RECORD_BYTES_MAX) throw recordTooLarge(1);
      continue;
    }
    parser = await written(parser, held);
    held = '';
  }
  if (parser === undefined && held.trim() === '') return ending;
  await end(await written(parser, held));
  return ending;

  async function written(open: Parser | undefined, next: string): Promise<Parser> {
    if (open !== undefined) return write(open, next);
    const [, blank = '', first = ''] = /^(\s*)(.*)/.exec(next) ?? [];
    const named = namedDelimiter(first);
    const opened = openParser(records, named ?? detectDelimiter(first));
    return write(opened, named === undefined ? next : next.slice((blank + first).length));
  }
}

function openParser(records: CsvRecords, delimiter: string): Parser {
  const parser = parse({
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: RECORD_BYTES_MAX,
    // Called synchronously by the parser, so that nothing is buffered and errors keep their order.
    on_record: (record: string[], info) => records.take(record, info),
    on_skip: (error) => records.skip(error),
  });
  parser.on('error', () => {});
  return parser.resume();
}

const write = (parser: Parser, text: string): Promise<Parser> =>
  new Promise((resolve, reject) => parser.write(text, (error) => (error ? reject(error) : resolve(parser))));

const end = (parser: Parser): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.on('error', reject);
    parser.on('end', resolve);
    parser.end();
  });
