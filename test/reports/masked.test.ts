import { expect, it } from 'vitest';
import { maskedPayee } from '../../src/reports/masked.ts';

it('keeps the first letter of a name and the last characters of an account', () => {
  expect(maskedPayee({ account_name: 'Example Payee', account_no: '00001001' })).toEqual({
    name: 'E***',
    account: '***01',
  });
  expect(maskedPayee({ company_name: 'Sample Ltd', iban_no: 'DE00EXAMPLE0000000001' })).toEqual({
    name: 'S***',
    account: '***0001',
  });
});

it('is blank where the bank shows nothing', () => {
  expect(maskedPayee({})).toEqual({ name: '', account: '' });
  expect(maskedPayee({ account_name: '', bsb: '000-000' })).toEqual({ name: '', account: '' });
});
