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
  const document = new DocumentParser(records, events);
  for await (const text of decodeXml(bytes)) document.write(text);
  document.end();
}

class DocumentParser {
  private readonly records: ReadonlySet<string>;
  private readonly events: DocumentEvents;
  private readonly parser = new SaxesParser({ xmlns: true, forceXMLVersion: true, defaultXMLVersion: '1.0' });
  private walk: StructureWalk | undefined;
  private namespace = '';
  private depth = 0;
  private tagLine = 1;
  /** Number of characters written; between two writes the parser's own position is wrong. */
  private written = 0;
  /** Position of the last record boundary. */
  private boundary = 0;

  constructor(records: ReadonlySet<string>, events: DocumentEvents) {
    this.records = records;
    this.events = events;
    this.parser.on('error', (error) => {
      throw this.unreadable('not-well-formed', `not well-formed XML: ${faultOf(error)}. The rest was not checked`);
    });
    this.parser.on('doctype', () => {
      throw this.unreadable('doctype-refused', 'a DOCTYPE is not accepted; delete it and the entities it declares');
    });
    this.parser.on('opentagstart', () => {
      // A line end directly after the name has already been read.
      this.tagLine = this.parser.line - (this.parser.columnIndex === 0 ? 1 : 0);
    });
    this.parser.on('opentag', ({ local, uri, attributes }) => this.open(local, uri, Object.values(attributes)));
    this.parser.on('text', (text) => this.walk?.text(text));
    this.parser.on('cdata', (text) => this.walk?.text(text));
    this.parser.on('closetag', ({ local }) => this.close(local));
  }

  write(text: string): void {
    this.parser.write(text);
    this.written += text.length;
    this.checkSize(this.written);
  }

  end(): void {
    this.parser.close();
  }

  private open(name: string, uri: string, attributes: readonly SaxesAttributeNS[]): void {
    this.depth += 1;
    if (this.depth > DEPTH_MAX) {
      throw this.unreadable(
        'too-deep',
        `elements are nested more than ${DEPTH_MAX} levels deep. The rest was not checked`,
      );
    }
    this.passed(name);
    if (this.walk === undefined) {
      this.namespace = uri;
      const root = { name, namespace: uri, line: this.tagLine };
      this.walk = new StructureWalk(
        this.events.begin(root, () => this.walk?.path() ?? '/'),
        this.events,
      );
    }
    this.walk.open({ name, own: uri === this.namespace, attributes: ownAttributes(attributes), line: this.tagLine });
  }

  private close(name: string): void {
    this.depth -= 1;
    this.passed(name);
    this.walk?.close();
  }

  private passed(name: string): void {
    this.checkSize(this.parser.position);
    if (this.records.has(name)) this.boundary = this.parser.position;
  }

  private checkSize(position: number): void {
    if (position - this.boundary > RECORD_BYTES_MAX) {
      throw recordTooLarge(this.parser.line);
    }
  }

  private unreadable(rule: string, message: string): UnreadableFile {
    return unreadable(this.parser.line, rule, message);
  }
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
