import { aboutFile, type Found } from '../domain/finding.ts';
import type { RowSink } from './input.ts';

/** The rest of the file cannot be read; has the one finding that says why. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly finding: Found;

  constructor(finding: Found) {
    super(finding.message);
    this.finding = finding;
  }
}

export const unreadable = (line: number, rule: string, message: string): UnreadableFile =>
  new UnreadableFile(aboutFile(line, rule, message));

/** What ends the pass of a reader is its last finding. */
export async function untilUnreadable(sink: RowSink, reading: Promise<unknown>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    sink.finding(error.finding);
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder',
  EACCES: 'cannot be read: its permissions do not allow it',
};

/** Why a file cannot be opened: the end of a sentence that begins with its path. */
export const whyUnreadable = ({ code = 'unknown' }: NodeJS.ErrnoException): string =>
  WHY[code] ?? `cannot be read (${code})`;
