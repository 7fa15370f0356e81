import { atRight, columnsOf, filledUp, labelled, widthOf } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';

/**
 * Aligned columns for a terminal, figures at the right, with control characters made visible. If the columns do not fit side by
 * side, each row becomes a paragraph with its cells below each other: no word is ever broken.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width = widthOf(process.stdout),
): string {
  const shown = rows.map((row) => row.map(visible));
  const columns = head.map((name, column) => [name, ...shown.map((row) => row[column] ?? '')]);
  const widths = columns.map((cells) => Math.max(...cells.map(columnsOf)));
  const pads = columns.map((cells, column) => (column > 0 && areFigures(cells.slice(1)) ? atRight : filledUp));
  if (widths.reduce((sum, it) => sum + it + 2, -2) > width) return records(head, shown, width);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (pads[column] ?? filledUp)(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((it) => '-'.repeat(it))), ...shown.map(line)].join('\n');
}

/** `1,250.00`, `-5 JPY`, and cells without a value. */
const FIGURE = /^(?:-?\d[\d,]*(?:\.\d+)?(?: [A-Z]{3})?)?$/;

const areFigures = (cells: readonly string[]): boolean =>
  cells.some((cell) => cell !== '') && cells.every((cell) => FIGURE.test(cell));

/** Columns of a table by head; one that is empty in every row is left out. */
export function filledTable<Row>(
  columns: readonly (readonly [head: string, cell: (row: Row) => string])[],
  rows: readonly Row[],
  width: number,
): string {
  const filled = columns.filter(([, cell]) => rows.some((row) => cell(row) !== ''));
  const heads = filled.map(([head]) => head);
  const cells = rows.map((row) => filled.map(([, cell]) => cell(row)));
  return table(heads, cells, width);
}

function records(head: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const labelWidth = Math.max(...head.map(({ length }) => length)) + 2;
  return rows
    .map((row) =>
      head
        .filter((_, column) => (row[column] ?? '') !== '')
        .flatMap((name) => labelled(name, row[head.indexOf(name)] ?? '', { labelWidth, width }))
        .join('\n'),
    )
    .join('\n\n');
}
