/**
 * Temporal's UI shows summaries and details as Markdown, and people decide in front of them: text from outside must not
 * become a link, a picture or another row there.
 */

/** What may mean something in Markdown. What looks like an address is linked by GFM. */
const MARKUP = /[!"#$&*/<=>?@[\\\]^_`{|}~]|\.[^\s\d.]|www\./i;

/** Controls, separators of lines, and characters without width or that turn the direction of text. */
const isUnprintable = (char: string): boolean =>
  char < ' ' ||
  (char >= '\x7f' && char <= '\x9f') ||
  /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/.test(char);

/** Text as it is, or as a code span: in one, nothing is markup. Fit for a cell of a table. */
export function inMarkdown(text: string): string {
  // One by one: classes of Unicode, written out by the bundler, take more than the rest of the workflows' own code.
  const printable = [...text].map((char) => (isUnprintable(char) ? '\ufffd' : char)).join('');
  if (!MARKUP.test(printable)) return printable;
  // A backslash before a bar would take the bar's own away, and the cell would end.
  const shown = printable.replaceAll('\\', '\u2216').replaceAll('|', '\\|');
  const runs = shown.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  const pad = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}
