/**
 * Text that no spreadsheet runs as a formula. An apostrophe stands before what could begin one: at the beginning of a value, and
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
