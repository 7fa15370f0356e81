import { asksFor, checkFields, type FieldFinding, matchEntry } from '../../bank/required-details.ts';
import type { RequiredDetailsEntry } from '../../bank/schemas/beneficiaries.ts';
import { beneficiaryFields, type PayoutInstruction } from '../../domain/instruction.ts';
import type { Broken } from './field-rules.ts';

/**
 * The bank's required-details for a pair; `undefined` if they were not queried: then its rules are not checked. An empty array
 * means that the bank offers nothing.
 */
export type RequiredDetailsOf = (currency: string, beneficiaryType: string) => RequiredDetailsEntry[] | undefined;

const NAMED_BY_FIELDS = ['beneficiary_type', 'payment_type'] as const;

/** A row must name either a known beneficiary or the fields of a new one. */
export function checkBeneficiary(instruction: PayoutInstruction, requiredDetails?: RequiredDetailsOf): Broken[] {
  const fields = beneficiaryFields(instruction);
  const byFields =
    Object.keys(fields).length > 0 || NAMED_BY_FIELDS.some((column) => instruction[column] !== undefined);
  if (instruction.beneficiary_id !== undefined) return byFields ? [NAMED_TWICE] : [];
  if (!byFields) return [NOT_NAMED];
  const missing = NAMED_BY_FIELDS.filter((column) => instruction[column] === undefined);
  if (missing.length > 0) return missing.map((column) => ({ column, ...TYPE_MISSING }));
  return checkDetails(instruction, fields, requiredDetails);
}

/** The instruction without spare fields of a bank message that this bank does not ask for. */
export function withoutSpare(
  instruction: PayoutInstruction,
  spare: readonly string[],
  requiredDetails?: RequiredDetailsOf,
): PayoutInstruction {
  if (spare.length === 0) return instruction;
  const { currency, beneficiary_type = '', payment_type = '' } = instruction;
  const entry = matchEntry(requiredDetails?.(currency, beneficiary_type) ?? [], payment_type);
  if (entry === undefined) return instruction;
  const needless = new Set(spare.filter((name) => !asksFor(entry, name)));
  return Object.fromEntries(Object.entries(instruction).filter(([name]) => !needless.has(name))) as PayoutInstruction;
}

function checkDetails(
  { currency, beneficiary_type = '', payment_type = '' }: PayoutInstruction,
  fields: Record<string, string>,
  requiredDetails?: RequiredDetailsOf,
): Broken[] {
  const entries = requiredDetails?.(currency, beneficiary_type);
  if (entries === undefined) return [];
  const entry = matchEntry(entries, payment_type);
  if (entry === undefined) return [notOffered(entries)];
  return checkFields(entry, fields).map(({ field, rule, message }) => ({
    column: field,
    rule,
    message: `${message}; ${FIX[rule]}`,
  }));
}

function notOffered(entries: readonly RequiredDetailsEntry[]): Broken {
  const offered = [...new Set(entries.map((entry) => entry.payment_type))].join(', ');
  const fix = offered === '' ? 'the bank offers none for this currency and beneficiary type' : `use one of: ${offered}`;
  return { column: 'payment_type', rule: 'payment-type-not-offered', message: `not offered by the bank; ${fix}` };
}

const NAMED_TWICE: Broken = {
  column: 'beneficiary_id',
  rule: 'beneficiary-named-twice',
  message: 'the row has both a beneficiary_id and the details of a payee; clear one of the two',
};
const NOT_NAMED: Broken = {
  column: 'beneficiary_id',
  rule: 'required',
  message: "name the payee: by beneficiary_id, or by beneficiary_type, payment_type and the payee's details",
};
const TYPE_MISSING = {
  rule: 'required',
  message: 'a payee given by details needs beneficiary_type and payment_type; fill it in',
};
const FIX: Readonly<Record<FieldFinding['rule'], string>> = {
  required: 'fill it in',
  regex: 'correct the value',
  country: 'correct the value',
  'unknown-field': 'clear it, or use a payment_type that needs it',
  'conflicting-fields': 'they are the same field; clear one of them',
};
