import { visible } from '../rules/finding.ts';

/** Plain aligned columns for a terminal; characters that would steer it are made visible. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(visible));
  const widths = head.map((name, column) => Math.max(name.length, ...shown.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...shown.map(line)].join('\n');
}
