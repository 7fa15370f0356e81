import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { RECORD_BYTES_MAX, recordTooLarge } from '../limits.ts';
import { type UnreadableFile, unreadable } from '../unreadable.ts';
import { decodeXml } from './decode-xml.ts';
import type { Grammar } from './grammar.ts';
import { type StructureEvents, StructureWalk } from './structure.ts';

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
