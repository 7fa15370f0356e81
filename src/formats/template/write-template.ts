import { stringify } from 'csv-stringify/sync';
import type { RequiredDetailsEntry } from '../../api/schemas/beneficiaries.ts';
import { INSTRUCTION_FIELDS } from '../../domain/instruction.ts';

/** Not for new rows: filled in by the file of what failed. */
const LEFT_OUT: ReadonlySet<string> = new Set(['retry_of']);

/** Every column of ours and every field that the bank may ask for, then the rows. */
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

/** Names of the payee's fields over all entries, in the order in which the bank gives them. */
export const fieldNames = (entries: readonly RequiredDetailsEntry[]): string[] => [
  ...new Set(entries.flatMap(({ fields }) => fields.map(({ field }) => field))),
];
