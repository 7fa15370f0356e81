import { currencyExponent } from '../domain/currency.ts';
import { CITY_FIELDS, INSTRUCTION_FIELDS, type PayoutInstruction } from '../domain/instruction.ts';
import { checkBeneficiary, type RequiredDetailsOf } from './beneficiary-rules.ts';
import { type Broken, checkValues, REQUIRED_COLUMNS } from './field-rules.ts';
import { type Finding, inFileOrder, shownValue } from './finding.ts';
import type { ReadColumn, ReadRow } from './input.ts';

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

/** Every finding of every row in one pass, in file order. Pure: nothing is asked of the bank. */
export function validateRows({ file, columns, rows, requiredDetails }: ToValidate): Validated {
  const findings = checkColumns(file, columns, rows, requiredDetails);
  const absent = new Set(findings.filter(({ rule }) => rule === 'missing-column').map(({ column }) => column));
  const instructions: ValidRow[] = [];
  const firstLines = new Map<string, number>();
  for (const { row, line, instruction: text } of rows) {
    const instruction = withoutBlanks(text);
    const broken = [
      ...checkRequired(instruction).filter(({ column }) => !absent.has(column)),
      ...checkValues(instruction),
      ...checkBeneficiary(instruction, requiredDetails),
      ...checkIdentity(instruction, line, firstLines),
    ];
    if (broken.length === 0 && absent.size === 0) instructions.push({ row, line, instruction });
    for (const found of broken) {
      const { column, rule, message } = found;
      findings.push({ file, line, row, column, value: shownValue(column, instruction[column]), rule, message });
    }
  }
  return { instructions, findings: inFileOrder(findings) };
}

/** The (currency, beneficiary type) pairs of new beneficiaries: what to ask required-details for, each once. */
export function requiredDetailsPairs(
  rows: readonly { instruction: Readonly<Record<string, string | undefined>> }[],
): { currency: string; beneficiaryType: string }[] {
  const pairs = new Map<string, { currency: string; beneficiaryType: string }>();
  for (const { instruction } of rows) {
    const { currency = '', beneficiary_type: beneficiaryType = '' } = instruction;
    if (currencyExponent(currency) === undefined || !BENEFICIARY_TYPES.has(beneficiaryType)) continue;
    pairs.set(`${currency} ${beneficiaryType}`, { currency, beneficiaryType });
  }
  return [...pairs.values()];
}

const BENEFICIARY_TYPES: ReadonlySet<string> = new Set(['personal', 'business']);
const OWN_COLUMNS: ReadonlySet<string> = new Set(INSTRUCTION_FIELDS);

function withoutBlanks(text: Readonly<Record<string, string>>): PayoutInstruction {
  return Object.fromEntries(Object.entries(text).filter(([, value]) => value.trim() !== '')) as PayoutInstruction;
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

/** Columns nobody knows, and required ones that the header line does not have. */
function checkColumns(
  file: string,
  columns: readonly ReadColumn[],
  rows: readonly ReadRow[],
  requiredDetails?: RequiredDetailsOf,
): Finding[] {
  const known = knownFields(rows, requiredDetails);
  const unknown = columns.filter(({ name }) => !OWN_COLUMNS.has(name) && known !== undefined && !known.has(name));
  const header = columns.find(({ row }) => row === null);
  const absent =
    header === undefined ? [] : REQUIRED_COLUMNS.filter((name) => !columns.some((column) => column.name === name));
  return [
    ...unknown.map(({ name, line, row }) => ({ file, line, row, column: name, value: null, ...UNKNOWN_COLUMN })),
    ...absent.map((name) => ({
      file,
      line: header?.line ?? 1,
      row: null,
      column: name,
      value: null,
      ...MISSING_COLUMN,
    })),
  ];
}

/**
 * Field names the bank asks for in any pair of the file, `undefined` when they cannot be known: a pair was not looked up,
 * or a row's currency or beneficiary type is itself wrong.
 */
function knownFields(rows: readonly ReadRow[], requiredDetails?: RequiredDetailsOf): Set<string> | undefined {
  const pairs = requiredDetailsPairs(rows);
  if (pairs.length === 0) return rows.some(({ instruction }) => instruction.beneficiary_type) ? undefined : new Set();
  const known = new Set<string>();
  for (const { currency, beneficiaryType } of pairs) {
    const entries = requiredDetails?.(currency, beneficiaryType);
    if (entries === undefined) return undefined;
    for (const { field } of entries.flatMap((entry) => entry.fields)) known.add(field);
  }
  if (CITY_FIELDS.some((name) => known.has(name))) for (const name of CITY_FIELDS) known.add(name);
  return known;
}

const UNKNOWN_COLUMN = {
  rule: 'unknown-column',
  message: 'neither a column of ours nor a beneficiary field the bank asks for in this file; rename or delete it',
};
const MISSING_COLUMN = {
  rule: 'missing-column',
  message: 'the header line has no such column, and every row needs it; add it',
};
