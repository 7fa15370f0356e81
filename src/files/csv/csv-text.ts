import { aboutFile } from '../../domain/finding.ts';
import type { RowSink } from '../input.ts';
import { RECORD_BYTES_MAX, recordTooLarge, UnreadableFile } from '../input.ts';

/**
 * Makes text safe for the CSV parser: CRLF becomes LF (the parser counts CRLF inside quotes as two lines); lone CR and NUL become
 * a space and a finding; a line beyond the record limit ends the pass (the parser checks its own limit only when it appends a
 * character, so a line of only delimiters could grow for ever).
 */
export async function* csvText(chunks: AsyncIterable<string>, sink: RowSink): AsyncGenerator<string> {
  const clean = lineScan(sink);
  let held = '';
  for await (const chunk of chunks) {
    const text = held + chunk;
    // A CR at the end may be the first half of a CRLF.
    held = text.endsWith('\r') ? '\r' : '';
    yield* clean(held === '' ? text : text.slice(0, -1));
  }
  yield* clean(held);
}

function lineScan(sink: RowSink): (text: string) => Generator<string> {
  let line = 1;
  let length = 0;
  /** Line of the last finding of each kind: one per line is enough, and old Mac line ends make the whole file one line. */
  const noted = new Map<string, number>();
  const noteStray = (text: string): void => {
    for (const { char, rule, message } of STRAY) {
      if (!text.includes(char) || noted.get(rule) === line) continue;
      noted.set(rule, line);
      const finding = aboutFile(line, rule, message);
      // With old Mac line ends the values of all rows would be names of columns, and be shown.
      if (line === 1 && char === '\r') throw new UnreadableFile(finding);
      sink.finding(finding);
    }
  };
  return function* clean(text) {
    const unix = text.replaceAll('\r\n', '\n');
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

const STRAY_CHARACTERS = /[\r\0]/;
const STRAY_CHARACTERS_ALL = new RegExp(STRAY_CHARACTERS, 'g');
const STRAY = [
  {
    char: '\r',
    rule: 'lone-carriage-return',
    message: 'a carriage return without a line feed; end lines with LF or CRLF',
  },
  { char: '\0', rule: 'nul-character', message: 'a NUL character; save the file as plain UTF-8 text' },
] as const;

const DELIMITERS = [',', ';', '\t'] as const;

/** The delimiter that the header line has most often outside quotes; a comma if it has none. */
export function detectDelimiter(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  return DELIMITERS.reduce<string>((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best), ',');
}
