import { aboutFile } from '../../domain/finding.ts';
import type { RowSink } from '../input.ts';
import { RECORD_BYTES_MAX, recordTooLarge } from '../input.ts';

/**
 * Makes text safe for the CSV parser: every line end becomes LF (the parser counts CRLF inside quotes as two lines); a page break
 * at the beginning of a line is dropped; a lone CR in a file with other line ends, and NUL, become a space and a finding; a line
 * beyond the record limit ends the pass (the parser checks its own limit only when it appends a character, so a line of only
 * delimiters could grow for ever).
 */
export async function* csvText(chunks: AsyncIterable<string>, sink: RowSink): AsyncGenerator<string> {
  const clean = lineScan(sink);
  let held = '';
  for await (const chunk of chunks) {
    const text = held + chunk;
    // A CR at the end may be the first half of a CRLF.
    let end = text.length;
    while (text.length - end < RECORD_BYTES_MAX && text[end - 1] === '\r') end -= 1;
    held = text.slice(end);
    yield* clean(text.slice(0, end));
  }
  yield* clean(held);
}

function lineScan(sink: RowSink): (text: string) => Generator<string> {
  let line = 1;
  let length = 0;
  /** Whether lines end with a lone CR, as on an old Mac; known from the first line end. */
  let endsWithCr: boolean | undefined;
  /** Line of the last finding of each kind: one per line is enough. */
  const noted = new Map<string, number>();
  const noteStray = (text: string): void => {
    for (const { char, rule, message } of STRAY) {
      if (!text.includes(char) || noted.get(rule) === line) continue;
      noted.set(rule, line);
      sink.finding(aboutFile(line, rule, message));
    }
  };
  const withLineFeeds = (text: string): string => {
    const unix = text.replaceAll(/(?<!\r)\r+\n/g, '\n');
    const [first] = endsWithCr === undefined ? (/[\r\n]/.exec(unix) ?? []) : [];
    if (first !== undefined) endsWithCr = first === '\r';
    return endsWithCr ? unix.replaceAll('\r', '\n') : unix;
  };
  return function* clean(text) {
    const begun = length > 0 ? text : text.replace(PAGE_BREAKS, '');
    const unix = withLineFeeds(begun).replaceAll(PAGE_BREAKS_OF_LINES, '\n');
    const hasStray = STRAY_CHARACTERS.test(unix);
    for (let start = 0; start < unix.length; ) {
      const newline = unix.indexOf('\n', start);
      const end = newline < 0 ? unix.length : newline;
      length += end - start;
      if (length > RECORD_BYTES_MAX) {
        yield unix.slice(0, start).replace(STRAY_CHARACTERS_ALL, ' ');
        throw recordTooLarge(line);
      }
      if (hasStray) noteStray(unix.slice(start, end));
      if (newline >= 0) {
        line += 1;
        length = 0;
      }
      start = end + 1;
    }
    yield hasStray ? unix.replace(STRAY_CHARACTERS_ALL, ' ') : unix;
  };
}

const PAGE_BREAKS = /^[\f\v]+/;
const PAGE_BREAKS_OF_LINES = /\n[\f\v]+/g;
const STRAY_CHARACTERS = /[\r\0]/;
const STRAY_CHARACTERS_ALL = new RegExp(STRAY_CHARACTERS, 'g');
const STRAY = [
  {
    char: '\r',
    rule: 'lone-carriage-return',
    message: 'a carriage return without a line feed, where other lines end otherwise; end all lines alike',
  },
  { char: '\0', rule: 'nul-character', message: 'a NUL character; save the file as plain UTF-8 text' },
] as const;

const DELIMITERS = [',', ';', '\t'] as const;

/** The delimiter that a line above the header line names for Excel, if there is one. */
export const namedDelimiter = (line: string): string | undefined => /^"?sep=([,;\t])"?[ \t]*$/i.exec(line)?.[1];

/** The delimiter that the header line has most often outside quotes; a comma if it has none. */
export function detectDelimiter(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  return DELIMITERS.reduce<string>((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best), ',');
}
