import { aboutFile, type Found, printable, shownValue } from '../../domain/finding.ts';
import {
  TYPOGRAPHIC_QUOTE,
  UNSEEN_CHARACTERS,
  withoutTypographicQuotes,
  withoutUnseen,
} from '../../domain/plain-text.ts';
import { decodeText } from '../decode.ts';
import {
  COLUMNS_MAX,
  isColumnName,
  RECORD_BYTES_MAX,
  type RowSink,
  recordTooLarge,
  STRETCH_BYTES_MAX,
  tooManyColumns,
  turns,
  type UnreadableFile,
  unreadable,
} from '../input.ts';

/**
 * Reads JSON text token by token, with the line of each. `JSON.parse` gives no lines, keeps only the last of two equal keys,
 * and makes floats of numbers; none of that is acceptable for payouts.
 */

export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

type JsonScalar = { kind: 'string'; text: string } | { kind: 'number' | 'boolean' | 'null'; text: string };

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
/** Those of the standard, and those that editors and old systems leave between tokens. */
const BLANKS: ReadonlySet<number> = new Set([...' \t\n\r\f\v', ...UNSEEN_CHARACTERS].map((char) => char.charCodeAt(0)));
const WORD = /^(?:true|false|null)/;
const DEPTH_MAX = 64;

export class JsonCursor {
  private readonly text: string;
  private at = 0;
  private nextNewline: number;
  private lines = 1;
  private end = Number.POSITIVE_INFINITY;

  constructor(text: string) {
    this.text = text;
    this.nextNewline = text.indexOf('\n');
  }

  /** Allows at most `length` more characters from here; reading more throws `UnreadableFile`. */
  allow(length: number): void {
    this.end = this.at + length;
  }

  /** The next non-blank character, without consuming it; empty at the end. */
  peek(): string {
    while (this.at <= this.end && BLANKS.has(this.text.charCodeAt(this.at))) this.at += 1;
    this.checkLength();
    return this.text[this.at] ?? '';
  }

  get offset(): number {
    return this.at;
  }

  /** Line of the current position, from 1. Positions only grow, so counting is linear in the whole file. */
  line(): number {
    while (this.nextNewline >= 0 && this.nextNewline < this.at) {
      this.lines += 1;
      this.nextNewline = this.text.indexOf('\n', this.nextNewline + 1);
    }
    return this.lines;
  }

  take(char: string): boolean {
    if (this.peek() !== char) return false;
    this.at += 1;
    return true;
  }

  expect(char: string): void {
    if (!this.take(char)) throw this.unexpected(`"${char}"`);
  }

  /** Keys of `{ "key": value, ... }`; the caller consumes each value. */
  *members(): Generator<string> {
    this.expect('{');
    if (this.take('}')) return;
    do {
      const key = this.string();
      this.expect(':');
      yield key;
    } while (this.take(','));
    this.expect('}');
  }

  /** Yields at each element of `[ element, ... ]`; the caller consumes the element. */
  *elements(): Generator<void> {
    this.expect('[');
    if (this.take(']')) return;
    do {
      this.peek();
      yield;
    } while (this.take(','));
    this.expect(']');
  }

  string(): string {
    if (this.peek() !== '"') throw this.unexpected('a string in double quotes');
    const start = this.at;
    let end = start;
    do {
      end = this.text.indexOf('"', end + 1);
      if (end < 0) throw new JsonSyntaxError('a string is not closed', start);
      this.checkLength(end);
    } while (this.escaped(end));
    this.at = end + 1;
    try {
      return JSON.parse(this.text.slice(start, this.at)) as string;
    } catch {
      throw new JsonSyntaxError('a string contains a line ending, a control character or an unknown escape', start);
    }
  }

  /** A scalar with its text as written; at an object or array `undefined`, and nothing is consumed. */
  scalar(): JsonScalar | undefined {
    const next = this.peek();
    if (next === '{' || next === '[') return undefined;
    if (next === '"') return { kind: 'string', text: this.string() };
    const word = this.match(WORD);
    if (word !== '') return { kind: word === 'null' ? 'null' : 'boolean', text: word };
    const number = this.match(NUMBER);
    if (number === '') throw this.unexpected('a value');
    return { kind: 'number', text: number };
  }

  /** Skips one value of any kind; with `isUnique`, a key that appears twice in an object is an error. */
  skip(isUnique = false, depth = 0): void {
    if (depth > DEPTH_MAX) throw new JsonSyntaxError(`values are nested more than ${DEPTH_MAX} levels deep`, this.at);
    if (this.scalar() !== undefined) return;
    if (this.peek() !== '{') {
      for (const _ of this.elements()) this.skip(isUnique, depth + 1);
      return;
    }
    const seen = new Set<string>();
    for (const key of this.members()) {
      if (isUnique && seen.has(key)) throw new JsonSyntaxError('a key appears twice', this.at);
      if (isUnique) seen.add(key);
      this.skip(isUnique, depth + 1);
    }
  }

  unexpected(wanted: string): JsonSyntaxError {
    const found = this.peek();
    const shown =
      found === ''
        ? 'the end of the file'
        : withoutTypographicQuotes(found) === ''
          ? TYPOGRAPHIC_QUOTE
          : 'something else';
    return new JsonSyntaxError(`expected ${wanted}, found ${shown}`, this.at);
  }

  /** Whether the quote is escaped: after an odd number of backslashes it belongs to the string. */
  private escaped(at: number): boolean {
    let first = at;
    while (this.text[first - 1] === '\\') first -= 1;
    return (at - first) % 2 === 1;
  }

  private match(pattern: RegExp): string {
    const [found = ''] = pattern.exec(this.text.slice(this.at, this.end + 1)) ?? [];
    this.at += found.length;
    this.checkLength();
    return found;
  }

  private checkLength(at = this.at): void {
    if (at > this.end) throw recordTooLarge(this.line());
  }
}

/**
 * Reads an array of instructions, or `{"payouts": [...]}`. Values are strings; null counts as blank. The text is in memory, its
 * rows are not. Other work of the process gets a turn between two payouts.
 */
export async function readJson(bytes: AsyncIterable<Uint8Array>, sink: RowSink): Promise<void> {
  const records = new JsonRecords(sink);
  const chunks: string[] = [];
  for await (const chunk of decodeText(bytes)) chunks.push(chunk);
  await records.read(chunks.join(''));
}

/** Keys beside the payouts that are reported. */
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
        instruction[key] = value.kind === 'null' ? '' : withoutUnseen(value.text);
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
