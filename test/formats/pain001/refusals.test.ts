import { describe, expect, it } from 'vitest';
import { PayeeDirectory } from '../../../src/formats/messages/payee-directory.ts';
import { contextOf, pain001, read, type SamplePayment, type SampleTransaction } from './sample-message.ts';

const PAYMENT = '/Document/CstmrCdtTrfInitn/PmtInf[1]';
const TRANSACTION = `${PAYMENT}/CdtTrfTxInf[1]`;
const LINES =
  '<Cdtr><Nm>Sample</Nm><PstlAdr><TwnNm>Town</TwnNm><Ctry>FR</Ctry><AdrLine>4 Sample Rue</AdrLine></PstlAdr></Cdtr>';
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
    ['an advised transfer', {}, { method: 'TRA' }, { rule: 'not-a-transfer', value: 'TRA' }],
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
    [
      'an address without street',
      { creditor: LINES },
      {},
      { rule: 'address-lines-only', column: 'address_address1', value: null },
    ],
  ])('%s', async (_, transaction, payment, finding) => {
    const { rows, findings } = await read(message(transaction, payment));
    expect(findings).toMatchObject([{ row: 1, line: 6, ...finding }]);
    expect(rows).toMatchObject([{ row: 1, unsound: true, original: { amount: '10.00' } }]);
  });
});

describe('what it can do is none', () => {
  it.each<[string, SampleTransaction]>([
    ['a spot rate', { terms: '<XchgRateInf><XchgRate>1.1</XchgRate><RateTp>SPOT</RateTp></XchgRateInf>' }],
    ['address lines of a payee without address at the bank', { creditor: LINES, ...AUSTRALIAN }],
  ])('%s', async (_, transaction) => {
    const { rows, findings } = await read(message(transaction));
    expect(findings).toEqual([]);
    expect(rows[0]).not.toHaveProperty('unsound');
  });

  it.each<Record<string, string>>([{ address_address1: '4 Sample Rue' }, { beneficiary_id: 'ben-1' }])(
    'address lines of a payee the directory knows: %o',
    async (fields) => {
      const payees = new PayeeDirectory();
      payees.add('FR00 SAMPLE 0000 0047 14', { conditions: {}, fields });
      const { rows, findings } = await read(message({ creditor: LINES }), contextOf({ payees }));
      expect(findings).toEqual([]);
      expect(rows[0]?.instruction).toMatchObject(fields);
    },
  );

  it.each(['SHAR', 'SLEV'])('charges %s are shared', async (charges) => {
    const { rows, findings } = await read(message({}, { charges: `<ChrgBr>${charges}</ChrgBr>` }));
    expect(findings).toEqual([]);
    expect(rows[0]?.instruction.charge_type).toBe('SHA');
  });
});
