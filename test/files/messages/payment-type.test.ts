import { describe, expect, it } from 'vitest';
import type { CreditTransfer } from '../../../src/files/credit-transfer.ts';
import { paymentTypeOf } from '../../../src/files/messages/instruction.ts';
import { mapping, transfer } from './transfers.ts';

const iban = 'FR25SAMPLE0000004714';
const bic = 'SAMPFRPP';
const clearing = (system: string) => ({ system, member: '1' });

describe('the payment type', () => {
  it.each<[string, Partial<CreditTransfer>, string]>([
    ['AUBSB in AUD', { currency: 'AUD', creditor: { account: '1', clearing: clearing('AUBSB') } }, 'bsb'],
    ['USABA in USD', { currency: 'USD', creditor: { account: '1', clearing: clearing('USABA'), bic } }, 'local'],
    ['USABA in EUR', { creditor: { account: '1', clearing: clearing('USABA') } }, 'unmapped-clearing-system'],
    ['USABA in EUR with IBAN and BIC', { creditor: { iban, bic, clearing: clearing('USABA') } }, 'swift'],
    ['SEPA in EUR with IBAN', { service: { levels: ['SEPA'] }, creditor: { iban, bic } }, 'local'],
    ['SEPA beside another level', { service: { levels: ['G001', 'SEPA'] }, creditor: { iban, bic } }, 'local'],
    ['SEPA in EUR without IBAN', { service: { levels: ['SEPA'] }, creditor: { bic } }, 'swift'],
    ['SEPA in SEK', { service: { levels: ['SEPA'] }, currency: 'SEK', creditor: { iban } }, 'swift'],
    ['IBAN alone', { creditor: { iban } }, 'swift'],
    ['BIC alone', { creditor: { account: '1', bic } }, 'swift'],
    [
      'unknown clearing system',
      { creditor: { account: '1', bic, clearing: clearing('HKNCC') } },
      'unmapped-clearing-system',
    ],
    ['an account number alone', { creditor: { account: '1' } }, 'no-payment-type'],
  ])('%s', (_, own, expected) => {
    const choice = paymentTypeOf(transfer(own), mapping());
    expect('paymentType' in choice ? choice.paymentType : choice.rule).toBe(expected);
  });

  it('by the first rule of the mapping that fits comes before all that', () => {
    const paymentTypes = [
      { serviceLevel: 'URGP', currency: 'EUR', paymentType: 'swift' },
      { localInstrument: 'INST', paymentType: 'instant' },
      { clearingSystem: 'HKNCC', paymentType: 'fps' },
      { currency: 'EUR', paymentType: 'local' },
    ];
    const own = mapping({ paymentTypes });
    const choices = [
      transfer({ service: { levels: ['URGP'], localInstrument: 'INST' } }),
      transfer({ service: { localInstrument: 'INST' } }),
      transfer({ currency: 'HKD', creditor: { account: '1', clearing: clearing('HKNCC') } }),
      transfer(),
      transfer({ currency: 'SEK' }),
    ].map((each) => paymentTypeOf(each, own));
    expect(choices).toMatchObject(
      ['swift', 'instant', 'fps', 'local', 'swift'].map((paymentType) => ({ paymentType })),
    );
  });

  it('of a clearing system that the mapping gives a field is local', () => {
    const own = mapping({ clearingFields: new Map([['HKNCC', 'bank_code']]) });
    const creditor = { account: '1', bic, clearing: clearing('HKNCC') };
    expect(paymentTypeOf(transfer({ creditor }), own)).toEqual({ paymentType: 'local' });
  });
});
