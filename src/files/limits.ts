import type { Finding } from '../domain/finding.ts';
import type { RowSink } from './input.ts';
import { type UnreadableFile, unreadable } from './unreadable.ts';

/** A record larger than this is a broken file, not a payout. */
export const RECORD_BYTES_MAX = 64 * 1024;
/** Limit from the start of one record to the start of the next; beyond it the rest of a file is not read. */
export const STRETCH_BYTES_MAX = 4 * RECORD_BYTES_MAX;
export const FILE_BYTES_MAX = 256 * 1024 * 1024;
/** Limit of a file whose text is in memory while it is read. */
export const TEXT_BYTES_MAX = 64 * 1024 * 1024;
export const ROWS_MAX = 1_000_000;
/** Far more than any bank asks for: such a file is not a list of payouts. */
export const COLUMNS_MAX = 500;

/** Passes on the first `bytesMax` bytes of a file. What comes after them is `UnreadableFile`. */
export async function* withinBytes(
  bytes: AsyncIterable<Uint8Array>,
  bytesMax = FILE_BYTES_MAX,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > bytesMax) {
      const message = `such a file may have at most ${bytesMax / 1024 / 1024} MiB; split it`;
      throw unreadable(1, 'file-too-large', message);
    }
    yield chunk;
  }
}

/**
 * Passes on what is read of the first `rowsMax` rows of a file, with its name in every finding. What comes after them is
 * `UnreadableFile`.
 */
export function withinRows(file: string, sink: RowSink<Finding>, rowsMax = ROWS_MAX): RowSink {
  const within = <Read extends { row: number | null; line: number }>(read: Read): Read => {
    if ((read.row ?? 0) <= rowsMax) return read;
    const message = `a file may have at most ${rowsMax} rows; split it. The rest was not checked`;
    throw unreadable(read.line, 'too-many-rows', message);
  };
  return {
    row: (row) => sink.row(within(row)),
    column: (column) => sink.column(within(column)),
    finding: (finding) => sink.finding({ file, ...within(finding) }),
    warning: (warning) => sink.warning({ file, ...within(warning) }),
    message: (message) => sink.message(message),
  };
}

export const tooManyColumns = (line: number): UnreadableFile =>
  unreadable(line, 'too-many-columns', `a file may have at most ${COLUMNS_MAX} columns. The rest was not checked`);

export const recordTooLarge = (line: number): UnreadableFile => unreadable(line, 'record-too-large', RECORD_TOO_LARGE);

const RECORD_TOO_LARGE = `a record may have at most ${RECORD_BYTES_MAX / 1024} KiB; a quote or a line ending may be missing. The rest was not checked`;
