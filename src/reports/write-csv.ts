import { stringify } from 'csv-stringify/sync';
import { visible, withoutUnprintable } from '../domain/finding.ts';
import { INSTRUCTION_FIELDS } from '../domain/instruction.ts';
import { forSpreadsheet } from '../domain/text.ts';
import type { PayoutRecord, RefusedRow } from '../store/store.ts';
import { COLUMNS } from './report-columns.ts';
import type { ReportedPayout } from './report-document.ts';

/** No formula, and if escaped, a spreadsheet could not add it up. */
const NEGATIVE = /^-\d+(?:\.\d+)?$/;

/** Excel takes a file without this mark for one in the code page of its machine. */
const BYTE_ORDER_MARK = '\ufeff';

export const csvHead = (): string => BYTE_ORDER_MARK + csvText([COLUMNS.map(({ name }) => name)]);

/** One line for each row. Values that a spreadsheet would evaluate are escaped. */
export const csvLines = (payouts: readonly ReportedPayout[]): string =>
  csvText(payouts.map((payout) => COLUMNS.map(({ of }) => of(payout))));

/** Lines of CSV. Values that a spreadsheet would evaluate are escaped; characters that steer a terminal are made visible. */
export function csvText(lines: (string | number | null)[][]): string {
  return stringify(lines, {
    cast: { string: (value) => (NEGATIVE.test(value) ? value : forSpreadsheet(visible(value))) },
  });
}

/** A row to submit again, by column. */
type Line = Readonly<Record<string, string | undefined>>;

/** Refused because the payout is known already: submitted again, the row would be refused again. */
const KNOWN: ReadonlySet<string> = new Set(['already-taken', 'id-reused', 'retry-unknown', 'retry-not-proven']);

/**
 * Rows of a batch that certainly moved no money: those proven unpaid, each with the reference of which it is the next generation
 * (`retry_of`), and those refused for their values, as written. Never a row with an unknown outcome, a row that was not read
 * completely, whose personal data is erased, or a row of a bank message, whose columns do not contain everything that it asked for.
 */
export async function* unpaidLines(
  rows: AsyncIterable<PayoutRecord>,
  refused: AsyncIterable<RefusedRow>,
  unpaid: ReadonlySet<string>,
): AsyncGenerator<Line> {
  for await (const { reference, instruction, erasedAt } of rows) {
    if (unpaid.has(reference) && erasedAt === null) yield { ...instruction, retry_of: reference };
  }
  for await (const { instruction, findings } of refused) {
    if (findings.some(({ rule }) => KNOWN.has(rule)) || Object.keys(instruction).length === 0) continue;
    const unknown = new Set(findings.flatMap(({ rule, column }) => (rule === 'unknown-column' ? (column ?? []) : [])));
    yield Object.fromEntries(Object.entries(instruction).filter(([name]) => !unknown.has(name)));
  }
}

const cellText = (column: string, value: string): string => forSpreadsheet(withoutUnprintable(column, value));

const LINES_AT_ONCE = 1_000;

/**
 * `failed.csv`, with the values as they were, for `run`, which takes the apostrophes before formulas away again. What no value may
 * hold (`control-character`) becomes U+FFFD: but in free text, the row is refused again until it is corrected.
 */
export async function* failedCsv(columns: readonly string[], lines: AsyncIterable<Line>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + stringify([[...columns]]);
  let some: string[][] = [];
  for await (const line of lines) {
    some.push(columns.map((column) => cellText(column, Object.hasOwn(line, column) ? (line[column] ?? '') : '')));
    if (some.length < LINES_AT_ONCE) continue;
    yield stringify(some);
    some = [];
  }
  yield stringify(some);
}

/** The columns in which these lines have values: ours in their order, then the payee's; empty if there are no lines. */
export async function columnsOf(lines: AsyncIterable<Line>): Promise<string[]> {
  const used = new Set<string>();
  for await (const line of lines) for (const [name, value] of Object.entries(line)) if (value) used.add(name);
  const own = INSTRUCTION_FIELDS.filter((name) => used.has(name));
  return [...own, ...[...used].filter((name) => !(own as readonly string[]).includes(name)).sort()];
}
