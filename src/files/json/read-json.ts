import { aboutFile, type Found, printable, shownValue } from '../../domain/finding.ts';
import { decodeUtf8 } from '../decode.ts';
import { isColumnName, type RowSink } from '../input.ts';
import { COLUMNS_MAX, RECORD_BYTES_MAX, STRETCH_BYTES_MAX, tooManyColumns } from '../limits.ts';
import { turns } from '../turns.ts';
import { type UnreadableFile, unreadable } from '../unreadable.ts';
import { JsonCursor, type JsonScalar, JsonSyntaxError } from './json-cursor.ts';

/**
 * Reads an array of instructions, or `{"payouts": [...]}`. Values are strings; null counts as blank. The text is in memory, its
 * rows are not. Other work of the process gets a turn between two payouts.
 */
export async function readJson(bytes: AsyncIterable<Uint8Array>, sink: RowSink): Promise<void> {
  const records = new JsonRecords(sink);
  const chunks: string[] = [];
  for await (const chunk of decodeUtf8(bytes)) chunks.push(chunk);
  await records.read(chunks.join(''));
}

/** Keys beside the payouts that are told of. */
const KEYS_MAX = 100;
const SHAPE = 'an array of payouts, or an object with the key "payouts" that holds one';

type Broken = Pick<Found, 'rule' | 'message'> & Partial<Pick<Found, 'value'>>;

class JsonRecords {
  private readonly columns = new Set<string>();
  private readonly sink: RowSink;
  private readonly nextTurn = turns();
  private row = 0;
  private found = 0;

  constructor(sink: RowSink) {
    this.sink = sink;
  }

  async read(text: string): Promise<void> {
    const cursor = new JsonCursor(text);
    try {
      cursor.allow(STRETCH_BYTES_MAX);
      if (cursor.peek() === '') throw unreadable(1, 'no-rows', `the file is empty; write ${SHAPE}`);
      await this.readDocument(cursor);
      if (cursor.peek() !== '') throw cursor.unexpected('the end of the file');
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      throw badSyntax(text, cursor, error);
    }
    if (this.row === 0 && this.found === 0) {
      this.sink.finding(aboutFile(1, 'no-rows', 'the file contains no payouts; write one object per payout'));
    }
  }

  private async readDocument(cursor: JsonCursor): Promise<void> {
    if (cursor.peek() === '[') return this.readPayouts(cursor);
    if (cursor.peek() !== '{') throw cursor.unexpected(SHAPE);
    let found = false;
    const beside: { line: number; key: string }[] = [];
    for (const key of cursor.members()) {
      await this.nextTurn();
      if (key === 'payouts' && !found && cursor.peek() === '[') {
        found = true;
        await this.readPayouts(cursor);
        continue;
      }
      // Where there are no payouts at all, to delete keys mends nothing.
      if (beside.length < KEYS_MAX) beside.push({ line: cursor.line(), key: printable(key) });
      cursor.skip();
    }
    const message = `a file is ${SHAPE}`;
    if (!found)
      this.add({ line: 1, column: 'payouts', rule: 'no-payouts', message: `${message}; put each payout into it` });
    else
      for (const { line, key } of beside) {
        this.add({ line, column: key, rule: 'unexpected-key', message: `${message}; delete this key` });
      }
  }

  private async readPayouts(cursor: JsonCursor): Promise<void> {
    for (const _ of cursor.elements()) {
      await this.nextTurn();
      this.row += 1;
      cursor.allow(STRETCH_BYTES_MAX);
      this.readRecord(cursor);
    }
    cursor.allow(STRETCH_BYTES_MAX);
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
    let members = 0;
    for (const key of cursor.members()) {
      members += 1;
      if (members > COLUMNS_MAX) throw tooManyColumns(line);
      const value = cursor.scalar();
      const finding = this.member(key, value, seen);
      if (value === undefined) cursor.skip();
      if (finding !== undefined) this.add({ line, row: this.row, column: printable(key), ...finding });
      if (isColumnName(key) && value !== undefined && !seen.has(key))
        instruction[key] = value.kind === 'null' ? '' : value.text;
      if (isColumnName(key) && !this.columns.has(key)) {
        if (this.columns.size === COLUMNS_MAX) throw tooManyColumns(line);
        this.columns.add(key);
        this.sink.column({ name: key, line, row: this.row });
      }
      seen.add(key);
    }
    if (cursor.offset - start > RECORD_BYTES_MAX) this.add({ line, row: this.row, ...RECORD_TOO_LARGE });
    else if (this.found === foundBefore) this.sink.row({ row: this.row, line, instruction });
    else this.sink.row({ row: this.row, line, instruction, unsound: true });
  }

  private member(key: string, value: JsonScalar | undefined, seen: ReadonlySet<string>): Broken | undefined {
    if (!isColumnName(key)) return { rule: 'bad-column-name', message: 'not a field name; rename or delete it' };
    if (seen.has(key)) return { rule: 'duplicate-column', message: 'this field appears twice in one payout; keep one' };
    if (value === undefined)
      return { rule: 'nested-value', message: 'a value must be a string; fields cannot be nested' };
    if (value.kind === 'string' || value.kind === 'null') return undefined;
    const rule = key === 'amount' ? 'amount-not-a-string' : 'not-a-string';
    const message = `write the value as a string in quotes: other programs may lose digits of a ${value.kind}`;
    return { rule, message, value: shownValue(key, value.text) };
  }

  private add(finding: Partial<Found> & Pick<Found, 'line' | 'rule' | 'message'>): void {
    this.found += 1;
    this.sink.finding({ row: null, column: null, value: null, ...finding });
  }
}

const RECORD_TOO_LARGE = {
  rule: 'record-too-large',
  message: `a payout may have at most ${RECORD_BYTES_MAX / 1024} KiB; shorten its values`,
};

/** The cursor is close behind the fault, so the lines before need not be counted again. */
function badSyntax(text: string, cursor: JsonCursor, error: JsonSyntaxError): UnreadableFile {
  const line = cursor.line() - (text.slice(error.offset, cursor.offset).split('\n').length - 1);
  const start = text.slice(0, error.offset).lastIndexOf('\n') + 1;
  const place = `line ${line}, character ${error.offset - start + 1}`;
  return unreadable(line, 'not-json', `not valid JSON at ${place}: ${error.message}. The rest was not checked`);
}
