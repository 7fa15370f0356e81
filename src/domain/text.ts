/**
 * Temporal's UI shows summaries and details as Markdown, and people decide by what they see there: text from outside must not
 * become a link, an image or another table row.
 */

/** Characters that may be Markdown. GFM turns anything like an address into a link. */
const MARKUP = /[!"#$&*/<=>?@[\\\]^_`{|}~]|\.[^\s\d.]|www\./i;

/**
 * Control characters, line separators, zero-width characters and those that change the direction of text: fewer than `UNPRINTABLE`
 * (finding.ts), because Unicode property classes, expanded by the bundler, would be larger than all other workflow code.
 */
const isUnprintable = (char: string): boolean =>
  char < ' ' ||
  (char >= '\x7f' && char <= '\x9f') ||
  /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/.test(char);

/** The text unchanged, or as a code span, in which nothing is markup. Safe in a table cell. */
export function inMarkdown(text: string): string {
  const printable = [...text].map((char) => (isUnprintable(char) ? '\ufffd' : char)).join('');
  if (!MARKUP.test(printable)) return printable;
  // A backslash before a bar would cancel the bar's own escape and end the cell.
  const shown = printable.replaceAll('\\', '\u2216').replaceAll('|', '\\|');
  const runs = shown.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  const pad = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** Texts that people give in a message to a workflow: they are stored, and shown in terminals and on pages. */

const NAME_LENGTH_MAX = 200;
const TEXT_LENGTH_MAX = 2_000;

/** PostgreSQL keeps no NUL: what took one in could never write down who decided. The others steer a terminal. */
const CONTROLS = /[^\P{Cc}\n\r\t]/u;

/** Why a message cannot be taken in with this text, e.g. `"by" is missing`; undefined if it can. */
export function textProblem(member: string, text: unknown, most = TEXT_LENGTH_MAX): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return `"${member}" is missing`;
  if (text.length > most) return `"${member}" has more than ${most} characters`;
  return CONTROLS.test(text) ? `"${member}" has control characters` : undefined;
}

/** The same for the name of the person who gives it. */
export const nameProblem = (by: unknown): string | undefined => textProblem('by', by, NAME_LENGTH_MAX);

/** The same for a text that may be left out. */
export const noteProblem = (member: string, text: unknown): string | undefined =>
  text === undefined || text === null || text === '' ? undefined : textProblem(member, text);

/** Ids and statuses in events are stored and logged: only printable ASCII without blanks. */
const TOKEN = /^[\x21-\x7e]{1,128}$/;

export const isToken = (text: string): boolean => TOKEN.test(text);

/** What an id, from a file or from the bank, has to be to be part of a path; it may still be the name of a route. */
export const PATH_ID = /^[A-Za-z0-9._~:@+=,-]{1,128}$/;

/**
 * Text that no spreadsheet runs as a formula. An apostrophe precedes what could begin one: at the beginning of a value, and
 * behind what begins a cell where a semicolon or a tab separates them, or a line. Read back by `fromSpreadsheet` unchanged.
 */
export const forSpreadsheet = (value: string): string => value.replaceAll(BEGINS, "'");

/** The value without the apostrophes of `forSpreadsheet`. */
export const fromSpreadsheet = (text: string): string => text.replaceAll(ESCAPED, '');

/**
 * What a spreadsheet takes for the beginning of a formula or of a command, also behind blanks and in full width. Apostrophes in
 * between make no difference, so that what is escaped is found again.
 */
const FORMULA = String.raw`(?='*[\t\r\n]|['[\s--[\t\r\n]]]*[=+\-@＝＋－＠])`;
const CELL = String.raw`(?<=^|[;\t\r\n])`;
const BEGINS = new RegExp(`${CELL}${FORMULA}`, 'gv');
const ESCAPED = new RegExp(`${CELL}'${FORMULA}`, 'gv');
