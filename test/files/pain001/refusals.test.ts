import { describe, expect, it } from 'vitest';
import { PayeeDirectory } from '../../../src/files/messages/payee-directory.ts';
import { contextOf, pain001, read, type SamplePayment, type SampleTransaction } from './sample-message.ts';

const PAYMENT = '/Document/CstmrCdtTrfInitn/PmtInf[1]';
const TRANSACTION = `${PAYMENT}/CdtTrfTxInf[1]`;
const creditorAt = (address: string): SampleTransaction => ({
  creditor: `<Cdtr><Nm>Sample</Nm><PstlAdr>${address}</PstlAdr></Cdtr>`,
});
const TOWN = '<TwnNm>Town</TwnNm><Ctry>FR</Ctry>';
const LINE_1 = '<AdrLine>4 Sample Rue</AdrLine>';
const LINE_2 = '<AdrLine>Court 5</AdrLine>';
const LINES_ALONE = creditorAt(LINE_1 + LINE_2);
const AUSTRALIAN = {
  amount: '<InstdAmt Ccy="AUD">10.00</InstdAmt>',
  agent:
    '<CdtrAgt><FinInstnId><ClrSysMmbId><ClrSysId><Cd>AUBSB</Cd></ClrSysId><MmbId>000001</MmbId></ClrSysMmbId></FinInstnId></CdtrAgt>',
  account: '<CdtrAcct><Id><Othr><Id>00050005</Id></Othr></Id></CdtrAcct>',
};
const message = (transaction: SampleTransaction, payment: SamplePayment = {}) =>
  pain001({ payments: [{ ...payment, transactions: [transaction] }] });

describe('what the bank cannot do as asked is a finding of the row', () => {
  it.each<[string, SampleTransaction, SamplePayment, object]>([
    ['a cheque', {}, { method: 'CHK' }, { rule: 'not-a-transfer', value: 'CHK', path: `${PAYMENT}/PmtMtd` }],
    [
      'charges to the debtor',
      { terms: '<ChrgBr>DEBT</ChrgBr>' },
      { charges: '<ChrgBr>SHAR</ChrgBr>' },
      { rule: 'bad-charge-type', column: 'charge_type', value: 'DEBT', path: `${TRANSACTION}/ChrgBr` },
    ],
    [
      'charges to the creditor, for the whole block',
      {},
      { charges: '<ChrgBr>CRED</ChrgBr>' },
      { rule: 'bad-charge-type', value: 'CRED', path: `${PAYMENT}/ChrgBr` },
    ],
    [
      "an amount in the debtor's currency",
      { amount: '<EqvtAmt><Amt Ccy="EUR">10.00</Amt><CcyOfTrf>USD</CcyOfTrf></EqvtAmt>' },
      {},
      { rule: 'equivalent-amount', column: 'amount', value: '10.00', path: `${TRANSACTION}/Amt/EqvtAmt` },
    ],
    [
      'an agreed rate',
      { terms: '<XchgRateInf><RateTp>AGRD</RateTp></XchgRateInf>' },
      {},
      { rule: 'agreed-rate', path: `${TRANSACTION}/XchgRateInf` },
    ],
    [
      'a contract for the rate',
      { terms: '<XchgRateInf><CtrctId>C-1</CtrctId></XchgRateInf>' },
      {},
      { rule: 'agreed-rate', value: null },
    ],
    ['an address in lines', LINES_ALONE, {}, { rule: 'address-lines-only', column: 'address_address1', value: null }],
    ['lines with a country', creditorAt(`<Ctry>FR</Ctry>${LINE_1}`), {}, { rule: 'address-lines-only' }],
    ['lines with a town', creditorAt(`<TwnNm>Town</TwnNm>${LINE_1}`), {}, { rule: 'address-lines-only' }],
    ['three lines', creditorAt(TOWN + LINE_1 + LINE_2 + LINE_2), {}, { rule: 'too-many-address-lines' }],
  ])('%s', async (_, transaction, payment, finding) => {
    const { rows, findings } = await read(message(transaction, payment));
    expect(findings).toMatchObject([{ row: 1, line: 6, ...finding }]);
    expect(rows).toMatchObject([{ row: 1, unsound: true, original: { amount: '10.00' } }]);
  });
});

describe('what it can do is none', () => {
  it.each<[string, SampleTransaction]>([
    ['a spot rate', { terms: '<XchgRateInf><XchgRate>1.1</XchgRate><RateTp>SPOT</RateTp></XchgRateInf>' }],
    ['address lines of a payee without address at the bank', { ...LINES_ALONE, ...AUSTRALIAN }],
  ])('%s', async (_, transaction) => {
    const { rows, findings } = await read(message(transaction));
    expect(findings).toEqual([]);
    expect(rows[0]).not.toHaveProperty('unsound');
  });

  it('an advised transfer is paid, and the advice named as not carried', async () => {
    const { rows, findings, warnings } = await read(message({}, { method: 'TRA' }));
    expect([findings, rows.length]).toEqual([[], 1]);
    expect(warnings).toMatchObject([{ row: 1, rule: 'not-carried', message: expect.stringContaining('PmtMtd TRA') }]);
  });

  it.each<Record<string, string>>([
    { address_address1: '4 Sample Rue' },
    { address_city: 'Ville', address_country: 'FR' },
    { address_suburb: 'Ville', address_country: 'FR' },
    { beneficiary_id: 'ben-1' },
  ])('address lines of a payee the directory knows: %o', async (fields) => {
    const payees = new PayeeDirectory();
    payees.add('FR25 SAMPLE 0000 0047 14', { conditions: {}, fields });
    const { rows, findings } = await read(message(LINES_ALONE), contextOf({ payees }));
    expect(findings).toEqual([]);
    expect(rows[0]?.instruction).toMatchObject(fields);
  });

  it.each<[string, string, string]>([
    ['one line', TOWN + LINE_1, '4 Sample Rue'],
    ['two lines', TOWN + LINE_1 + LINE_2, '4 Sample Rue, Court 5'],
    ['a line behind the street', `<StrtNm>Rue</StrtNm><BldgNb>4</BldgNb>${TOWN}${LINE_2}`, 'Rue 4, Court 5'],
    ['a number without a street', `<BldgNb>4</BldgNb>${TOWN}${LINE_1}`, '4 Sample Rue'],
  ])('a hybrid address: %s', async (_, address, street) => {
    const { rows, findings } = await read(message(creditorAt(address)));
    expect(findings).toEqual([]);
    const payee = { address_address1: street, address_city: 'Town', address_country: 'FR' };
    expect(rows[0]?.instruction).toMatchObject(payee);
    expect(rows[0]?.spare).toEqual(expect.arrayContaining(Object.keys(payee)));
  });

  it.each<[string, string, number]>([
    ['are the street before the day of the rule', '2026-11-23', 0],
    ['are refused when they are sent on that day', '2026-11-24', 1],
  ])('address lines alone %s', async (_, sentOn, refused) => {
    const days = { structuredAddressesFrom: '2026-11-24', today: '2026-11-22' };
    const { rows, findings } = await read(message(LINES_ALONE, { date: `<Dt>${sentOn}</Dt>` }), contextOf(days));
    expect(findings).toHaveLength(refused);
    expect(rows[0]?.instruction.address_address1).toBe('4 Sample Rue, Court 5');
  });

  it.each(['SHAR', 'SLEV'])('charges %s are shared', async (charges) => {
    const { rows, findings } = await read(message({}, { charges: `<ChrgBr>${charges}</ChrgBr>` }));
    expect(findings).toEqual([]);
    expect(rows[0]?.instruction.charge_type).toBe('SHA');
  });
});
