/**
 * Temporal's UI shows summaries and details as Markdown, and people decide by what they see there: text from outside must not
 * become a link, an image or another table row.
 */

/** Characters that may be Markdown. GFM turns whatever looks like an address into a link. */
const MARKUP = /[!"#$&*/<=>?@[\\\]^_`{|}~]|\.[^\s\d.]|www\./i;

/** Control characters, line separators, zero-width characters and those that change the direction of text. */
const isUnprintable = (char: string): boolean =>
  char < ' ' ||
  (char >= '\x7f' && char <= '\x9f') ||
  /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/.test(char);

/** The text unchanged, or as a code span, in which nothing is markup. Safe in a table cell. */
export function inMarkdown(text: string): string {
  // Character by character: Unicode property classes, expanded by the bundler, would be larger than all other workflow code.
  const printable = [...text].map((char) => (isUnprintable(char) ? '\ufffd' : char)).join('');
  if (!MARKUP.test(printable)) return printable;
  // A backslash before a bar would cancel the bar's own escape and end the cell.
  const shown = printable.replaceAll('\\', '\u2216').replaceAll('|', '\\|');
  const runs = shown.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  const pad = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}
