import { stringify } from 'csv-stringify/sync';
import type { RequiredDetailsEntry } from '../../bank/schemas/beneficiaries.ts';
import { INSTRUCTION_FIELDS } from '../../domain/instruction.ts';

/** Not for new rows: `failed.csv` fills it in. */
const LEFT_OUT: ReadonlySet<string> = new Set(['retry_of']);

/** All our columns and every field that the bank may require, then the rows. */
export function csvTemplate(
  rows: readonly Readonly<Record<string, string>>[],
  entries: readonly RequiredDetailsEntry[],
): string {
  const own = INSTRUCTION_FIELDS.filter((name) => !LEFT_OUT.has(name));
  return stringify([...rows], { header: true, columns: [...own, ...fieldNames(entries)] });
}

export function jsonTemplate(rows: readonly Readonly<Record<string, string>>[]): string {
  return `${JSON.stringify({ payouts: rows }, null, 2)}\n`;
}

/** Field names of payees in all entries, in the bank's order. */
export const fieldNames = (entries: readonly RequiredDetailsEntry[]): string[] => [
  ...new Set(entries.flatMap(({ fields }) => fields.map(({ field }) => field))),
];
