import { CITY_FIELDS } from '../domain/payee.ts';
import { matchPattern, type PatternBudget, patternBudget } from './pattern.ts';
import type { FieldDescriptor, RequiredDetailsEntry } from './schemas/beneficiaries.ts';

/**
 * Rules over a required-details entry (interface section 2): validity of a payee's fields, how they are sent, and when two payees
 * are the same.
 */

/** Members of the add request that a bank may repeat among the items. */
const NOT_DETAILS: ReadonlySet<string> = new Set(['uid', 'currency', 'beneficiary_type', 'payment_type']);
/** Numbers and codes that people write in groups: spaces are insignificant. */
const WRITTEN_IN_GROUPS = /(^|_)(no|number|code|bsb|iban|swift|bic|mobile)(_|$)/;
/** Codes whose case is insignificant. */
const WITHOUT_CASE = /(^|_)(country|swift|bic|iban)(_|$)/;

/** One broken rule. Holds no value, as values are account numbers and names. */
export interface FieldFinding {
  field: string;
  rule: 'required' | 'regex' | 'country' | 'unknown-field' | 'conflicting-fields';
  message: string;
}

const CITIES_CONFLICT: FieldFinding = {
  field: 'address_suburb',
  rule: 'conflicting-fields',
  message: 'address_suburb differs from address_city: they are one field',
};

/** The entry for a payment type, e.g. `swift`; `undefined` if the bank offers none. */
export function matchEntry(
  entries: readonly RequiredDetailsEntry[],
  paymentType: string,
): RequiredDetailsEntry | undefined {
  return entries.find((entry) => entry.payment_type === paymentType);
}

/** All rules that the fields break, in the entry's order. A blank field counts as absent. */
export function checkFields(entry: RequiredDetailsEntry, fields: Readonly<Record<string, string>>): FieldFinding[] {
  const findings: FieldFinding[] = [];
  const budget = patternBudget();
  for (const descriptor of entry.fields) {
    const value = valueFor(descriptor.field, fields);
    if (value !== undefined) findings.push(...checkValue(descriptor, value, budget));
    else if (descriptor.required) findings.push(finding(descriptor.field, 'required', 'is required'));
  }
  for (const name of Object.keys(fields)) {
    if (present(fields, name) !== undefined && !asksFor(entry, name)) {
      findings.push(finding(name, 'unknown-field', `is not a field of ${entry.payment_type} in ${entry.currency}`));
    }
  }
  return citiesConflict(fields) ? [...findings, CITIES_CONFLICT] : findings;
}

/** The fields as the bank wants them: its names and order, no blanks, the city under the one name it uses. */
export function toWireFields(
  entry: RequiredDetailsEntry,
  fields: Readonly<Record<string, string>>,
): Record<string, string> {
  const wire: Record<string, string> = {};
  for (const { field } of entry.fields) {
    const value = valueFor(field, fields);
    if (value !== undefined) wire[field] = value;
  }
  return wire;
}

function checkValue(
  { field, regex, data_type }: FieldDescriptor,
  value: string,
  budget: PatternBudget,
): FieldFinding[] {
  if (data_type === 'country' && !/^[A-Z]{2}$/.test(value)) {
    return [finding(field, 'country', 'is not an ISO 3166 alpha-2 code (two capital letters)')];
  }
  if (regex === '') return [];
  switch (matchPattern(regex, value, budget)) {
    case 'mismatch':
      return [finding(field, 'regex', `does not match ${regex}`)];
    case 'too-slow':
      return [finding(field, 'regex', `cannot be checked against ${regex} in time; shorten it`)];
    case 'match':
    case 'undecided':
      return [];
  }
}

const finding = (field: string, rule: FieldFinding['rule'], what: string): FieldFinding => ({
  field,
  rule,
  message: `${field} ${what}`,
});

function present(fields: Readonly<Record<string, string>>, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return value === undefined || value.trim() === '' ? undefined : value;
}

/** The value given under this name or, for the city, under its other name. */
function valueFor(name: string, fields: Readonly<Record<string, string>>): string | undefined {
  const names = CITY_FIELDS.includes(name) ? [name, ...CITY_FIELDS] : [name];
  return names.map((candidate) => present(fields, candidate)).find((value) => value !== undefined);
}

/** Whether the bank asks for this field in the entry; the city under either of its names. */
export function asksFor(entry: RequiredDetailsEntry, name: string): boolean {
  const accepted = CITY_FIELDS.includes(name) ? CITY_FIELDS : [name];
  return entry.fields.some(({ field }) => accepted.includes(field));
}

function citiesConflict(fields: Readonly<Record<string, string>>): boolean {
  const cities = CITY_FIELDS.map((name) => present(fields, name)?.trim()).filter((city) => city !== undefined);
  return new Set(cities).size > 1;
}

/**
 * Whether `items` (a listed beneficiary) and `fields` are the same payee. Blank means absent, city and suburb are one field, and
 * case matters except in country, SWIFT and IBAN codes. With an `entry`, items that it does not ask for (a bank name added by the
 * bank) are ignored.
 */
export function sameBeneficiary(
  entry: RequiredDetailsEntry | undefined,
  items: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, string>>,
): boolean {
  const asked = entry === undefined ? undefined : new Set(entry.fields.map(({ field }) => oneName(field)));
  const theirs = canonical(items);
  const ours = canonical(fields);
  for (const name of theirs.keys()) {
    if (asked !== undefined && !asked.has(name) && !ours.has(name)) theirs.delete(name);
  }
  return theirs.size === ours.size && [...ours].every(([name, value]) => theirs.get(name) === value);
}

/** The details by which a payee is recognised, however the bank spells them and names the city: equal for the same payee. */
export function canonical(fields: Readonly<Record<string, string>>): Map<string, string> {
  const details = new Map<string, string>();
  for (const [name, value] of Object.entries(fields)) {
    const text = canonicalValue(name, value);
    if (text !== '' && !NOT_DETAILS.has(name)) details.set(oneName(name), text);
  }
  return details;
}

function canonicalValue(name: string, value: string): string {
  const spaced = value
    .normalize('NFC')
    .trim()
    .replace(/\s+/g, WRITTEN_IN_GROUPS.test(name) ? '' : ' ');
  return WITHOUT_CASE.test(name) ? spaced.toUpperCase() : spaced;
}

const oneName = (name: string): string => (CITY_FIELDS.includes(name) ? (CITY_FIELDS[0] ?? name) : name);
