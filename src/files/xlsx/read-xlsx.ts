import type { RowSink } from '../input.ts';
import { type CellProblem, TableRows } from '../table-rows.ts';
import { unreadable } from '../unreadable.ts';
import { openParts, type PackageParts } from './package-parts.ts';
import { type SheetRow, sheetRows } from './sheet-rows.ts';
import { readWorkbook } from './workbook.ts';

/**
 * Reads the only visible sheet of a workbook (.xlsx) that has content: its first row with values has the column names, rows
 * without values do not count. Lines are those of the sheet. In memory: the packed file, the workbook's texts and one row.
 */
export async function readXlsx(bytes: AsyncIterable<Uint8Array>, sink: RowSink): Promise<void> {
  const table = new TableRows(sink);
  using parts = await openParts(bytes);
  await readSheets(parts, table);
  table.end();
}

async function readSheets(parts: PackageParts, table: TableRows): Promise<void> {
  const workbook = await readWorkbook(parts);
  let filled: string | undefined;
  const told = new Set<number>();
  for (const sheet of workbook.sheets) {
    for await (const row of sheetRows(parts, sheet, workbook)) {
      // Otherwise a second list would be ignored silently.
      if ((filled ?? sheet) !== sheet) throw unreadable(1, ...SEVERAL_SHEETS);
      filled = sheet;
      if (table.header === undefined) table.takeHeader(textsOf(row, row.cells.length), row.line);
      else takeRow(table, table.header.length, row, told);
    }
  }
}

/** `told`: hidden columns that there was a warning of. */
function takeRow(table: TableRows, columns: number, row: SheetRow, told: Set<number>): void {
  const surplus = row.cells.findIndex((cell, index) => index >= columns && cell !== undefined);
  if (row.isHidden) table.refuse(row.line, HIDDEN_ROW);
  else if (surplus >= 0) table.refuse(row.line, NO_COLUMN);
  else {
    table.takeRow(textsOf(row, columns), row.line, problemsOf(row));
    for (const index of row.hiddenColumns) {
      if (row.cells[index] === undefined || told.has(index)) continue;
      told.add(index);
      table.warn(row.line, { index, ...HIDDEN_COLUMN });
    }
  }
}

const textsOf = ({ cells }: SheetRow, columns: number): string[] =>
  Array.from({ length: columns }, (_, index) => cells[index]?.text ?? '');

const problemsOf = ({ cells }: SheetRow): CellProblem[] =>
  cells.flatMap((cell, index) => (cell?.problem === undefined ? [] : { index, ...cell.problem }));

const SEVERAL_SHEETS = [
  'several-sheets',
  'more than one visible sheet has values, but only one can be paid; keep the sheet with the payouts, and delete or hide the others',
] as const;
const HIDDEN_ROW = {
  rule: 'hidden-row',
  message: 'this row is hidden in the sheet, perhaps by a filter, so nobody sees what it pays; unhide or delete it',
};
const HIDDEN_COLUMN = {
  rule: 'hidden-column',
  message: 'this column is hidden in the sheet, but its values are used; show it and look at them, or delete it',
};
const NO_COLUMN = {
  rule: 'wrong-field-count',
  message: 'a value is to the right of the last named column; name its column or delete the value',
};
