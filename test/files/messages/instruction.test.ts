import { describe, expect, it } from 'vitest';
import { instructionOf } from '../../../src/files/messages/message-instruction.ts';
import { contextOf, directory, mapping, transfer } from './transfers.ts';

const IBAN = 'FR25SAMPLE0000004714';

describe('a transfer becomes a payout', () => {
  it('with our account, the fields of the interface, and what a bank may leave', () => {
    const { instruction, spare, broken } = instructionOf(
      transfer({
        debtorAccount: 'de00 sample 0000 0000 01',
        requestedExecution: '2026-03-31',
        remittance: 'Invoice 1',
        creditor: {
          name: 'Sample Metals',
          iban: IBAN,
          bic: 'SAMPFRPP',
          mobile: '+33-100',
          address: { country: 'FR', state: 'Region', city: 'Ville', street: '4 Rue', postcode: '750 01' },
        },
      }),
      contextOf(),
    );
    expect(broken).toEqual([]);
    const payee = {
      account_name: 'Sample Metals',
      company_name: 'Sample Metals',
      mobile: '+33-100',
      region_country: 'FR',
      swift_code: 'SAMPFRPP',
      iban_no: IBAN,
      address_country: 'FR',
      address_state: 'Region',
      address_city: 'Ville',
      address_address1: '4 Rue',
      address_postcode: '75001',
    };
    expect(instruction).toEqual({
      id: 'INV-1',
      uid: 'u-1',
      account_id: 'acc-1',
      amount: '10.00',
      currency: 'EUR',
      beneficiary_type: 'business',
      payment_type: 'swift',
      ...payee,
      note: 'Invoice 1',
      execute_on: '2026-03-31',
    });
    expect(spare.sort()).toEqual(Object.keys(payee).sort());
  });

  it('never with names cut out of a name', () => {
    const creditor = { name: 'Maria Sample', type: 'personal' as const, iban: IBAN, bic: 'SAMPFRPP' };
    const { instruction } = instructionOf(transfer({ creditor }), contextOf());
    expect(instruction).toMatchObject({ beneficiary_type: 'personal', account_name: 'Maria Sample' });
    expect(instruction).not.toHaveProperty('first_name');
    expect(instruction).not.toHaveProperty('last_name');
  });

  it.each([
    ['the message', { bankCountry: 'LU', bic: 'SAMPDEFF', iban: IBAN }, 'LU'],
    ['the BIC', { bic: 'SAMPDEFF', iban: IBAN }, 'DE'],
    ['the IBAN', { iban: IBAN }, 'FR'],
  ])("the country of the payee's bank comes from %s", (_, creditor, country) => {
    expect(instructionOf(transfer({ creditor }), contextOf()).instruction.region_country).toBe(country);
  });

  it('the member of a clearing system goes into the field of that system', () => {
    const clearingFields = new Map([['GBDSC', 'sort_code']]);
    const creditor = { account: '00040004', clearing: { system: 'GBDSC', member: '000000' } };
    const { instruction } = instructionOf(transfer({ creditor }), contextOf({ mapping: mapping({ clearingFields }) }));
    expect(instruction).toMatchObject({ payment_type: 'local', sort_code: '000000', account_no: '00040004' });
  });
});

describe('the payee directory', () => {
  it('names a beneficiary: every field of the payee gives way', () => {
    const payees = directory({ account: IBAN, conditions: {}, fields: { beneficiary_id: 'ben-1' } });
    const { instruction, spare, broken } = instructionOf(transfer({ creditor: { iban: IBAN } }), contextOf({ payees }));
    expect(broken).toEqual([]);
    expect(spare).toEqual([]);
    expect(instruction).toEqual({
      id: 'INV-1',
      uid: 'u-1',
      account_id: 'acc-1',
      amount: '10.00',
      currency: 'EUR',
      beneficiary_id: 'ben-1',
    });
  });

  it('fills and overrides; what it says is not spare', () => {
    const fields = {
      beneficiary_type: 'personal',
      payment_type: 'local',
      first_name: 'Maria',
      account_name: 'M Sample',
    };
    const payees = directory({ account: IBAN, conditions: {}, fields });
    const { instruction, spare } = instructionOf(transfer(), contextOf({ payees }));
    expect(instruction).toMatchObject({ ...fields, iban_no: IBAN });
    expect(spare.sort()).toEqual(['iban_no', 'region_country', 'swift_code']);
  });

  it('may call the city a suburb: the message has no other then', () => {
    const payees = directory({ account: IBAN, conditions: {}, fields: { address_suburb: 'Suburb' } });
    const creditor = { iban: IBAN, address: { city: 'City' } };
    const { instruction } = instructionOf(transfer({ creditor }), contextOf({ payees }));
    expect(instruction.address_suburb).toBe('Suburb');
    expect(instruction).not.toHaveProperty('address_city');
  });

  it('with two entries that fit as well is no answer', () => {
    const payees = directory(
      { account: IBAN, conditions: { currency: 'EUR' }, fields: { beneficiary_id: 'ben-1' } },
      { account: IBAN, conditions: { uid: 'u-1' }, fields: { beneficiary_id: 'ben-2' } },
    );
    const { instruction, broken } = instructionOf(transfer(), contextOf({ payees }));
    expect(broken).toMatchObject([{ column: 'beneficiary_id', rule: 'ambiguous-payee' }]);
    expect(instruction).not.toHaveProperty('beneficiary_id');
  });
});

describe('what is not known keeps a transfer from being paid', () => {
  it('the account that pays', () => {
    const { instruction, broken } = instructionOf(transfer({ debtorAccount: 'DE00OTHER1234' }), contextOf());
    expect(broken).toEqual([
      expect.objectContaining({ column: 'account_id', rule: 'unmapped-account', value: '***1234' }),
    ]);
    expect(instruction).not.toHaveProperty('uid');
  });

  it.each([
    ['USD', 'EUR', ['debtor-currency']],
    ['EUR', 'EUR', []],
    [undefined, 'EUR', []],
    ['USD', undefined, []],
  ])('its currency: %s in the message, %s in the mapping', (debtorCurrency, currency, rules) => {
    const account = { uid: 'u-1', account_id: 'acc-1', currency };
    const context = contextOf({ mapping: mapping({ accounts: new Map([['DE00SAMPLE0000000001', account]]) }) });
    const { broken } = instructionOf(transfer({ debtorCurrency }), context);
    expect(broken.map(({ rule }) => rule)).toEqual(rules);
  });

  it('whether the payee is a person', () => {
    const context = contextOf({ mapping: mapping({ beneficiaryType: undefined }) });
    const { broken } = instructionOf(transfer(), context);
    expect(broken).toMatchObject([{ column: 'beneficiary_type', rule: 'no-beneficiary-type' }]);
    expect(
      instructionOf(transfer({ creditor: { type: 'business', iban: IBAN, bic: 'SAMPFRPP' } }), context).broken,
    ).toEqual([]);
  });

  it('how the payee is paid', () => {
    const { broken, instruction } = instructionOf(transfer({ creditor: { account: '1' } }), contextOf());
    expect(broken).toMatchObject([{ column: 'payment_type', rule: 'no-payment-type' }]);
    expect(instruction).not.toHaveProperty('payment_type');
  });
});
