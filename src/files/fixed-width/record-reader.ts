import { aboutFile } from '../../domain/finding.ts';
import { formatMinor } from '../../domain/money.ts';
import type { RowSink } from '../input.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { type UnreadableFile, unreadable } from '../unreadable.ts';
import {
  type BrokenColumns,
  type Columns,
  columnFinding,
  cut,
  digitsOf,
  fixedRecords,
  type RecordShape,
} from './lines.ts';

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
    if (digitsOf(value) !== total) this.found({ columns, ...wrong, value });
  }

  /** The same for an amount in cents; `what`: the sum, with its verb. */
  protected checkSum(record: string, columns: Columns, cents: bigint, what: string): void {
    const message = `${what} ${formatMinor(cents, this.currency)}; this field, in cents, says otherwise`;
    this.checkTotal(record, columns, cents, { rule: 'wrong-control-sum', message });
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
