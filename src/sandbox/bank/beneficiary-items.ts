import type { FieldDescriptor } from '../../api/schemas/beneficiaries.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { requiredDetails } from './required-details.ts';

/** What names an entry of required-details. */
export interface BeneficiaryKind {
  currency: string;
  beneficiary_type: string;
  payment_type: string;
}

/**
 * The detail fields of a request; others are dropped. Throws 2002 naming every field that is missing or invalid, 2009 for
 * a payment type the currency does not have.
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
 * `[\d-A-Z]` of interface section 2 means digits, a hyphen and a range of letters; JavaScript alone would read the range as
 * its two ends.
 */
const patternOf = (regex: string): RegExp => new RegExp(regex.replaceAll('\\d-', '\\d\\-'));

function matches({ regex, data_type }: FieldDescriptor, value: unknown): value is string {
  if (typeof value !== 'string' || value.length > VALUE_CHARACTERS_MAX) return false;
  return patternOf(regex).test(value) && (data_type !== 'country' || COUNTRY.test(value));
}
