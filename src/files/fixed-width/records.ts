import { aboutFile, type Found, printable, shownValue } from '../../domain/finding.ts';
import { formatMinor } from '../../domain/money.ts';
import { midnightOf } from '../../domain/time.ts';
import type { CreditTransfer } from '../credit-transfer.ts';
import { decodeText } from '../decode.ts';
import { type RowSink, type UnreadableFile, unreadable } from '../input.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { documentId, instructionOf } from '../messages/message-instruction.ts';
import { type Fate, withoutField } from '../not-carried.ts';

/** Files of fixed-width records: ABA and NACHA. */

/** First and last column of a field, counted from 1 as in the documentation of the formats. */
export type Columns = readonly [from: number, to: number];

export const cut = (record: string, [from, to]: Columns): string => record.slice(from - 1, to);

interface FixedRecord {
  text: string;
  line: number;
}

interface RecordShape {
  width: number;
  /**
   * By record type (first character): the last column that must be there. Behind it there are only blanks, which editors and
   * mails cut off. Types not listed have all columns.
   */
  filledTo: Readonly<Record<string, number>>;
}

/**
 * Records of exactly `width` printable characters, with their final blanks cut off or not; ASCII, or UTF-8 as some programs write. Line ends are LF, CRLF or CR, or
 * missing; empty lines count as lines, and so does each record of a line that has several. Throws `UnreadableFile` (`not-ascii`,
 * `wrong-record-length`), since after that no column can be trusted.
 */
async function* fixedRecords(bytes: AsyncIterable<Uint8Array>, shape: RecordShape): AsyncGenerator<FixedRecord> {
  const runMin = RUN_RECORDS * shape.width;
  let held = '';
  let line = 1;
  let isRun = false;
  const notText = ({ line: at }: Found): never => {
    throw unreadable(at, 'not-ascii', NOT_ASCII);
  };
  for await (const chunk of decodeText(bytes, notText)) {
    held += chunk;
    for (let end = held.search(LINE_END); end >= 0; end = held.search(LINE_END)) {
      // A CR at the end may be the first half of a CRLF.
      if (held[end] === '\r' && end + 1 === held.length) break;
      yield* recordsOf(held.slice(0, end));
      held = held.slice(end + (held.startsWith('\r\n', end) ? 2 : 1));
      isRun = false;
    }
    while (held.length > runMin && held.search(LINE_END) < 0) {
      isRun = true;
      yield* recordsOf(held.slice(0, shape.width));
      held = held.slice(shape.width);
    }
  }
  yield* recordsOf(held.replace(/\r$/, ''));

  function* recordsOf(text: string): Generator<FixedRecord> {
    const record = text.replace(PAGE_BREAKS, '').replaceAll('\0', ' ').replaceAll('\u00a0', ' ');
    const several = isRun || record.length >= runMin || record.length % shape.width === 0;
    const width = several && record.trimEnd().length > shape.width ? shape.width : record.length;
    for (let at = 0; at < record.length; at += width) {
      const piece = record.slice(at, at + width);
      if (piece.trim() !== '') yield { text: recordText(line, piece, shape), line };
      line += 1;
    }
    if (record.length === 0) line += 1;
  }
}

/** A line of at least as many is several records without line ends between them. */
const RUN_RECORDS = 2;
const LINE_END = /[\r\n]/;
const PAGE_BREAKS = /^[\f\v]+|[\f\v]+$/g;
const NOT_ASCII =
  'the file has letters that are not plain ASCII, in an encoding other than UTF-8; write them without accents in the program that made the file. The rest was not checked';
const NOT_SHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\ufffd]/u;

function recordText(line: number, record: string, { width, filledTo }: RecordShape): string {
  const bad = record.search(NOT_SHOWN);
  if (bad >= 0) {
    const message = `character ${bad + 1} is a control character or another that shows nothing; export the file again. The rest was not checked`;
    throw unreadable(line, 'not-ascii', message);
  }
  const text = record.length > width ? record.trimEnd().padEnd(width) : record;
  const isCut = text.length < width && text.length >= (filledTo[text.charAt(0)] ?? width);
  if (isCut) return text.padEnd(width);
  if (text.length === width) return text;
  const why =
    text.length > width
      ? 'characters may have been added, or line ends lost'
      : 'the file may be truncated, or blanks inside its lines may have been lost';
  const message = `${text.length} characters where a record of type ${text.charAt(0)} has ${width}; ${why}; export it again. The rest was not checked`;
  throw unreadable(line, 'wrong-record-length', message);
}

export interface BrokenColumns {
  columns: Columns;
  rule: string;
  message: string;
  /** Must be safe to show; absent if it would reveal something about a person. */
  value?: string;
}

export interface FieldRule extends Omit<BrokenColumns, 'value'> {
  isBroken(value: string): boolean;
  /** The value is a code and may be shown. */
  shown?: true;
}

/** Of an amount in cents. */
export const amountRule = (columns: Columns): FieldRule => ({
  columns,
  rule: 'bad-amount',
  message: 'an amount has ten digits, in cents, with leading zeros',
  isBroken: (amount) => digitsOf(amount) === undefined,
  shown: true,
});

export const brokenColumns = (record: string, rules: readonly FieldRule[]): BrokenColumns[] =>
  rules
    .filter(({ columns, isBroken }) => isBroken(cut(record, columns)))
    .map(({ columns, rule, message, shown }) => ({ columns, rule, message, value: shown && cut(record, columns) }));

function columnFinding(
  { line, row }: Pick<Found, 'line' | 'row'>,
  { columns: [from, to], rule, message, value = '' }: BrokenColumns,
): Found {
  const shown = value.trim() === '' ? null : printable(value.trim());
  return { line, row, column: from === to ? `${from}` : `${from}-${to}`, value: shown, rule, message };
}

/** Two digits each of year, month and day as an ISO 8601 date of this century; `undefined` if there is no such day. */
export function calendarDate(year: string, month: string, day: string): string | undefined {
  const date = `20${year}-${month}-${day}`;
  return midnightOf(date) === undefined ? undefined : date;
}

/** Value of a numeric field, padded with zeros or blanks on the left; `undefined` for anything else. */
export function digitsOf(field: string): bigint | undefined {
  const digits = field.trimStart();
  return /^\d+$/.test(digits) ? BigInt(digits) : undefined;
}

/** A text field, trimmed; undefined if blank. */
export const filled = (field: string): string | undefined => field.trim() || undefined;

const MADE_AGAIN = 'a record was lost or changed after the file was made, so export it again';

/** What to do about a record that is not paid: taken out by hand, it would leave wrong totals behind. */
export const LEAVE_OUT = 'leave it out in the program that makes the file';

/** A reader's position in its file, and findings about the file at that position. */
export abstract class RecordReader {
  protected readonly sink: RowSink;
  protected readonly context: MessageContext;
  /** Of all amounts. */
  protected abstract readonly currency: string;
  protected line = 1;
  protected row = 0;

  constructor(sink: RowSink, context: MessageContext) {
    this.sink = sink;
    this.context = context;
  }

  abstract take(record: string, line: number): void;
  abstract end(): void;

  protected found(broken: BrokenColumns): void {
    this.sink.finding(columnFinding({ line: this.line, row: null }, broken));
  }

  /** Reports a field of a control record that differs from what its records add up to. */
  protected checkTotal(
    record: string,
    columns: Columns,
    total: bigint,
    wrong: { rule: string; message: string },
  ): void {
    const value = cut(record, columns);
    const message = `${wrong.message}; ${MADE_AGAIN}`;
    if (digitsOf(value) !== total) this.found({ columns, ...wrong, message, value });
  }

  /** The same for an amount in cents; `what`: the sum, with its verb. */
  protected checkSum(record: string, columns: Columns, cents: bigint, what: string): void {
    const message = `${what} ${formatMinor(cents, this.currency)}; this field, in cents, says otherwise`;
    this.checkTotal(record, columns, cents, { rule: 'wrong-control-sum', message });
  }

  /** Warns of what the record asks for and the bank's API has no place for. */
  protected missed(fields: readonly BrokenColumns[]): void {
    for (const field of fields) this.sink.warning(columnFinding({ line: this.line, row: null }, field));
  }

  /** Reports a finding about the file that concerns no columns. */
  protected lacks(rule: string, message: string): void {
    this.sink.finding(aboutFile(this.line, rule, message));
  }

  protected unreadable(rule: string, message: string): UnreadableFile {
    return unreadable(this.line, rule, `${message}. The rest was not checked`);
  }
}

export const readerOf =
  (shape: RecordShape, Reader: new (...given: ConstructorParameters<typeof RecordReader>) => RecordReader) =>
  async (bytes: AsyncIterable<Uint8Array>, sink: RowSink, context: MessageContext): Promise<void> => {
    const reader = new Reader(sink, context);
    for await (const { text, line } of fixedRecords(bytes, shape)) reader.take(text, line);
    reader.end();
  };

/** One transfer of a file whose amounts are all in one currency, in cents. */
interface FixedTransfer extends Omit<CreditTransfer, 'id' | 'debtorCurrency' | 'amount' | 'original'> {
  messageId: string;
  /** Index among the message's payments, from 0. */
  payment: number;
  /** Field of the amount. */
  cents: string;
  endToEndId: string;
  /** Whether other files may have the same end-to-end id for other transfers. */
  isOfFile?: boolean;
  instructionId?: string | undefined;
}

/** Passes a transfer to the sink as a row. It is unsound if the mapping cannot place something, or its reader found something. */
export function takeTransfer(
  { sink, context }: { sink: RowSink; context: MessageContext },
  { messageId, payment, cents, endToEndId, isOfFile, instructionId, ...given }: FixedTransfer,
  findings: readonly (BrokenColumns & { line?: number })[],
  missed: readonly BrokenColumns[] = [],
): void {
  const { row, line, currency, requestedExecution } = given;
  const minor = digitsOf(cents);
  const amount = minor === undefined ? cents.trim() : formatMinor(minor, currency);
  const unique = isOfFile ? `${messageId}.${endToEndId}` : endToEndId;
  const ids = { endToEndId: unique, instructionId, position: `${messageId}.${row}` };
  const original = { payment, instructionId, endToEndId, amount, currency, requestedExecution };
  const id = documentId(ids, context.mapping.identity);
  const transfer = { ...given, id, debtorCurrency: currency, amount, original };
  const { instruction, spare, broken } = instructionOf(transfer, context);
  for (const finding of findings) sink.finding(columnFinding({ line: finding.line ?? line, row }, finding));
  for (const { column, value = shownValue(column, instruction[column]), rule, message } of broken) {
    sink.finding({ line, row, column, value, rule, message });
  }
  for (const field of missed) sink.warning(columnFinding({ line, row }, field));
  const unsound = findings.length + broken.length > 0;
  sink.row({ row, line, instruction, spare, original, ...(unsound ? { unsound } : {}) });
}

/** A field of a record of fixed width. */
interface FixedField extends Fate {
  columns: Columns;
  /** As the warning calls it. */
  name: string;
  /** With `notCarried`: whether this value is missed; absent: any that is not blank. */
  isMissed?(value: string): boolean;
  /** The value is a code, and the warning shows it; returns what it means. */
  shown?(value: string): string;
}

export type RecordFields = Readonly<Record<string, FixedField>>;

type ColumnsOf<Fields> = { readonly [Name in keyof Fields]: Columns };

export const columnsOf = <Fields extends RecordFields>(fields: Fields): ColumnsOf<Fields> =>
  Object.fromEntries(Object.entries(fields).map(([name, { columns }]) => [name, columns])) as ColumnsOf<Fields>;

/** What a record asks for and the bank's API has no place for, as warnings about its columns. */
export const missedIn = (fields: RecordFields, record: string): BrokenColumns[] =>
  Object.values(fields).flatMap(({ columns, name, notCarried, isMissed, shown }) => {
    const value = cut(record, columns).trim();
    if (notCarried === undefined || !(isMissed?.(value) ?? value !== '')) return [];
    if (shown === undefined) return [{ columns, ...withoutField(name) }];
    return [{ columns, ...withoutField(`${name} ${printable(value)}${shown(value)}`), value }];
  });

export const ALWAYS = { notCarried: 'always' } as const;
export const COMPARED = { carried: 'compared with the records' } as const;
/** The name of who pays. */
export const OWNER = { carried: '`uid`, `account_id`: the owner of the account, as the bank knows them' } as const;
