import { stringify } from 'csv-stringify/sync';
import { INSTRUCTION_FIELDS } from '../domain/instruction.ts';
import type { PayoutRecord, RefusedRow } from '../store/store.ts';

/** A row to be handed in again, by column. */
type Line = Readonly<Record<string, string | undefined>>;

/** Rows that were refused because the payout is known: handing them in again can only be refused again. */
const KNOWN: ReadonlySet<string> = new Set(['already-taken', 'id-reused', 'retry-unknown', 'retry-not-proven']);

/**
 * Rows of a batch that took no money for certain: those proven unpaid, each with the reference it is the next generation
 * of (`retry_of`), and those refused for their values, as they were written. A row with an unknown outcome is never among
 * them, nor one that was not read whole, nor one of a bank message: what such a row asked for is more than its columns say.
 */
export async function* unpaidLines(
  rows: AsyncIterable<PayoutRecord>,
  refused: AsyncIterable<RefusedRow>,
  unpaid: ReadonlySet<string>,
): AsyncGenerator<Line> {
  for await (const { reference, instruction } of rows) {
    if (unpaid.has(reference)) yield { ...instruction, retry_of: reference };
  }
  for await (const { instruction, findings } of refused) {
    if (findings.some(({ rule }) => KNOWN.has(rule)) || Object.keys(instruction).length === 0) continue;
    const unknown = new Set(findings.flatMap(({ rule, column }) => (rule === 'unknown-column' ? (column ?? []) : [])));
    yield Object.fromEntries(Object.entries(instruction).filter(([name]) => !unknown.has(name)));
  }
}

const LINES_AT_ONCE = 1_000;

/**
 * `failed.csv`: what `run` takes again, values unchanged. Formulas are not escaped as in the other CSV: an apostrophe would
 * become part of a phone number.
 */
export async function* failedCsv(columns: readonly string[], lines: AsyncIterable<Line>): AsyncGenerator<string> {
  yield stringify([[...columns]]);
  let some: string[][] = [];
  for await (const line of lines) {
    some.push(columns.map((column) => (Object.hasOwn(line, column) ? (line[column] ?? '') : '')));
    if (some.length < LINES_AT_ONCE) continue;
    yield stringify(some);
    some = [];
  }
  yield stringify(some);
}

/** The columns these lines have a value in: ours in their order, then the payee's; empty when there is no line. */
export async function columnsOf(lines: AsyncIterable<Line>): Promise<string[]> {
  const used = new Set<string>();
  for await (const line of lines) for (const [name, value] of Object.entries(line)) if (value) used.add(name);
  const own = INSTRUCTION_FIELDS.filter((name) => used.has(name));
  return [...own, ...[...used].filter((name) => !(own as readonly string[]).includes(name)).sort()];
}
