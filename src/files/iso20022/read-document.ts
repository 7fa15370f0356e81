import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { decodeUtf8 } from '../decode.ts';
import { RECORD_BYTES_MAX, recordTooLarge, type UnreadableFile, unreadable } from '../input.ts';
import type { Grammar } from './grammar.ts';
import { type StructureEvents, StructureWalk } from './structure.ts';

/** Enough for any XML declaration. */
const HEAD_BYTES = 512;

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'iso-8859-1';

/** Names that an XML declaration may give for each encoding. */
const LABELS: Readonly<Record<Encoding, readonly string[]>> = {
  'utf-8': ['utf-8', 'utf8', 'us-ascii'],
  'utf-16le': ['utf-16', 'utf-16le'],
  'utf-16be': ['utf-16', 'utf-16be'],
  'iso-8859-1': ['iso-8859-1', 'latin1'],
};

/**
 * Text of an XML file in UTF-8, UTF-16 or ISO-8859-1; its first bytes and its XML declaration must agree. Throws
 * `UnreadableFile`: `bad-encoding`, `not-utf8`. Only one chunk is in memory.
 */
export async function* decodeXml(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const source = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < HEAD_BYTES) {
    const next = await source.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  const rest = (async function* () {
    yield head;
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  })();
  const encoding = encodingOf(head);
  if (encoding === 'utf-8') yield* decodeUtf8(rest);
  else yield* decodeOther(rest, encoding === 'iso-8859-1' ? latin1() : utf16(encoding));
}

function encodingOf(head: Buffer): Encoding {
  const found = byFirstBytes(head);
  const text = new TextDecoder(found ?? 'latin1').decode(head.subarray(0, HEAD_BYTES));
  const [, declared] = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']*)["']/.exec(text) ?? [];
  const label = declared?.toLowerCase();
  const candidates = found === undefined ? (['utf-8', 'iso-8859-1'] as const) : [found];
  const encoding = candidates.find((name) => label === undefined || LABELS[name].includes(label));
  if (encoding !== undefined) return encoding;
  const known = Object.values(LABELS).some((labels) => label !== undefined && labels.includes(label));
  const message = known
    ? 'the XML declaration names a different encoding than the file has; correct it or save the file as UTF-8'
    : 'only UTF-8, UTF-16 and ISO-8859-1 are supported; save the file as UTF-8';
  throw unreadable(1, 'bad-encoding', message);
}

/** By byte order mark, or by the bytes of `<`; `undefined` for an encoding of single bytes. */
function byFirstBytes(head: Buffer): Exclude<Encoding, 'iso-8859-1'> | undefined {
  const [first, second, third] = head;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return undefined;
}

/** Text of a chunk, and the index of its first impossible character; the last call has no chunk. */
type Decode = (chunk?: Uint8Array) => { text: string; badAt: number };

async function* decodeOther(bytes: AsyncIterable<Uint8Array>, decode: Decode): AsyncGenerator<string> {
  let line = 1;
  const checked = (chunk?: Uint8Array): string => {
    const { text, badAt } = decode(chunk);
    if (badAt >= 0) {
      const at = line + newlines(text.slice(0, badAt));
      const message = 'this line is not in the encoding that the XML declaration names; save the file as UTF-8';
      throw unreadable(at, 'bad-encoding', message);
    }
    line += newlines(text);
    return text;
  };
  for await (const chunk of bytes) yield checked(chunk);
  yield checked();
}

function utf16(encoding: 'utf-16le' | 'utf-16be'): Decode {
  const decoder = new TextDecoder(encoding);
  return (chunk) => {
    const text = chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    return { text, badAt: text.indexOf('\ufffd') };
  };
}

/** Control characters of ISO-8859-1, and what would be one character in UTF-8: signs that the text has another encoding. */
const NOT_LATIN1 = /[\x80-\x9f]|[\xc2-\xdf][\xa0-\xbf]|[\xe0-\xef][\xa0-\xbf]{2}|[\xf0-\xf4][\xa0-\xbf]{3}/;

function latin1(): Decode {
  let last = '';
  return (chunk) => {
    const text = chunk === undefined ? '' : Buffer.from(chunk).toString('latin1');
    const seen = last + text;
    const found = seen.search(NOT_LATIN1);
    const badAt = found < 0 ? found : Math.max(0, found - last.length);
    last = seen.slice(-3);
    return { text, badAt };
  };
}

const newlines = (text: string): number => text.split('\n').length - 1;

/** Deeper than any message: such a file is an attack on the reader's memory. */
const DEPTH_MAX = 64;
const XMLNS = 'http://www.w3.org/2000/xmlns/';
const SCHEMA_INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';
/** These attributes tell a parser where a schema is; nothing is fetched. */
const SCHEMA_HINTS: ReadonlySet<string> = new Set(['schemaLocation', 'noNamespaceSchemaLocation']);

export interface Root {
  name: string;
  namespace: string;
  line: number;
}

export interface DocumentEvents extends StructureEvents {
  /** The grammar for a document; throws `UnreadableFile` if there is none. From then on, `path` returns the current position. */
  begin(root: Root, path: () => string): Grammar;
}

/**
 * Reads an XML document against a grammar, element by element: no DOCTYPE (and so no entities but XML's five), at most 64 levels,
 * and no stretch between two `records` (element names) longer than a record may be. Throws `UnreadableFile` if the rest cannot be
 * read: `not-well-formed`, `doctype-refused`, `too-deep`, `record-too-large`, and those of `decodeXml`.
 */
export async function readDocument(
  bytes: AsyncIterable<Uint8Array>,
  records: ReadonlySet<string>,
  events: DocumentEvents,
): Promise<void> {
  const parser = new SaxesParser({ xmlns: true, forceXMLVersion: true, defaultXMLVersion: '1.0' });
  let walk: StructureWalk | undefined;
  let namespace = '';
  let depth = 0;
  let tagLine = 1;
  let boundary = 0;
  const refused = (rule: string, message: string): UnreadableFile => unreadable(parser.line, rule, message);
  const checkSize = (position: number): void => {
    if (position - boundary > RECORD_BYTES_MAX) throw recordTooLarge(parser.line);
  };
  const passed = (name: string): void => {
    checkSize(parser.position);
    if (records.has(name)) boundary = parser.position;
  };
  parser.on('error', (error) => {
    throw refused('not-well-formed', `not well-formed XML: ${faultOf(error)}. The rest was not checked`);
  });
  parser.on('doctype', () => {
    throw refused('doctype-refused', 'a DOCTYPE is not accepted; delete it and the entities it declares');
  });
  parser.on('opentagstart', () => {
    // A line end directly after the name has already been read.
    tagLine = parser.line - (parser.columnIndex === 0 ? 1 : 0);
  });
  parser.on('opentag', ({ local: name, uri, attributes }) => {
    depth += 1;
    if (depth > DEPTH_MAX) {
      throw refused('too-deep', `elements are nested more than ${DEPTH_MAX} levels deep. The rest was not checked`);
    }
    passed(name);
    if (walk === undefined) {
      namespace = uri;
      const grammar = events.begin({ name, namespace, line: tagLine }, () => walk?.path() ?? '/');
      walk = new StructureWalk(grammar, events);
    }
    const own = uri === namespace;
    walk.open({ name, own, attributes: ownAttributes(Object.values(attributes)), line: tagLine });
  });
  parser.on('text', (text) => walk?.text(text));
  parser.on('cdata', (text) => walk?.text(text));
  parser.on('closetag', ({ local: name }) => {
    depth -= 1;
    passed(name);
    walk?.close();
  });
  // Between two writes the parser's own position is wrong.
  let written = 0;
  for await (const text of decodeXml(bytes)) {
    parser.write(text);
    written += text.length;
    checkSize(written);
  }
  parser.close();
}

function ownAttributes(attributes: readonly SaxesAttributeNS[]): Readonly<Record<string, string>> {
  const own = attributes.filter(
    ({ uri, local }) => uri !== XMLNS && !(uri === SCHEMA_INSTANCE && SCHEMA_HINTS.has(local)),
  );
  return own.length === 0 ? NO_ATTRIBUTES : Object.fromEntries(own.map(({ name, value }) => [name, value]));
}

const NO_ATTRIBUTES: Readonly<Record<string, string>> = {};

/** The parser's message without position and without quoted text of the file. */
const faultOf = (error: Error): string =>
  (/^(?:\d+:\d+: )?([^:]*?)[.:]?(?::.*)?$/s.exec(error.message)?.[1] ?? '').trim();
