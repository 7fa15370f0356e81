import { describe, expect, it } from 'vitest';
import type { CreditTransfer } from '../../../src/files/credit-transfer.ts';
import { instructionOf, paymentTypeOf } from '../../../src/files/messages/message-instruction.ts';
import { contextOf, directory, mapping, transfer } from './transfers.ts';

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
    ['IBAN alone in another currency', { currency: 'USD', creditor: { iban } }, 'swift'],
    ['IBAN alone in EUR within SEPA', { creditor: { iban } }, 'no-payment-type'],
    ['IBAN alone in EUR beyond SEPA', { creditor: { iban: 'TR25SAMPLE0000004714' } }, 'swift'],
    ['Swiss IBAN alone in CHF', { currency: 'CHF', creditor: { iban: 'CH25SAMPLE0000004714' } }, 'no-payment-type'],
    ['IBAN of Liechtenstein alone in CHF', { currency: 'CHF', creditor: { iban: 'LI25SAMPLE' } }, 'no-payment-type'],
    ['British IBAN alone in GBP', { currency: 'GBP', creditor: { iban: 'GB25SAMPLE' } }, 'no-payment-type'],
    ['Swiss IBAN and BIC in CHF', { currency: 'CHF', creditor: { iban: 'CH25SAMPLE', bic } }, 'swift'],
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

  it('of a domestic transfer without BIC is a rule that the finding proposes', () => {
    const swiss = transfer({ currency: 'CHF', creditor: { name: 'A', iban: 'CH25SAMPLE0000004714' } });
    const { broken } = instructionOf(swiss, contextOf());
    const rule = { currency: 'CHF', paymentType: 'local' };
    const proposed = expect.stringContaining('{"currency": "CHF", "paymentType": "local"} to paymentTypes');
    expect(broken).toMatchObject([{ column: 'payment_type', rule: 'no-payment-type', message: proposed }]);
    expect(broken[0]?.message).not.toContain('swift_code');
    expect(instructionOf(swiss, contextOf({ mapping: mapping({ paymentTypes: [rule] }) }))).toMatchObject({
      broken: [],
      instruction: { payment_type: 'local' },
    });
    const payees = directory({ account: 'CH25SAMPLE0000004714', conditions: {}, fields: { swift_code: bic } });
    expect(instructionOf(swiss, contextOf({ payees })).instruction.payment_type).toBe('swift');
  });

  it('of a clearing system that the mapping gives a field is local', () => {
    const own = mapping({ clearingFields: new Map([['HKNCC', 'bank_code']]) });
    const creditor = { account: '1', bic, clearing: clearing('HKNCC') };
    expect(paymentTypeOf(transfer({ creditor }), own)).toEqual({ paymentType: 'local' });
  });
});
