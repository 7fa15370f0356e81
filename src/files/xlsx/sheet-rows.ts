import { COLUMNS_MAX, RECORD_BYTES_MAX, recordTooLarge, tooManyColumns } from '../limits.ts';
import { unreadable } from '../unreadable.ts';
import { type CellContext, type CellText, cellText, type RawCell } from './cell-text.ts';
import type { PackageParts } from './package-parts.ts';
import { type PartHandler, walkPart } from './part-events.ts';

export interface SheetRow {
  /** Row number in the sheet. */
  line: number;
  isHidden: boolean;
  /** By column from 0; blank cells may be missing. */
  cells: CellText[];
  /** Columns that people do not see, from 0; of the sheet. */
  hiddenColumns: ReadonlySet<number>;
}

/** The rows of a sheet that have content. Throws `UnreadableFile`. */
export async function* sheetRows(parts: PackageParts, part: string, context: CellContext): AsyncGenerator<SheetRow> {
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
      this.cell = { type: attribute('t') ?? 'n', style: Number(attribute('s') ?? 0), isFormula: false };
    } else if (name === 'col') {
      if (isSet(attribute('hidden'))) this.hide(Number(attribute('min')), Number(attribute('max')));
    } else if (name === 'mergeCell') this.checkMerged(attribute('ref') ?? '');
    else if (this.isPastCells && AFTER_MERGED.has(name)) this.isOver = true;
    else if (name === 'f' && this.cell !== undefined) this.cell.isFormula = true;
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
    throw unreadable(from, ...MERGED);
  }

  private newRow(line: number, isHidden = false): SheetRow {
    return { line, isHidden, cells: [], hiddenColumns: this.hidden };
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
  }
}

/** What comes after the merged cells and may be as large as the cells (ECMA-376 part 1, 18.3.1.99). */
const AFTER_MERGED: ReadonlySet<string> = new Set(['conditionalFormatting', 'dataValidations', 'hyperlinks', 'extLst']);
const MERGED = [
  'merged-cells',
  'a cell here is merged over several rows, of which only the first has its value; unmerge it and fill in each row',
] as const;

const isSet = (flag: string | undefined): boolean => flag === '1' || flag === 'true';

/** Column of a reference such as `AB12`, from 0; beyond any real column if the reference is invalid. */
function columnOf(reference: string | undefined): number | undefined {
  if (reference === undefined) return undefined;
  const [letters = 'ZZZZ'] = /^[A-Z]{1,3}(?=\d)/.exec(reference) ?? [];
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
