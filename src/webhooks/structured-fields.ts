import { Refusal } from './refusal.ts';

/**
 * The part of Structured Field Values (RFC 9651) that signatures need, and only its canonical spelling: what was signed is
 * then what stands in the header. Anything else throws a `Refusal`.
 */

export interface SignatureInput {
  /** Names of the covered components, each once. */
  components: readonly string[];
  parameters: ReadonlyMap<string, string | number>;
  /** The components with their parameters, as they were signed. */
  raw: string;
}

const MEMBERS_MAX = 4;
const COMPONENTS_MAX = 32;
const PARAMETERS_MAX = 16;

const KEY = /[a-z*][a-z0-9_\-.*]*/y;
const STRING = /"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y;
const INTEGER = /(?:0|-?[1-9]\d{0,14})(?![\d.])/y;
const BASE64 = /:(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?:/y;
const COMMA = /[ \t]*,[ \t]*/y;

/** `Signature-Input` (RFC 9421, section 4.1): label -> what is signed. */
export const signatureInputs = (header: string): Map<string, SignatureInput> => dictionary(header, innerList);

/** `Signature` and `Content-Digest`: name -> bytes. */
export const byteSequences = (header: string): Map<string, Buffer> =>
  dictionary(header, (text) => Buffer.from(text.expect(BASE64).slice(1, -1), 'base64'));

function dictionary<T>(header: string, value: (text: Scanner) => T): Map<string, T> {
  const text = new Scanner(header);
  const members = new Map<string, T>();
  do {
    const key = text.expect(KEY);
    text.expect(/=/y);
    if (members.has(key) || members.size === MEMBERS_MAX) throw new Refusal('header-malformed');
    members.set(key, value(text));
  } while (text.take(COMMA) !== undefined);
  if (!text.atEnd()) throw new Refusal('header-malformed');
  return members;
}

function innerList(text: Scanner): SignatureInput {
  const start = text.at;
  const components: string[] = [];
  text.expect(/\(/y);
  while (text.take(/\)/y) === undefined) {
    if (components.length > 0) text.expect(/ /y);
    const name = unquoted(text.expect(STRING));
    // A component with parameters (";sf", ";key=") is built in ways of its own.
    if (text.take(/;/y) !== undefined) throw new Refusal('component-unsupported');
    if (components.includes(name) || components.length === COMPONENTS_MAX) throw new Refusal('header-malformed');
    components.push(name);
  }
  const parameters = new Map<string, string | number>();
  while (text.take(/;/y) !== undefined) {
    const key = text.expect(KEY);
    text.expect(/=/y);
    if (parameters.has(key) || parameters.size === PARAMETERS_MAX) throw new Refusal('header-malformed');
    const quoted = text.take(STRING);
    parameters.set(key, quoted === undefined ? Number(text.expect(INTEGER)) : unquoted(quoted));
  }
  return { components, parameters, raw: text.since(start) };
}

const unquoted = (text: string): string => text.slice(1, -1).replace(/\\(.)/g, '$1');

/** Walks over a text by sticky patterns. */
class Scanner {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  expect(pattern: RegExp): string {
    const found = this.take(pattern);
    if (found === undefined) throw new Refusal('header-malformed');
    return found;
  }

  since(start: number): string {
    return this.#text.slice(start, this.at);
  }

  atEnd(): boolean {
    return this.at === this.#text.length;
  }
}
