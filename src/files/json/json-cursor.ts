import { recordTooLarge } from '../limits.ts';

/**
 * Reads JSON text token by token, with the line of each. `JSON.parse` gives no lines, silently keeps the last of two equal keys,
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

export type JsonScalar = { kind: 'string'; text: string } | { kind: 'number' | 'boolean' | 'null'; text: string };

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
const BLANKS: ReadonlySet<number> = new Set([...' \t\n\r'].map((char) => char.charCodeAt(0)));
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
    return new JsonSyntaxError(
      `expected ${wanted}, found ${found === '' ? 'the end of the file' : 'something else'}`,
      this.at,
    );
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
