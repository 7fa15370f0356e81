import type { FieldDescriptor } from '../../bank/schemas/beneficiaries.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { requiredDetails } from './required-details.ts';

/** Identifies an entry of required-details. */
export interface BeneficiaryKind {
  currency: string;
  beneficiary_type: string;
  payment_type: string;
}

/**
 * The detail fields of a request; others are dropped. Throws 2002 with every missing or invalid field, 2009 if the currency does
 * not have the payment type.
 */
export function checkedItems(
  kind: BeneficiaryKind,
  request: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const items: Record<string, string> = {};
  const invalid: string[] = [];
  for (const descriptor of fieldsOf(kind)) {
    const { field, required } = descriptor;
    const value = Object.hasOwn(request, field) ? request[field] : undefined;
    if (isBlank(value)) {
      if (required) invalid.push(field);
    } else if (matches(descriptor, value)) {
      items[field] = value;
    } else {
      invalid.push(field);
    }
  }
  if (invalid.length > 0) throw badRequest(`check ${invalid.join(', ')}`);
  return items;
}

function fieldsOf({ currency, beneficiary_type, payment_type }: BeneficiaryKind): FieldDescriptor[] {
  const entries = requiredDetails(currency, beneficiary_type);
  const entry = entries.find((candidate) => candidate.payment_type === payment_type);
  if (entry === undefined) throw new Refusal(2009, 'payment_type: not in required-details');
  return entry.fields;
}

const VALUE_CHARACTERS_MAX = 255;
const COUNTRY = /^[A-Z]{2}$/;

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * `[\d-A-Z]` in interface section 2 means digits, a hyphen and a range of letters; of the range, JavaScript would take only both
 * ends.
 */
const patternOf = (regex: string): RegExp => new RegExp(regex.replaceAll('\\d-', '\\d\\-'));

function matches({ regex, data_type }: FieldDescriptor, value: unknown): value is string {
  if (typeof value !== 'string' || value.length > VALUE_CHARACTERS_MAX) return false;
  return patternOf(regex).test(value) && (data_type !== 'country' || COUNTRY.test(value));
}
