import { describe, expect, it } from 'vitest';
import {
  differences,
  flagsText,
  type PayeeFacts,
  payeeCountry,
  payeeFlags,
  payeeName,
} from '../../src/domain/payee.ts';
import { DAY_MS } from '../../src/domain/time.ts';

const NOW = 100 * DAY_MS;

const known: PayeeFacts = {
  createdAt: NOW - 30 * DAY_MS,
  digest: 'now',
  paidDigest: 'now',
  changedAt: null,
  isOfAnotherUser: false,
  isLookAlike: false,
  isFirstToCountry: false,
  paid: ['10.00', '9.00'],
  amount: '30.00',
};

describe('The flags of a payee', () => {
  it.each<[string, Partial<PayeeFacts>, string[]]>([
    ['none of one that is known', {}, []],
    ['new: the bank has it since yesterday', { createdAt: NOW - DAY_MS }, ['new-payee']],
    ['not new after 7 days', { createdAt: NOW - 7 * DAY_MS }, []],
    ['new: the bank has none', { createdAt: undefined, digest: undefined, paidDigest: undefined }, ['new-payee']],
    ['changed since we paid it, however long ago', { digest: 'other' }, ['changed-payee']],
    ['changed a day ago, and not paid since', { paidDigest: undefined, changedAt: NOW - DAY_MS }, ['changed-payee']],
    ['changed long ago, and paid as it is', { changedAt: NOW - 8 * DAY_MS }, []],
    ['known to the bank under another user', { isOfAnotherUser: true }, ['payee-of-another-user']],
    ['a name that looks like another', { isLookAlike: true }, ['look-alike-name']],
    ['a new country', { isFirstToCountry: true }, ['first-to-country']],
    ['more than three times the largest', { amount: '30.01' }, ['above-usual']],
    ['never paid: nothing is usual', { paid: [], amount: '1000000' }, []],
  ])('%s', (_name, facts, flags) => {
    expect(payeeFlags({ ...known, ...facts }, NOW)).toEqual(flags);
  });

  it('are shown in words', () => {
    expect(flagsText(['new-payee', 'first-to-country'])).toBe('new payee, first payment to this country');
    expect(flagsText()).toBe('');
  });
});

it('A reading differs from the first one in what both show', () => {
  const first = { payee: 'a', account: 'acc', fee: '1 USD' };
  expect(differences(first, first)).toEqual([]);
  expect(differences(first, { account: 'acc' })).toEqual([]);
  expect(differences({}, first)).toEqual([]);
  expect(differences(first, { payee: 'b', account: 'acc-2', fee: '2 USD' })).toEqual([
    'payee-differs',
    'account-differs',
    'fee-differs',
  ]);
});

it('A payee is called by its company, its account or its own name, and is paid in the country of its account', () => {
  expect(payeeName({ first_name: 'Ann', last_name: 'Lee' })).toBe('Ann Lee');
  expect(payeeName({ company_name: ' Acme ', last_name: 'Lee' })).toBe('Acme');
  expect(payeeName({ iban_no: 'x' })).toBeUndefined();
  expect(payeeCountry({ iban_no: 'de00', region_country: 'FR' })).toBe('DE');
  expect(payeeCountry({ swift_code: 'SAMPUS00' })).toBe('US');
  expect(payeeCountry({ region_country: 'FR' })).toBe('FR');
  expect(payeeCountry({})).toBeUndefined();
});
