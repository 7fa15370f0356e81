import { UnreadableFile } from './decode.ts';
import { FILE_BYTES_MAX, fileTooLarge, ROWS_MAX, type RowSink, tooManyRows } from './input.ts';

/** Passes on the first `bytesMax` bytes of a file. What comes after them is `UnreadableFile`. */
export async function* withinBytes(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  bytesMax = FILE_BYTES_MAX,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > bytesMax) throw new UnreadableFile(fileTooLarge(file, bytesMax));
    yield chunk;
  }
}

/** Passes on what is read of the first `rowsMax` rows of a file. What comes after them is `UnreadableFile`. */
export function withinRows(file: string, sink: RowSink, rowsMax = ROWS_MAX): RowSink {
  const within = <Read extends { row: number | null; line: number }>(read: Read): Read => {
    if ((read.row ?? 0) > rowsMax) throw new UnreadableFile(tooManyRows(file, read.line, rowsMax));
    return read;
  };
  return {
    row: (row) => sink.row(within(row)),
    column: (column) => sink.column(within(column)),
    finding: (finding) => sink.finding(within(finding)),
    warning: (warning) => sink.warning(within(warning)),
    message: (message) => sink.message(message),
  };
}
