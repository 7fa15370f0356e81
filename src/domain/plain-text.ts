/**
 * What old systems, pages, mails and word processors put into text unseen, and the text without it. Only what is no part of any
 * value: joiners, which some scripts need, stay, and are shown (finding.ts).
 */

type Utf16 = 'utf-16le' | 'utf-16be';

/** By the byte order mark, or by two plain characters: each has a NUL beside it. */
export function utf16Of([first, second, third, fourth]: Uint8Array): Utf16 | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first && second === 0 && third && fourth === 0) return 'utf-16le';
  return first === 0 && second && third === 0 && fourth ? 'utf-16be' : undefined;
}

const END_MARKS = '\0\x1a';

/** Where the text ends: CP/M and DOS wrote Ctrl-Z behind it, mainframes and transfers fill the last block with NUL. */
export function endOf(text: string): number {
  let end = text.length;
  for (let at = end - 1; at >= 0; at -= 1) {
    const char = text.charAt(at);
    if (END_MARKS.includes(char)) end = at;
    else if (char.trim() !== '') break;
  }
  return end;
}

const WITHOUT_WIDTH = '\u00ad\u200b\u2060\ufeff';
const WITHOUT_BREAK = '\u00a0\u2007\u202f';
export const UNSEEN_CHARACTERS = WITHOUT_WIDTH + WITHOUT_BREAK;

const UNSEEN = new RegExp(`[${UNSEEN_CHARACTERS}]`);
const NO_WIDTH = new RegExp(`[${WITHOUT_WIDTH}]`, 'g');
const NO_BREAK = new RegExp(`[${WITHOUT_BREAK}]`, 'g');
const OUTER_BLANKS = new RegExp(`^[ ${WITHOUT_BREAK}]+|[ ${WITHOUT_BREAK}]+$`, 'g');

/**
 * A value without characters that have no width (zero-width space, word joiner, byte order mark, soft hyphen); blanks that do not
 * break a line become spaces, or nothing at its ends.
 */
export const withoutUnseen = (value: string): string =>
  UNSEEN.test(value) ? value.replaceAll(NO_WIDTH, '').replaceAll(OUTER_BLANKS, '').replaceAll(NO_BREAK, ' ') : value;

/**
 * The text of a configuration file in UTF-8 or UTF-16, without all that; every line ends with LF. Bytes that are no text become
 * U+FFFD.
 */
export function plainText(bytes: Uint8Array): string {
  const text = new TextDecoder(utf16Of(bytes) ?? 'utf-8').decode(bytes);
  return text
    .slice(0, endOf(text))
    .replaceAll(NO_WIDTH, '')
    .replaceAll(NO_BREAK, ' ')
    .replaceAll(/(?<!\r)\r+\n|\r/g, '\n')
    .replaceAll(/[\f\v]/g, ' ');
}

const TYPOGRAPHIC_QUOTES = /[“”„‟«»‘’‚]/g;

export const withoutTypographicQuotes = (text: string): string => text.replaceAll(TYPOGRAPHIC_QUOTES, '');

/** What to do about them, behind a colon or in brackets. */
export const TYPOGRAPHIC_QUOTE =
  'a typographic quote, into which a word processor or a mail has changed a plain one; replace these by " in a plain text editor';

/** Why text cannot be read as JSON, if it is for typographic quotes. */
export const quotesProblem = (text: string): string | undefined =>
  /[{[,:]\s*[“”„‟«»]/.test(text) ? `it has ${TYPOGRAPHIC_QUOTE}` : undefined;
