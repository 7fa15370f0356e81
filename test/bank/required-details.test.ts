import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkFields, matchEntry, sameBeneficiary, toWireFields } from '../../src/bank/required-details.ts';
import type { RequiredDetailsEntry } from '../../src/bank/schemas/beneficiaries.ts';

const field = (name: string, required = true, regex = '', data_type = 'text') => ({
  field: name,
  required,
  regex,
  data_type,
});

/** USD, personal, local: as documented (interface section 2), shortened. */
const LOCAL: RequiredDetailsEntry = {
  currency: 'USD',
  beneficiary_type: 'personal',
  payment_type: 'local',
  fields: [
    field('account_name'),
    field('aba_routing_code', true, '^[\\d ]{6,13}$', 'number'),
    field('account_no', true, '^[\\d ]+$', 'number'),
    field('address_country', true, '', 'country'),
    field('address_suburb'),
    field('address_postcode', false, '^[\\d-A-Za-z]+$'),
  ],
};
const GOOD = {
  account_name: 'Jane Roe',
  aba_routing_code: '021000021',
  account_no: '12345678',
  address_country: 'US',
  address_city: 'New York',
};

test('the entry is the one of the payment type', () => {
  const swift = { ...LOCAL, payment_type: 'swift' };
  expect(matchEntry([swift, LOCAL], 'local')).toBe(LOCAL);
  expect(matchEntry([swift], 'local')).toBeUndefined();
});

describe('checkFields', () => {
  test('finds nothing in good fields, whichever name the city has', () => {
    expect(checkFields(LOCAL, GOOD)).toEqual([]);
    const { address_city, ...rest } = GOOD;
    expect(checkFields(LOCAL, { ...rest, address_suburb: address_city })).toEqual([]);
  });

  test.each([
    ['required', 'account_no', { account_no: '  ' }],
    ['required', 'address_suburb', { address_city: '' }],
    ['regex', 'aba_routing_code', { aba_routing_code: '12-345-678' }],
    ['regex', 'address_postcode', { address_postcode: '10 001' }],
    ['country', 'address_country', { address_country: 'us' }],
    ['country', 'address_country', { address_country: 'USA' }],
    ['unknown-field', 'iban_no', { iban_no: 'DE89370400440532013000' }],
    ['unknown-field', '__proto__', Object.fromEntries([['__proto__', 'x']])],
    ['conflicting-fields', 'address_suburb', { address_suburb: 'Brooklyn' }],
  ])('finds %s at %s, without the value', (rule, name, change) => {
    const findings = checkFields(LOCAL, Object.fromEntries([...Object.entries(GOOD), ...Object.entries(change)]));
    expect(findings).toMatchObject([{ rule, field: name }]);
    const value = Object.values(change)[0] as string;
    if (value.trim().length > 2) expect(findings[0]?.message).not.toContain(value);
  });

  test('finds every broken rule in one pass', () => {
    const rules = checkFields(LOCAL, { account_no: 'x', address_country: 'Us', nick: 'J' }).map(({ rule }) => rule);
    expect(rules).toEqual(['required', 'required', 'regex', 'country', 'required', 'unknown-field']);
  });
});

test('the wire has the names the entry asks for, in its order, and no blanks', () => {
  const wire = toWireFields(LOCAL, { ...GOOD, address_postcode: '' });
  expect(Object.entries(wire)).toEqual([
    ['account_name', 'Jane Roe'],
    ['aba_routing_code', '021000021'],
    ['account_no', '12345678'],
    ['address_country', 'US'],
    ['address_suburb', 'New York'],
  ]);
});

describe('sameBeneficiary', () => {
  test('what was sent is the same payee, with or without the entry', () => {
    expect(sameBeneficiary(LOCAL, toWireFields(LOCAL, GOOD), GOOD)).toBe(true);
    expect(sameBeneficiary(undefined, toWireFields(LOCAL, GOOD), GOOD)).toBe(true);
  });

  test('spacing, grouping, blanks and the case of codes make no difference', () => {
    const theirs = {
      account_name: ' Jane  Roe ',
      account_no: '1234 5678',
      swift_code: 'abcdus33',
      iban_no: 'DE89 3704',
      note: '',
    };
    const ours = { account_name: 'Jane Roe', account_no: '12345678', swift_code: 'ABCD US33', iban_no: 'de893704' };
    expect(sameBeneficiary(undefined, theirs, ours)).toBe(true);
  });

  test('the two spellings of an accented name are one', () => {
    expect(sameBeneficiary(undefined, { account_name: 'Ren\u00e9' }, { account_name: 'Rene\u0301' })).toBe(true);
  });

  test('any other difference in any field makes another payee', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(GOOD)), fc.string(), (name, text) => {
        const marked = `${text}#`;
        expect(sameBeneficiary(LOCAL, GOOD, { ...GOOD, [name]: marked })).toBe(false);
        expect(sameBeneficiary(LOCAL, { ...GOOD, [name]: marked }, GOOD)).toBe(false);
      }),
    );
  });

  test('a field only one side has makes another payee; an item the bank added of its own does not', () => {
    const { address_city: _city, ...without } = GOOD;
    expect(sameBeneficiary(LOCAL, without, GOOD)).toBe(false);
    expect(sameBeneficiary(LOCAL, GOOD, without)).toBe(false);
    expect(sameBeneficiary(LOCAL, { ...GOOD, bank_name: 'First' }, GOOD)).toBe(true);
    expect(sameBeneficiary(undefined, { ...GOOD, bank_name: 'First' }, GOOD)).toBe(false);
  });

  test('the case of a name counts', () => {
    expect(sameBeneficiary(LOCAL, { ...GOOD, account_name: 'JANE ROE' }, GOOD)).toBe(false);
  });
});
