import { UnreadableFile } from './decode.ts';
import { ROWS_MAX, type RowSink, tooManyRows } from './input.ts';

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
