import type { PayoutInstruction } from '../domain/instruction.ts';
import { checkBeneficiary, type RequiredDetailsOf } from './beneficiary-rules.ts';
import { checkColumns, UNKNOWN_COLUMN } from './column-rules.ts';
import { type Broken, checkValues, REQUIRED_COLUMNS } from './field-rules.ts';
import { type Finding, inFileOrder, shownValue } from './finding.ts';
import type { ReadColumn, ReadRow } from './input.ts';

export { requiredDetailsPairs } from './column-rules.ts';

/** A row that breaks no rule; blank fields are left out of its instruction. */
export interface ValidRow {
  row: number;
  line: number;
  instruction: PayoutInstruction;
}

export interface ToValidate {
  file: string;
  columns: readonly ReadColumn[];
  rows: readonly ReadRow[];
  requiredDetails?: RequiredDetailsOf;
}

export interface Validated {
  instructions: ValidRow[];
  findings: Finding[];
}

/**
 * Every finding of every row in one pass, in file order. Pure: nothing is asked of the bank. A finding without a row is
 * about the whole file, and then no row is valid.
 */
export function validateRows({ file, columns, rows, requiredDetails }: ToValidate): Validated {
  const { findings, absent, unknown, inHeader } = checkColumns({ file, columns, rows, requiredDetails });
  const ofFile = findings.length;
  const instructions: ValidRow[] = [];
  const firstLines = new Map<string, number>();
  for (const { row, line, instruction: text, unsound } of rows) {
    const instruction = withoutBlanks(text, unknown);
    const strangers = inHeader ? [] : Object.keys(text).filter((name) => unknown.has(name));
    const broken = [
      ...strangers.map((column) => ({ column, ...UNKNOWN_COLUMN })),
      ...checkRequired(instruction).filter(({ column }) => !absent.has(column)),
      ...checkValues(instruction),
      ...checkBeneficiary(instruction, requiredDetails),
      ...checkIdentity(instruction, line, firstLines),
    ];
    if (broken.length === 0 && ofFile === 0 && !unsound) instructions.push({ row, line, instruction });
    for (const { column, rule, message } of broken) {
      findings.push({ file, line, row, column, value: shownValue(column, text[column]), rule, message });
    }
  }
  return { instructions, findings: inFileOrder(findings) };
}

function withoutBlanks(text: Readonly<Record<string, string>>, unknown: ReadonlySet<string>): PayoutInstruction {
  const entries = Object.entries(text).filter(([name, value]) => value.trim() !== '' && !unknown.has(name));
  return Object.fromEntries(entries) as PayoutInstruction;
}

function checkRequired(instruction: PayoutInstruction): Broken[] {
  return REQUIRED_COLUMNS.filter((column) => instruction[column] === undefined).map((column) => ({
    column,
    rule: 'required',
    message: 'a value is required; fill it in',
  }));
}

/** The same (uid, id) twice is an error of the later row: they would be one payout. */
function checkIdentity({ uid, id }: PayoutInstruction, line: number, firstLines: Map<string, number>): Broken[] {
  if (uid === undefined || id === undefined) return [];
  const key = JSON.stringify([uid, id]);
  const first = firstLines.get(key);
  if (first === undefined) {
    firstLines.set(key, line);
    return [];
  }
  const message = `this uid and id are on line ${first} already, and one id is one payout; give this row an id of its own or delete it`;
  return [{ column: 'id', rule: 'duplicate-id', message }];
}
