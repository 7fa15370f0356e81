import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { utf16Of } from '../../domain/plain-text.ts';
import { decodeText, newlines, UTF8_BOM, withoutEndMarks } from '../decode.ts';
import { RECORD_BYTES_MAX, recordTooLarge, type UnreadableFile, unreadable } from '../input.ts';
import type { Grammar } from './grammar.ts';
import { type StructureEvents, StructureWalk } from './structure.ts';

/** Enough for any XML declaration. */
const HEAD_BYTES = 512;

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15';

/** Names that an XML declaration may give for each encoding. What Windows calls ISO-8859-1 is its own code page. */
const LABELS: Readonly<Record<Encoding, readonly string[]>> = {
  'utf-8': ['utf-8', 'utf8', 'us-ascii'],
  'utf-16le': ['utf-16', 'utf-16le'],
  'utf-16be': ['utf-16', 'utf-16be'],
  'windows-1252': ['iso-8859-1', 'latin1', 'windows-1252', 'cp1252'],
  'iso-8859-15': ['iso-8859-15', 'latin-9'],
};

/**
 * Text of an XML file in UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 or Windows-1252; its first bytes and its XML declaration must
 * agree. Blanks before the declaration, which XML does not allow, come after it. Throws `UnreadableFile`: `bad-encoding`,
 * `not-utf8`. Only one chunk is in memory.
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
  const isSingleByte = encoding === 'windows-1252' || encoding === 'iso-8859-15';
  let isFirst = true;
  for await (const text of isSingleByte ? withoutEndMarks(decodeBytes(rest, encoding)) : decodeText(rest)) {
    yield isFirst ? text.replace(LATE_DECLARATION, '$2$1') : text;
    isFirst = false;
  }
}

const LATE_DECLARATION = /^([\s\ufeff]+)(<\?xml\s[^>]*\?>)/;

function encodingOf(head: Buffer): Encoding {
  const found = UTF8_BOM.equals(head.subarray(0, UTF8_BOM.length)) ? ('utf-8' as const) : utf16Of(head);
  const text = new TextDecoder(found ?? 'latin1').decode(head.subarray(0, HEAD_BYTES));
  const [, declared] = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']*)["']/.exec(text) ?? [];
  const label = declared?.toLowerCase();
  const candidates: readonly Encoding[] = found === undefined ? ['utf-8', 'windows-1252', 'iso-8859-15'] : [found];
  const encoding = candidates.find((name) => label === undefined || LABELS[name].includes(label));
  if (encoding !== undefined) return encoding;
  const known = Object.values(LABELS).some((labels) => label !== undefined && labels.includes(label));
  const message = known
    ? 'the XML declaration names a different encoding than the file has; correct it or save the file as UTF-8'
    : 'only UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 and Windows-1252 are supported; save the file as UTF-8';
  throw unreadable(1, 'bad-encoding', message);
}

/** Bytes that are no character, and what would be one character in UTF-8: signs that the text has another encoding. */
const NOT_SINGLE = /[\x81\x8d\x8f\x90\x9d]|[\xc2-\xdf][\xa0-\xbf]|[\xe0-\xef][\xa0-\xbf]{2}|[\xf0-\xf4][\xa0-\xbf]{3}/;

async function* decodeBytes(
  bytes: AsyncIterable<Uint8Array>,
  encoding: 'windows-1252' | 'iso-8859-15',
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  let line = 1;
  let last = '';
  for await (const chunk of bytes) {
    const text = Buffer.from(chunk).toString('latin1');
    const found = (last + text).search(NOT_SINGLE);
    if (found >= 0) {
      const at = line + newlines(text.slice(0, Math.max(0, found - last.length)));
      const message = 'this line is not in the encoding that the XML declaration names; save the file as UTF-8';
      throw unreadable(at, 'bad-encoding', message);
    }
    last = (last + text).slice(-3);
    line += newlines(text);
    yield decoder.decode(chunk, { stream: true });
  }
}

/** Deeper than any message: such a file is an attack on the reader's memory. */
const DEPTH_MAX = 64;
const XMLNS = 'http://www.w3.org/2000/xmlns/';
const SCHEMA_INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';
/** These attributes say where a schema is; nothing is fetched. */
const SCHEMA_HINTS: ReadonlySet<string> = new Set(['schemaLocation', 'noNamespaceSchemaLocation']);

export interface Root {
  name: string;
  namespace: string;
  line: number;
}

/** The root of a message. */
const MESSAGE = 'Document';
/** Networks put a message into an envelope (DataPDU of SWIFT, that of a bank), behind a business application header (head.001). */
const HEADER = 'AppHdr';

/** Where in an XML document the message is: it is the document, or one element of an envelope. */
class Envelope {
  outermost: Root | undefined;
  header: Root | undefined;
  depth = 0;
  private messageDepth: number | undefined;
  private isOver = false;

  /** Whether the element is the root of a message, part of it, or outside it. */
  open(root: Root): 'message' | 'inside' | 'outside' {
    this.depth += 1;
    this.outermost ??= root;
    if (this.messageDepth !== undefined && !this.isOver) return 'inside';
    if (root.name === HEADER) this.header ??= root;
    if (root.name !== MESSAGE || (this.depth > 1 && this.header === undefined)) return 'outside';
    if (this.isOver) {
      const message = 'the envelope has a second message; write each message into a file of its own';
      throw unreadable(root.line, 'several-messages', message);
    }
    this.messageDepth = this.depth;
    return 'message';
  }

  /** Whether the element that ends is the message or part of it. */
  close(): boolean {
    const isInside = this.messageDepth !== undefined && !this.isOver;
    if (this.depth === this.messageDepth) this.isOver = true;
    this.depth -= 1;
    return isInside;
  }
}

export interface DocumentEvents extends StructureEvents {
  /** The message is in an envelope with a header of its own, of which nothing is read. */
  envelope?(header: { name: string; line: number }): void;
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
  const envelope = new Envelope();
  let walk: StructureWalk | undefined;
  let namespace = '';
  let tagLine = 1;
  let boundary = 0;
  /** If no message has begun, that is what is wrong with the file, whatever else is. */
  const sayIfNone = (): void => {
    if (walk === undefined && envelope.outermost !== undefined) events.begin(envelope.outermost, () => '/');
  };
  const refused = (rule: string, message: string): UnreadableFile => {
    sayIfNone();
    return unreadable(parser.line, rule, message);
  };
  const checkSize = (position: number): void => {
    if (position - boundary <= RECORD_BYTES_MAX) return;
    sayIfNone();
    throw recordTooLarge(parser.line);
  };
  const passed = (name: string): void => {
    checkSize(parser.position);
    if (records.has(name)) boundary = parser.position;
  };
  parser.on('error', (error) => {
    throw refused(
      'not-well-formed',
      `not well-formed XML: ${faultOf(error)}; export the file again. The rest was not checked`,
    );
  });
  parser.on('doctype', () => {
    throw refused('doctype-refused', 'a DOCTYPE is not accepted; delete it and the entities it declares');
  });
  parser.on('opentagstart', () => {
    // A line end directly after the name has already been read.
    tagLine = parser.line - (parser.columnIndex === 0 ? 1 : 0);
  });
  parser.on('opentag', ({ local: name, uri, attributes }) => {
    const root = { name, namespace: uri, line: tagLine };
    const where = envelope.open(root);
    if (envelope.depth > DEPTH_MAX) {
      throw refused('too-deep', `elements are nested more than ${DEPTH_MAX} levels deep. The rest was not checked`);
    }
    passed(name);
    if (where === 'message') {
      namespace = uri;
      const grammar = events.begin(root, () => walk?.path() ?? '/');
      walk = new StructureWalk(grammar, events);
      if (envelope.header !== undefined) events.envelope?.(envelope.header);
    }
    const own = uri === namespace;
    if (where !== 'outside') {
      walk?.open({ name, own, attributes: ownAttributes(Object.values(attributes)), line: tagLine });
    }
  });
  parser.on('text', (text) => walk?.text(text));
  parser.on('cdata', (text) => walk?.text(text));
  parser.on('closetag', ({ local: name }) => {
    passed(name);
    if (envelope.close()) walk?.close();
  });
  // Between two writes the parser's own position is wrong.
  let written = 0;
  for await (const text of decodeXml(bytes)) {
    parser.write(text);
    written += text.length;
    checkSize(written);
  }
  parser.close();
  sayIfNone();
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
