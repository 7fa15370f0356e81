import { expect, it } from 'vitest';
import { maskedPayee, payeeNamed } from '../../src/reports/masked.ts';

it('keeps the first letter of a name and the last characters of an account', () => {
  expect(maskedPayee({ account_name: 'Example Payee', account_no: '00001001' })).toMatchObject({
    name: 'E***',
    account: '***01',
  });
  expect(maskedPayee({ company_name: 'Sample Ltd', iban_no: 'DE00EXAMPLE0000000001' })).toMatchObject({
    name: 'S***',
    account: '***0001',
  });
});

it('is blank where the bank shows nothing', () => {
  expect(maskedPayee({})).toEqual({ name: '', account: '', bank: '', country: '' });
  expect(maskedPayee({ account_name: '', bsb: '000-000' })).toEqual({ name: '', account: '', bank: '', country: '' });
});

it('names a payee in full with its bank and the country of its account', () => {
  const iban = { account_name: 'Ann Meyer', iban_no: 'DE89370400440532013000', swift_code: 'COBADEFF' };
  expect(payeeNamed(iban)).toEqual({ name: 'Ann Meyer', account: iban.iban_no, bank: 'COBADEFF', country: 'DE' });
  const usual = { first_name: 'Kim', last_name: 'Lee', account_no: '001', aba_routing_code: '021000021' };
  expect(payeeNamed({ ...usual, region_country: 'US' })).toEqual({
    ...{ name: 'Kim Lee', account: '001', bank: '021000021', country: 'US' },
  });
  expect(payeeNamed({})).toEqual({ name: '', account: '', bank: '', country: '' });
});
