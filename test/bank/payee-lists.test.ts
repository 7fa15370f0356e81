import { describe, expect, test } from 'vitest';
import { isNamedPayee, type NamedPayee, payeeDigest, payeeReference } from '../../src/bank/payee-lists.ts';
import type { Beneficiary } from '../../src/bank/schemas/beneficiaries.ts';

const ITEMS = { account_no: '123 456', swift_code: 'CHASUS33', address_city: 'Austin' };
const RESPELLED = { swift_code: 'chasus33', account_no: '123456', address_suburb: ' Austin', address_address2: '' };

const shown = (items: Record<string, string>): Beneficiary => ({
  id: 'ben-1',
  created_at: undefined,
  uid: 'u-1',
  currency: 'USD',
  payment_type: 'local',
  beneficiary_type: 'personal',
  items,
});

const ACCOUNT_NO = { field: 'account_no', required: true, regex: '', data_type: 'number' };

const named = (fields: Record<string, string>): NamedPayee => ({
  among: { uid: 'u-1', currency: 'USD', beneficiary_type: 'personal', payment_type: 'local' },
  entry: undefined,
  fields,
  findings: [],
});

// The bank names the city `address_city` or `address_suburb`, depending on the response (interface section 2).
describe('a payee spelled in another way', () => {
  test('is the one that people approved', () => {
    expect(payeeDigest(shown(RESPELLED))).toBe(payeeDigest(shown(ITEMS)));
  });

  test('is added once', () => {
    expect(payeeReference(named(RESPELLED))).toEqual(payeeReference(named(ITEMS)));
  });

  test.each(Object.keys(ITEMS))('with another %s is another one', (name) => {
    const other = { ...ITEMS, [name]: '999' };
    expect(payeeDigest(shown(other))).not.toBe(payeeDigest(shown(ITEMS)));
    expect(payeeReference(named(other))).not.toEqual(payeeReference(named(ITEMS)));
  });
});

// A payment type asks for some details only: those of another one may pay somebody else, under the same IBAN.
describe('a payee at the bank', () => {
  const entry = { currency: 'USD', beneficiary_type: 'personal', payment_type: 'local', fields: [ACCOUNT_NO] };
  const asked = { ...named({ account_no: '123456' }), entry };
  const theirs = shown({ account_no: '123456', swift_code: 'CHASUS33' });

  test('is the one that is named', () => {
    expect(isNamedPayee(asked, theirs)).toBe(true);
  });

  test.each<Partial<Beneficiary>>([
    { payment_type: 'swift' },
    { beneficiary_type: 'business' },
    { currency: 'EUR' },
    { uid: 'u-2' },
    { items: { account_no: '999' } },
  ])('is another one with %o', (change) => {
    expect(isNamedPayee(asked, { ...theirs, ...change })).toBe(false);
  });
});
