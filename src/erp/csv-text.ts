import { UnreadableFile } from './decode.ts';
import type { Finding } from './finding.ts';
import { RECORD_BYTES_MAX } from './input.ts';

/**
 * Makes text safe for the CSV parser: CRLF becomes LF (the parser counts CRLF inside quotes as two lines), lone CR and
 * NUL become a space and a finding, and a line beyond the record limit ends the pass (the parser checks its own limit
 * only where it appends a character, so a line of nothing but delimiters would grow without end).
 */
export async function* csvText(
  file: string,
  chunks: AsyncIterable<string>,
  findings: Finding[],
): AsyncGenerator<string> {
  const scan = new LineScan(file, findings);
  let held = '';
  for await (const chunk of chunks) {
    const text = held + chunk;
    // A CR at the end may be the first half of a CRLF.
    held = text.endsWith('\r') ? '\r' : '';
    yield* scan.clean(held === '' ? text : text.slice(0, -1));
  }
  yield* scan.clean(held);
}

class LineScan {
  private readonly file: string;
  private readonly findings: Finding[];
  private line = 1;
  private length = 0;

  constructor(file: string, findings: Finding[]) {
    this.file = file;
    this.findings = findings;
  }

  *clean(text: string): Generator<string> {
    const unix = text.replaceAll('\r\n', '\n');
    let start = 0;
    while (start < unix.length) {
      const newline = unix.indexOf('\n', start);
      const end = newline < 0 ? unix.length : newline;
      this.length += end - start;
      if (this.length > RECORD_BYTES_MAX) {
        yield this.refuseStray(unix.slice(0, start));
        throw new UnreadableFile(recordTooLarge(this.file, this.line, null));
      }
      this.noteStray(unix, start, end);
      if (newline < 0) break;
      this.line += 1;
      this.length = 0;
      start = newline + 1;
    }
    yield this.refuseStray(unix);
  }

  /** One finding a line and kind: a file with old Mac line ends is one line to us, and one finding. */
  private noteStray(text: string, start: number, end: number): void {
    for (const { char, rule, message } of STRAY) {
      const at = text.indexOf(char, start);
      if (at < 0 || at >= end) continue;
      if (this.findings.some((known) => known.line === this.line && known.rule === rule)) continue;
      this.findings.push({ file: this.file, line: this.line, row: null, column: null, value: null, rule, message });
    }
  }

  private refuseStray(text: string): string {
    return text.replaceAll(/[\r\0]/g, ' ');
  }
}

const STRAY = [
  {
    char: '\r',
    rule: 'lone-carriage-return',
    message: 'a carriage return without a line feed; end lines with LF or CRLF',
  },
  { char: '\0', rule: 'nul-character', message: 'a NUL character; save the file as plain UTF-8 text' },
] as const;

export function recordTooLarge(file: string, line: number, row: number | null): Finding {
  return {
    file,
    line,
    row,
    column: null,
    value: null,
    rule: 'record-too-large',
    message: `a record holds at most ${RECORD_BYTES_MAX / 1024} KiB; a quote or a line end may be missing. The rest was not checked`,
  };
}

const DELIMITERS = [',', ';', '\t'] as const;

/** The delimiter the header line uses most, outside quotes; a comma when there is none. */
export function detectDelimiter(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  return DELIMITERS.reduce<string>((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best), ',');
}
