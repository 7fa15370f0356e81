import type { Finding } from '../../domain/finding.ts';
import { fileFinding, printable, shownValue } from '../../rules/finding.ts';
import { decodeUtf8, UnreadableFile } from '../decode.ts';
import {
  COLUMNS_MAX,
  isColumnName,
  noRows,
  RECORD_BYTES_MAX,
  ROWS_MAX,
  type RowSink,
  tooManyColumns,
  tooManyRows,
} from '../input.ts';
import { JsonCursor, type JsonScalar, JsonSyntaxError } from './json-cursor.ts';

/**
 * Reads an array of instructions, or `{"payouts": [...]}`. Values are strings; null counts as blank. The text is held while
 * it is read (at most `FILE_BYTES_MAX`), its rows are not.
 */
export async function readJson(file: string, bytes: AsyncIterable<Uint8Array>, sink: RowSink): Promise<void> {
  const records = new JsonRecords(file, sink);
  try {
    const chunks: string[] = [];
    for await (const chunk of decodeUtf8(file, bytes)) chunks.push(chunk);
    records.read(chunks.join(''));
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    sink.finding(error.finding);
  }
}

const SHAPE = 'an array of payouts, or an object with the key "payouts" that holds one';

type Broken = Pick<Finding, 'rule' | 'message'> & Partial<Pick<Finding, 'value'>>;

class JsonRecords {
  private readonly columns = new Set<string>();
  private readonly file: string;
  private readonly sink: RowSink;
  private row = 0;
  private found = 0;

  constructor(file: string, sink: RowSink) {
    this.file = file;
    this.sink = sink;
  }

  read(text: string): void {
    if (text.trim() === '') throw new UnreadableFile(noRows(this.file, 1, `the file is empty; write ${SHAPE}`));
    const cursor = new JsonCursor(text);
    try {
      this.readDocument(cursor);
      if (cursor.peek() !== '') throw cursor.unexpected('the end of the file');
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      throw new UnreadableFile(syntaxFinding(this.file, text, error));
    }
    if (this.row === 0 && this.found === 0) {
      this.sink.finding(noRows(this.file, 1, 'the file holds no payouts; write one object for each'));
    }
  }

  private readDocument(cursor: JsonCursor): void {
    if (cursor.peek() === '[') {
      this.readPayouts(cursor);
      return;
    }
    if (cursor.peek() !== '{') throw cursor.unexpected(SHAPE);
    let found = false;
    cursor.object((key) => {
      if (key === 'payouts' && !found && cursor.peek() === '[') {
        found = true;
        this.readPayouts(cursor);
        return;
      }
      const message = `a file is ${SHAPE}; delete this key`;
      this.add({ line: cursor.line(), column: printable(key), rule: 'unexpected-key', message });
      cursor.skip();
    });
    if (!found) this.add({ line: 1, column: 'payouts', rule: 'no-payouts', message: `a file is ${SHAPE}` });
  }

  private readPayouts(cursor: JsonCursor): void {
    cursor.array(() => {
      this.row += 1;
      if (this.row > ROWS_MAX) throw new UnreadableFile(tooManyRows(this.file, cursor.line()));
      this.readRecord(cursor);
    });
  }

  private readRecord(cursor: JsonCursor): void {
    const line = cursor.line();
    const start = cursor.offset;
    const foundBefore = this.found;
    if (cursor.peek() !== '{') {
      cursor.skip();
      const message = 'a payout is an object of fields; write { ... }';
      this.add({ line, row: this.row, rule: 'not-an-object', message });
      return;
    }
    const instruction: Record<string, string> = {};
    const seen = new Set<string>();
    cursor.object((key) => {
      const value = cursor.scalar();
      const finding = this.member(key, value, seen);
      if (value === undefined) cursor.skip();
      if (finding !== undefined) this.add({ line, row: this.row, column: printable(key), ...finding });
      if (isColumnName(key) && value !== undefined && !seen.has(key))
        instruction[key] = value.kind === 'null' ? '' : value.text;
      if (isColumnName(key) && !this.columns.has(key)) {
        if (this.columns.size === COLUMNS_MAX) throw new UnreadableFile(tooManyColumns(this.file, line));
        this.columns.add(key);
        this.sink.column({ name: key, line, row: this.row });
      }
      seen.add(key);
    });
    if (cursor.offset - start > RECORD_BYTES_MAX) this.add({ line, row: this.row, ...RECORD_TOO_LARGE });
    else if (this.found === foundBefore) this.sink.row({ row: this.row, line, instruction });
    else this.sink.row({ row: this.row, line, instruction, unsound: true });
  }

  private member(key: string, value: JsonScalar | undefined, seen: ReadonlySet<string>): Broken | undefined {
    if (!isColumnName(key)) return { rule: 'bad-column-name', message: 'not a field name; rename or delete it' };
    if (seen.has(key)) return { rule: 'duplicate-column', message: 'this field appears twice in one payout; keep one' };
    if (value === undefined) return { rule: 'nested-value', message: 'a value is a string; fields do not nest' };
    if (value.kind === 'string' || value.kind === 'null') return undefined;
    const rule = key === 'amount' ? 'amount-not-a-string' : 'not-a-string';
    const message = `write the value as a string in quotes: a ${value.kind} loses digits on its way through other programs`;
    return { rule, message, value: shownValue(key, value.text) };
  }

  private add(finding: Partial<Finding> & Pick<Finding, 'line' | 'rule' | 'message'>): void {
    this.found += 1;
    this.sink.finding({ file: this.file, row: null, column: null, value: null, ...finding });
  }
}

const RECORD_TOO_LARGE = {
  rule: 'record-too-large',
  message: `a payout holds at most ${RECORD_BYTES_MAX / 1024} KiB; shorten its values`,
};

function syntaxFinding(file: string, text: string, error: JsonSyntaxError): Finding {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < error.offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    start = at + 1;
  }
  const place = `line ${line}, character ${error.offset - start + 1}`;
  return fileFinding(file, line, 'not-json', `not valid JSON at ${place}: ${error.message}. The rest was not checked`);
}
