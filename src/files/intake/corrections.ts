import { stringify } from 'csv-stringify/sync';
import type { Finding } from '../../domain/finding.ts';
import { isColumnName } from '../input.ts';
import { isMessage } from '../read-file.ts';
import { IntakeRefusal } from './intake-refusal.ts';
import { type FileReader, type ReadFile, type ReadingApp, readFile } from './read-input.ts';

/** A value of a file about which there is a finding. */
export interface WrongCell {
  row: number;
  column: string;
  value: string;
  line: number;
  cell?: string;
  /** One for each finding about it. */
  problems: Pick<Finding, 'rule' | 'message'>[];
}

/** More are corrected faster where the file was made. */
const CELLS_MAX = 100;
/** A table of this size is written again at once. */
const ROWS_MAX = 20_000;

/**
 * The values to correct so that a file has no finding, in its order; undefined if that is not all that is wrong: a finding about the
 * file or a whole row, a row that could not be read as its writer saw it, or a bank message, whose original must stay whole.
 */
export async function wrongCells(
  app: ReadingApp,
  path: string,
  findings: readonly Finding[],
): Promise<WrongCell[] | undefined> {
  const isOfCell = ({ row, column }: Finding): boolean => row !== null && column !== null && isColumnName(column);
  if (findings.length === 0 || findings.length > CELLS_MAX || !findings.every(isOfCell)) return undefined;
  const read = await readTable(app, path);
  if (read === undefined) return undefined;
  using staged = read.staged;
  const cells = new Map<string, WrongCell>();
  for (const { row, column, line, cell, rule, message } of findings) {
    const key = `${row} ${column}`;
    const known = cells.get(key) ?? { row: row ?? 0, column: column ?? '', value: '', line, cell, problems: [] };
    cells.set(key, { ...known, problems: [...known.problems, { rule, message }] });
  }
  const byRow = Map.groupBy(cells.values(), ({ row }) => row);
  for (const { row, instruction } of staged.rows()) {
    for (const it of byRow.get(row) ?? []) it.value = instruction[it.column] ?? '';
  }
  return [...cells.values()];
}

/** Undefined for a file that cannot be written again as it was read. */
async function readTable(app: FileReader, path: string): Promise<ReadFile | undefined> {
  const read = await readFile(app, path);
  if (read instanceof IntakeRefusal) return undefined;
  const { staged, format } = read;
  const isWhole = staged.findings.total === 0 && staged.rowCount <= ROWS_MAX && !isMessage(format);
  if (isWhole) return read;
  staged[Symbol.dispose]();
  return undefined;
}

interface CorrectedCopy {
  /** CSV in UTF-8. */
  text: string;
  /** `row 2 amount`. */
  changed: string[];
  /** What the reader warned of in the original, which its copy does not show. */
  warnings: Finding[];
}

/** The file with other values in the given cells; undefined where `wrongCells` would offer none. */
export async function correctedCopy(
  app: FileReader,
  path: string,
  values: readonly Pick<WrongCell, 'row' | 'column' | 'value'>[],
): Promise<CorrectedCopy | undefined> {
  const read = await readTable(app, path);
  if (read === undefined) return undefined;
  using staged = read.staged;
  const byRow = Map.groupBy(values, ({ row }) => row);
  const changed: string[] = [];
  const rows = [...staged.rows()].map(({ row, instruction }) => {
    const corrected = { ...instruction };
    for (const { column, value } of byRow.get(row) ?? []) {
      if ((instruction[column] ?? '') === value) continue;
      corrected[column] = value;
      changed.push(`row ${row} ${column}`);
    }
    return corrected;
  });
  const names = [...staged.columns.map(({ name }) => name), ...values.map(({ column }) => column)];
  return {
    text: stringify(rows, { header: true, columns: [...new Set(names)] }),
    changed,
    warnings: staged.warnings.list(),
  };
}
