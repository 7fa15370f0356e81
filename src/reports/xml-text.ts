import { visible } from '../domain/finding.ts';

/** Parts of an XML document. An element without content is omitted: in ISO 20022, an empty one means something else. */

/** Characters that XML 1.0 does not allow, not even escaped. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

export function element(name: string, ...content: readonly string[]): string {
  const inside = content.join('');
  return inside === '' ? '' : `<${name}>${inside}</${name}>`;
}

/** Escaped so that a parser reads exactly this text: a bare carriage return would be read as a newline. */
export const text = (value: string): string => value.replace(/[&<>\r]/g, (char) => ESCAPES[char] ?? char);

export const leaf = (name: string, value: string | undefined): string =>
  value === undefined ? '' : element(name, text(value));

/** The id unchanged if a schema allows it (1 to 35 characters allowed in XML); otherwise undefined. */
export function asWritten(id: string | undefined): string | undefined {
  if (id === undefined || id.search(NOT_XML) >= 0) return undefined;
  const { length } = [...id];
  return length >= 1 && length <= ID_CHARACTERS_MAX ? id : undefined;
}

const ID_CHARACTERS_MAX = 35;
const LINE_CHARACTERS_MAX = 105;

/** Text for people without characters that XML or a terminal cannot show, cut to `max`; undefined if nothing is left. */
export function shownText(value: string, max: number): string | undefined {
  return printable(value).slice(0, max).join('') || undefined;
}

const printable = (value: string): string[] => [...visible(value).replace(NOT_XML, '\ufffd').trim()];

/** A sentence as lines of `AddtlInf` (at most 105 characters each), split between words if possible. */
export function textLines(sentence: string): string[] {
  const lines: string[] = [];
  let rest = printable(sentence);
  while (rest.length > LINE_CHARACTERS_MAX) {
    const blank = rest.lastIndexOf(' ', LINE_CHARACTERS_MAX);
    const end = blank > 0 ? blank : LINE_CHARACTERS_MAX;
    lines.push(rest.slice(0, end).join('').trimEnd());
    rest = [...rest.slice(end).join('').trimStart()];
  }
  return rest.length === 0 ? lines : [...lines, rest.join('')];
}
