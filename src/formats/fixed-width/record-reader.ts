import { fileFinding } from '../../rules/finding.ts';
import { UnreadableFile } from '../decode.ts';
import { ROWS_MAX, type RowSink, tooManyRows } from '../input.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { type Columns, columnFinding, type RecordShape, readRecords } from './lines.ts';

/** A reader's position in its file, and findings about the file at that position. */
export abstract class RecordReader {
  protected readonly file: string;
  protected readonly sink: RowSink;
  protected readonly context: MessageContext;
  protected line = 1;
  protected row = 0;
  private readonly rowsMax: number;

  constructor(file: string, sink: RowSink, context: MessageContext, rowsMax: number) {
    this.file = file;
    this.sink = sink;
    this.context = context;
    this.rowsMax = rowsMax;
  }

  abstract take(record: string, line: number): void;
  abstract end(): void;

  /** Throws `UnreadableFile` if there are too many rows. */
  protected countRow(): void {
    this.row += 1;
    if (this.row > this.rowsMax) throw new UnreadableFile(tooManyRows(this.file, this.line, this.rowsMax));
  }

  /** Reports a finding about the file. */
  protected found(columns: Columns, what: { rule: string; message: string; value?: string }): void {
    this.sink.finding(columnFinding({ file: this.file, line: this.line, row: null }, columns, what));
  }

  protected unreadable({ rule, message }: { rule: string; message: string }): UnreadableFile {
    return new UnreadableFile(fileFinding(this.file, this.line, rule, `${message}. The rest was not checked`));
  }
}

/** Reads a file whose records a `Reader` takes. */
export const readerOf =
  (shape: RecordShape, Reader: new (...given: ConstructorParameters<typeof RecordReader>) => RecordReader) =>
  (
    file: string,
    bytes: AsyncIterable<Uint8Array>,
    sink: RowSink,
    context: MessageContext,
    rowsMax = ROWS_MAX,
  ): Promise<void> =>
    readRecords(file, bytes, shape, sink, new Reader(file, sink, context, rowsMax));
