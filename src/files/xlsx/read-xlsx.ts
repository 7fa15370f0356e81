import {
  COLUMNS_MAX,
  RECORD_BYTES_MAX,
  type RowSink,
  recordTooLarge,
  tooManyColumns,
  UnreadableFile,
  unreadable,
} from '../input.ts';
import { TABLE_FIELDS } from '../table-fields.ts';
import { type CellProblem, TableRows } from '../table-rows.ts';
import {
  type CellContext,
  type CellText,
  cellText,
  haveComments,
  isStruckThrough,
  openParts,
  type PackageParts,
  type PartHandler,
  type RawCell,
  readWorkbook,
  strikes,
  type Workbook,
  walkPart,
} from './workbook.ts';

interface SheetRow {
  /** Row number in the sheet. */
  line: number;
  isHidden: boolean;
  /** One of its values is struck through, wholly or in part. */
  isStruck: boolean;
  /** By column from 0; blank cells may be missing. */
  cells: CellText[];
  /** Columns that people do not see, from 0; of the sheet. */
  hiddenColumns: ReadonlySet<number>;
}

/** The rows of a sheet that have content. Throws `UnreadableFile`. */
async function* sheetRows(parts: PackageParts, part: string, context: CellContext): AsyncGenerator<SheetRow> {
  const reader = new SheetReader(context);
  for await (const _ of walkPart(parts, part, reader)) yield* reader.take();
}

class SheetReader implements PartHandler {
  readonly boundary = 'row';
  /** True after the cells and what is merged of them: the rest is only formatting. */
  isOver = false;
  private readonly context: CellContext;
  private isPastCells = false;
  private finished: SheetRow[] = [];
  private readonly hidden = new Set<number>();
  /** The first row with a value, which names the columns, and the last. */
  private filled: { first: number; last: number } | undefined;
  private row: SheetRow = this.newRow(0);
  private size = 0;
  private column = -1;
  private cell: RawCell | undefined;
  private isValue = false;
  private isPhonetic = false;

  constructor(context: CellContext) {
    this.context = context;
  }

  take(): SheetRow[] {
    const { finished } = this;
    this.finished = [];
    return finished;
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === 'row') {
      this.row = this.newRow(Number(attribute('r') ?? this.row.line + 1), isSet(attribute('hidden')));
      this.size = 0;
      this.column = -1;
    } else if (name === 'c') {
      this.column = columnOf(attribute('r')) ?? this.column + 1;
      this.cell = {
        type: attribute('t') ?? 'n',
        style: Number(attribute('s') ?? 0),
        isFormula: false,
        isStruck: false,
      };
    } else if (name === 'col') {
      if (isSet(attribute('hidden'))) this.hide(Number(attribute('min')), Number(attribute('max')));
    } else if (name === 'mergeCell') this.checkMerged(attribute('ref') ?? '');
    else if (this.isPastCells && AFTER_MERGED.has(name)) this.isOver = true;
    else if (name === 'f' && this.cell !== undefined) this.cell.isFormula = true;
    else if (name === 'strike' && this.cell !== undefined) this.cell.isStruck ||= strikes(attribute('val'));
    else if (name === 'rPh') this.isPhonetic = true;
    this.isValue = (name === 'v' || name === 't') && !this.isPhonetic;
  }

  text(text: string): void {
    if (!this.isValue || this.cell === undefined) return;
    this.size += text.length;
    if (this.size > RECORD_BYTES_MAX) throw recordTooLarge(this.row.line);
    this.cell.value = (this.cell.value ?? '') + text;
  }

  close(name: string): void {
    this.isValue = false;
    if (name === 'rPh') this.isPhonetic = false;
    if (name === 'c' && this.cell !== undefined) this.finishCell(this.cell);
    if (name === 'row' && this.row.cells.length > 0) {
      this.finished.push(this.row);
      this.filled = { first: this.filled?.first ?? this.row.line, last: this.row.line };
    }
    if (name === 'sheetData') this.isPastCells = true;
    if (name === 'mergeCells') this.isOver = true;
  }

  /** The value of a merged cell is seen in all its rows, but only its first cell holds it. */
  private checkMerged(reference: string): void {
    const [from = 0, to = 0] = [...reference.matchAll(/\d+/g)].map(Number);
    if (this.filled === undefined || from === to || from > this.filled.last || to <= this.filled.first) return;
    throw unreadable(from, MERGED.rule, MERGED.message);
  }

  private newRow(line: number, isHidden = false): SheetRow {
    return { line, isHidden, isStruck: false, cells: [], hiddenColumns: this.hidden };
  }

  private hide(from: number, to: number): void {
    for (let column = Math.max(from, 1); column <= Math.min(to, COLUMNS_MAX); column += 1) this.hidden.add(column - 1);
  }

  private finishCell(raw: RawCell): void {
    this.cell = undefined;
    const cell = cellText(raw, this.context);
    if (cell.text.trim() === '' && cell.problem === undefined) return;
    if (this.column >= COLUMNS_MAX) throw tooManyColumns(this.row.line);
    this.row.cells[this.column] = cell;
    this.row.isStruck ||= isStruckThrough(raw, this.context);
  }
}

/** What comes after the merged cells and may be as large as the cells (ECMA-376 part 1, 18.3.1.99). */
const AFTER_MERGED: ReadonlySet<string> = new Set(['conditionalFormatting', 'dataValidations', 'hyperlinks', 'extLst']);
const isSet = (flag: string | undefined): boolean => flag === '1' || flag === 'true';

/** Column of a reference such as `AB12`, from 0; beyond any real column if the reference is invalid. */
function columnOf(reference: string | undefined): number | undefined {
  if (reference === undefined) return undefined;
  const [letters = 'ZZZZ'] = /^[A-Z]{1,3}(?=\d)/.exec(reference) ?? [];
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/**
 * Reads the only visible sheet of a workbook (.xlsx) that has content: its first row with values has the column names, rows
 * without values do not count. Lines are those of the sheet. In memory: the packed file, the workbook's texts and one row.
 */
export async function readXlsx(bytes: AsyncIterable<Uint8Array>, sink: RowSink): Promise<void> {
  const table = new TableRows(sink, { isSheet: true });
  using parts = await openParts(bytes);
  const workbook = await readWorkbook(parts);
  await readSheets(parts, workbook, table);
  const { hiddenSheet, comments } = TABLE_FIELDS;
  if (await areFilled(parts, workbook)) sink.warning(table.found(1, hiddenSheet.warns));
  if (await haveComments(parts, workbook.sheets)) sink.warning(table.found(1, comments.warns));
  table.end();
}

/** Whether a hidden sheet has a value, if only one that cannot be read. */
async function areFilled(parts: PackageParts, workbook: Workbook): Promise<boolean> {
  try {
    for (const sheet of workbook.hiddenSheets) for await (const _ of sheetRows(parts, sheet, workbook)) return true;
    return false;
  } catch (error) {
    if (error instanceof UnreadableFile) return true;
    throw error;
  }
}

const MERGED = TABLE_FIELDS.merged.refuses;
const SEVERAL = TABLE_FIELDS.otherSheet.refuses;

async function readSheets(parts: PackageParts, workbook: Workbook, table: TableRows): Promise<void> {
  let filled: string | undefined;
  const reported = new Set<number>();
  for (const sheet of workbook.sheets) {
    for await (const row of sheetRows(parts, sheet, workbook)) {
      // Otherwise a second list would be ignored unnoticed.
      if ((filled ?? sheet) !== sheet) throw unreadable(1, SEVERAL.rule, SEVERAL.message);
      filled = sheet;
      if (table.header === undefined) table.takeHeader(textsOf(row, row.cells.length), row.line);
      else takeRow(table, table.header.length, row, reported);
    }
  }
}

/** `reported`: hidden columns that there was a warning about. */
function takeRow(table: TableRows, columns: number, row: SheetRow, reported: Set<number>): void {
  const surplus = row.cells.findIndex((cell, index) => index >= columns && cell !== undefined);
  if (row.isHidden) table.refuse(row.line, TABLE_FIELDS.hiddenRow.refuses);
  else if (surplus >= 0) table.refuse(row.line, TABLE_FIELDS.surplusCell.refuses);
  else {
    table.takeRow(textsOf(row, columns), row.line, problemsOf(row));
    if (row.isStruck) table.warnOfRow(row.line, TABLE_FIELDS.struck.warns);
    for (const index of row.hiddenColumns) {
      if (row.cells[index] === undefined || reported.has(index)) continue;
      reported.add(index);
      table.warn(row.line, { index, ...TABLE_FIELDS.hiddenColumn.warns });
    }
  }
}

const textsOf = ({ cells }: SheetRow, columns: number): string[] =>
  Array.from({ length: columns }, (_, index) => cells[index]?.text ?? '');

const problemsOf = ({ cells }: SheetRow): CellProblem[] =>
  cells.flatMap((cell, index) => (cell?.problem === undefined ? [] : { index, ...cell.problem }));
