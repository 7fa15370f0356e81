import { matchPattern } from '../../bank/pattern.ts';
import type { FieldDescriptor, RequiredDetailsEntry } from '../../bank/schemas/beneficiaries.ts';
import type { USUAL_PAYEE_FIELDS } from '../../domain/payee-fields.ts';

/** The longest account number in any network. */
const CHARACTERS_MAX = 34;

/**
 * The required fields of a new payee with made-up values that match the bank's rules. A field for which no value matches is left
 * out.
 */
export function samplePayee({ currency, fields }: RequiredDetailsEntry): Record<string, string> {
  const values = fields
    .filter(({ required }) => required)
    .map((field): [string, string | undefined] => [field.field, sampleValue(field, currency)]);
  return Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Required fields for which no made-up value matches: whoever fills in the template must find one. */
export function fieldsWithoutSample(entries: readonly RequiredDetailsEntry[]): string[] {
  const missing = entries.flatMap((entry) => {
    const sample = samplePayee(entry);
    return entry.fields.flatMap(({ field, required }) => (required && sample[field] === undefined ? [field] : []));
  });
  return [...new Set(missing)];
}

/** A value that matches the field's rule; `undefined` if none of the usual shapes does. */
export function sampleValue({ field, regex, data_type }: FieldDescriptor, currency: string): string | undefined {
  const country = countryOf(currency);
  if (data_type === 'country') return country;
  const named = Object.hasOwn(NAMED, field) ? NAMED[field as keyof typeof NAMED]?.(country) : undefined;
  const candidates = [named, ...(data_type === 'phone' ? PHONES : []), ...shapes(country)];
  return candidates.find((value) => value !== undefined && (regex === '' || matchPattern(regex, value) === 'match'));
}

/** For a currency without a country of its own: a country that uses it. */
const COUNTRIES: Readonly<Record<string, string>> = { EUR: 'DE' };

/** ISO 4217 codes begin with the ISO 3166 code of their country. */
const countryOf = (currency: string): string => COUNTRIES[currency] ?? currency.slice(0, 2);

/** Values that nobody mistakes for a real person or account. */
const NAMED: Partial<Record<(typeof USUAL_PAYEE_FIELDS)[number], (country: string) => string>> = {
  account_name: () => 'Example Payee',
  first_name: () => 'Example',
  last_name: () => 'Payee',
  company_name: () => 'Example Company',
  mobile: () => '+10000000000',
  address_state: () => 'Example State',
  address_city: () => 'Example City',
  address_suburb: () => 'Example City',
  address_address1: () => '1 Example Street',
  aba_routing_code: () => '000000000',
  account_no: () => '00001001',
  iban_no: (country) => `${country}00EXAMPLE0000000001`,
  swift_code: (country) => `EXAM${country}00`,
};
const PHONES = ['+10000000000', '10000000000'];

/** Usual shapes of bank codes: digits, groups of digits, letters, and both, in every length. */
function* shapes(country: string): Generator<string> {
  yield 'Example';
  yield '00-00-00';
  yield '000-000';
  for (let length = 1; length <= CHARACTERS_MAX; length += 1) {
    yield '0'.repeat(length);
    yield 'X'.repeat(length);
    yield `${country}00`.padEnd(length, '0');
    yield `EXAM${country}00`.padEnd(length, '0');
    yield 'EXAM'.padEnd(length, '0');
  }
  yield 'payee@example.com';
  yield '2000-01-01';
}
