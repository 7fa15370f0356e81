import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { recordTooLarge } from '../limits.ts';
import { unreadable } from '../unreadable.ts';
import { notAWorkbook, type PackageParts } from './package-parts.ts';

/** Deeper than any part of a workbook. */
const DEPTH_MAX = 64;
/** Limit of XML between two boundaries: a row of a sheet with all its formatted blank cells. */
const STRETCH_CHARACTERS_MAX = 1024 * 1024;

/** Callbacks for a part; names come without prefix. */
export interface PartHandler {
  open(name: string, attribute: (name: string) => string | undefined): void;
  text?(text: string): void;
  close?(name: string): void;
  /** True if the rest of the part means nothing. */
  isOver?: boolean;
  /** Elements at whose end nothing earlier is needed any more. */
  boundary: string;
}

/**
 * Walks through a part element by element: no DOCTYPE, at most 64 levels, at most 1 MiB between two boundaries. Yields after
 * every piece, once the handler has seen it. Throws `UnreadableFile`.
 */
export async function* walkPart(parts: PackageParts, name: string, handler: PartHandler): AsyncGenerator<void> {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const refuse = (): never => {
    throw notAWorkbook();
  };
  let depth = 0;
  let boundary = 0;
  let written = 0;
  parser.on('error', refuse);
  parser.on('doctype', () => {
    const message = 'a DOCTYPE is not accepted in a workbook; save it again in Excel';
    throw unreadable(1, 'doctype-refused', message);
  });
  parser.on('opentag', ({ local, attributes }) => {
    depth += 1;
    if (depth > DEPTH_MAX) refuse();
    handler.open(local, (wanted) => attributeOf(Object.values(attributes), wanted));
  });
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  parser.on('closetag', ({ local }) => {
    depth -= 1;
    handler.close?.(local);
    if (local === handler.boundary) boundary = parser.position;
  });
  for await (const text of parts.text(name)) {
    if (handler.isOver === true) continue;
    parser.write(text);
    written += text.length;
    if (written - boundary > STRETCH_CHARACTERS_MAX) throw recordTooLarge(1);
    yield;
  }
  if (handler.isOver !== true) parser.close();
  yield;
}

/** The id of a relation has a prefix; no other attribute has one. */
const attributeOf = (attributes: readonly SaxesAttributeNS[], wanted: string): string | undefined =>
  attributes.find(({ local, name }) => name === wanted || (wanted === 'r:id' && local === 'id' && name !== 'id'))
    ?.value;
