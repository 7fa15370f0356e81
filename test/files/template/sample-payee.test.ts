import { describe, expect, it } from 'vitest';
import { checkFields } from '../../../src/bank/required-details.ts';
import { fieldsWithoutSample, samplePayee, sampleValue } from '../../../src/files/template/template.ts';
import { requiredDetails } from '../../../src/sandbox/bank/beneficiary-book.ts';
import { SEED_CURRENCIES } from '../../../src/sandbox/bank/open-books.ts';

const field = (name: string, regex: string, data_type = 'text') => ({ field: name, required: true, regex, data_type });

describe.each(SEED_CURRENCIES)('in %s', (currency) => {
  it.each(['personal', 'business'])('a %s payee matches every rule of the sandbox', (type) => {
    const entries = requiredDetails(currency, type);
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) expect(checkFields(entry, samplePayee(entry))).toEqual([]);
    expect(fieldsWithoutSample(entries)).toEqual([]);
  });
});

it.each([
  ['sort_code', '^\\d{6}$'],
  ['clabe', '^\\d{18}$'],
  ['ifsc_code', '^[A-Z]{4}0[A-Z0-9]{6}$'],
  ['iban_no', '^DE\\d{20}$'],
  ['swift_code', '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'],
  ['email', '^[^@ ]+@[^@ ]+\\.[a-z]+$'],
  ['mobile', '^\\d{8,15}$'],
  ['birth_date', '^\\d{4}-\\d{2}-\\d{2}$'],
])('has a value of the usual shapes for %s under %s', (name, regex) => {
  expect(sampleValue(field(name, regex), 'EUR')).toMatch(new RegExp(regex));
});

it('names the fields whose rule none of the usual shapes matches, and leaves them out', () => {
  const entry = {
    currency: 'EUR',
    beneficiary_type: 'personal',
    payment_type: 'local',
    fields: [field('odd', '^Q9-[xyz]{3}$')],
  };
  expect(fieldsWithoutSample([entry])).toEqual(['odd']);
  expect(samplePayee(entry)).toEqual({});
});
