import { describe, expect, it } from 'vitest';
import { withinRows } from '../../../src/files/input.ts';
import { PayeeDirectory } from '../../../src/files/messages/payee-directory.ts';
import { readPain001 } from '../../../src/files/pain001/read-pain001.ts';
import { collected } from '../collected.ts';
import { ADDRESS, contextOf, DEBTOR, mapping, NAMESPACES, pain001, read } from './sample-message.ts';

const PAYMENT = '/Document/CstmrCdtTrfInitn/PmtInf[1]';
const TRANSACTION = `${PAYMENT}/CdtTrfTxInf[1]`;

describe.each([3, 100, 65536])('a message read in chunks of %i bytes', (chunkSize) => {
  it('gives a row for each transaction, and the ids as they were written', async () => {
    const content = pain001({
      header: { id: ' MSG &amp; 1 ', sum: '<CtrlSum>13.5</CtrlSum>' },
      payments: [
        { id: 'A', totals: '<NbOfTxs>1</NbOfTxs><CtrlSum>10</CtrlSum>' },
        {
          id: 'B',
          transactions: [
            {
              ids: '<InstrId> I 2</InstrId><EndToEndId>  E 2 </EndToEndId><UETR>8f7d0f3e-2d0b-4b9c-9f55-3f1f6c1d2e00</UETR>',
              amount: '<InstdAmt Ccy="EUR"> 3.50</InstdAmt>',
              rest: '<RmtInf><Ustrd>first</Ustrd><Ustrd>second</Ustrd></RmtInf>',
            },
          ],
        },
      ],
    });
    const { rows, columns, findings, messages } = await read(content, contextOf(), chunkSize);
    expect(findings).toEqual([]);
    expect(messages.at(-1)).toEqual({
      format: 'pain.001.001.09',
      messageId: ' MSG & 1 ',
      createdAt: '2026-03-01T09:00:00',
      transactions: '2',
      controlSum: '13.5',
      payments: [
        { paymentId: 'A', account: DEBTOR, transactions: '1', controlSum: '10' },
        { paymentId: 'B', account: DEBTOR },
      ],
    });
    expect(rows.map(({ row, line, path }) => [row, line, path])).toEqual([
      [1, 6, TRANSACTION],
      [2, 12, '/Document/CstmrCdtTrfInitn/PmtInf[2]/CdtTrfTxInf[1]'],
    ]);
    const [, second] = rows;
    expect(second?.instruction).toEqual({
      id: 'E 2',
      uid: 'u-1002',
      account_id: 'acc-u1002-eur',
      amount: '3.50',
      currency: 'EUR',
      beneficiary_type: 'business',
      payment_type: 'swift',
      account_name: 'Sample Metals',
      company_name: 'Sample Metals',
      region_country: 'FR',
      swift_code: 'SAMPFRPP',
      iban_no: 'FR25SAMPLE0000004714',
      address_country: 'FR',
      address_state: 'Sample Region',
      address_city: 'Sample Ville',
      address_address1: 'Sample Rue 4',
      address_postcode: '75001',
      note: 'first second',
      execute_on: '2026-03-31',
    });
    expect(second?.original).toEqual({
      payment: 1,
      instructionId: ' I 2',
      endToEndId: '  E 2 ',
      uetr: '8f7d0f3e-2d0b-4b9c-9f55-3f1f6c1d2e00',
      amount: ' 3.50',
      currency: 'EUR',
      requestedExecution: '2026-03-31',
    });
    // Spare fields are no columns: no bank has to know them.
    expect(columns.map(({ name, row }) => [name, row])).toEqual([
      ...['id', 'uid', 'account_id', 'amount', 'currency', 'beneficiary_type', 'payment_type', 'execute_on'].map(
        (name) => [name, 1],
      ),
      ['note', 2],
    ]);
    expect(second?.spare).toContain('swift_code');
  });
});

describe('the two versions', () => {
  it('give the same payout for the same transaction', async () => {
    const [old] = (await read(pain001({ version: '03' }))).rows;
    const [young] = (await read(pain001({ version: '09' }))).rows;
    expect(old?.instruction).toEqual(young?.instruction);
    expect(old?.original).toEqual(young?.original);
  });

  it('have a date, or a date with a time: the day it names', async () => {
    const dates = ['<DtTm>2026-04-01T23:30:00-08:00</DtTm>', '<Dt>2026-04-01+02:00</Dt>'];
    const rows = await Promise.all(dates.map(async (date) => (await read(pain001({ payments: [{ date }] }))).rows[0]));
    expect(rows.map((row) => row?.instruction.execute_on)).toEqual(['2026-04-01', '2026-04-01']);
  });

  it('do not mix: an element of .09 in .03 is a finding of the file', async () => {
    const content = pain001({ version: '03', payments: [{ date: '<Dt>2026-03-31</Dt>' }] });
    const { findings } = await read(content);
    expect(findings.every(({ row }) => row === null)).toBe(true);
    expect(findings).toMatchObject([
      { rule: 'unexpected-element', path: `${PAYMENT}/ReqdExctnDt/Dt` },
      { rule: 'bad-value' },
    ]);
  });
});

describe('what the message itself gets wrong is a finding of the file', () => {
  it.each<[string, string, object]>([
    [
      'a message id of 36 characters',
      pain001({ header: { id: 'M'.repeat(35).concat('1') } }),
      {
        rule: 'too-long',
        column: 'MsgId',
        line: 3,
        path: '/Document/CstmrCdtTrfInitn/GrpHdr/MsgId',
        value: '***MMM1',
        message: '36 characters where 35 are allowed',
      },
    ],
    ['a wrong count', pain001({ header: { count: '2' } }), { rule: 'wrong-transaction-count', value: '2', line: 3 }],
    [
      'a wrong sum',
      pain001({ header: { sum: '<CtrlSum>10.01</CtrlSum>' } }),
      { rule: 'wrong-control-sum', value: '10.01', message: expect.stringContaining('the sum of the amounts, 10;') },
    ],
    [
      'a wrong count of a payment block',
      pain001({ payments: [{ totals: '<NbOfTxs>0</NbOfTxs>' }] }),
      { rule: 'wrong-transaction-count', path: `${PAYMENT}/NbOfTxs` },
    ],
    [
      'a wrong sum of a payment block',
      pain001({ payments: [{ totals: '<CtrlSum>9.99999999999999999</CtrlSum>' }] }),
      { rule: 'wrong-control-sum', path: `${PAYMENT}/CtrlSum` },
    ],
    [
      'a payment id twice',
      pain001({ payments: [{ id: 'A' }, { id: 'A' }] }),
      { rule: 'duplicate-payment-id', column: 'PmtInfId', path: '/Document/CstmrCdtTrfInitn/PmtInf[2]/PmtInfId' },
    ],
  ])('%s', async (_, content, finding) => {
    const { findings } = await read(content);
    expect(findings).toMatchObject([{ row: null, ...finding }]);
  });

  it('an IBAN that is none is masked, and its transaction is no row', async () => {
    const account = '<CdtrAcct><Id><IBAN>FR00-SAMPLE-4714</IBAN></Id></CdtrAcct>';
    const { rows, findings } = await read(pain001({ payments: [{ transactions: [{}, { account }] }] }));
    expect(rows.map(({ row }) => row)).toEqual([1]);
    expect(findings).toMatchObject([{ rule: 'bad-value', column: 'IBAN', value: '***4714', row: null }]);
  });

  it.each<[string, object, string]>([
    ['an unknown method', { method: 'TRX' }, 'PmtMtd'],
    ['no account', { account: '<Id/>' }, 'Id'],
    ['unknown charges', { charges: '<ChrgBr>ALL</ChrgBr>' }, 'ChrgBr'],
  ])('%s of a payment block is reported once, with any transactions', async (_, payment, column) => {
    const { rows, findings } = await read(pain001({ payments: [{ ...payment, transactions: [{}, {}] }, {}] }));
    expect(findings).toMatchObject([{ row: null, column }]);
    expect(rows.map(({ row }) => row)).toEqual([3]);
  });

  it('an amount that is none is reported, and a count that is none is compared with nothing', async () => {
    const amount = '<InstdAmt Ccy="EUR">ten</InstdAmt>';
    const { findings } = await read(pain001({ header: { count: 'one' }, payments: [{ transactions: [{ amount }] }] }));
    expect(findings.map(({ rule, column }) => [rule, column])).toEqual([
      ['bad-value', 'NbOfTxs'],
      ['bad-value', 'InstdAmt'],
    ]);
  });

  it('sums are exact over currencies and many decimals', async () => {
    const amounts = ['EUR">0.1', 'EUR">0.2', 'JPY">1000000000000', 'KWD">0.00001'];
    const transactions = amounts.map((amount) => ({ amount: `<InstdAmt Ccy="${amount}</InstdAmt>` }));
    const sum = '<CtrlSum>1000000000000.30001</CtrlSum>';
    const { findings } = await read(pain001({ header: { sum }, payments: [{ transactions }] }));
    expect(findings.filter(({ row }) => row === null)).toEqual([]);
  });
});

describe('a file that cannot be read to its end', () => {
  it('keeps what was read, and says that the rest was not', async () => {
    const content = pain001({ payments: [{ transactions: [{}, {}] }] });
    const { rows, findings, messages } = await read(content.slice(0, content.lastIndexOf('<Amt>')));
    expect(rows).toHaveLength(1);
    expect(findings).toMatchObject([{ rule: 'not-well-formed', row: null, line: 10 }]);
    expect(messages.at(-1)).toMatchObject({ messageId: 'MSG-1', payments: [{ paymentId: 'PAY-1' }] });
  });

  it('UTF-16 bytes under a declaration of UTF-8', async () => {
    const { rows, findings } = await read(Buffer.from(`\ufeff${pain001()}`, 'utf16le'));
    expect(rows).toEqual([]);
    expect(findings).toMatchObject([{ rule: 'bad-encoding', line: 1, row: null }]);
  });

  it('an entity bomb', async () => {
    const bomb = '<!DOCTYPE Document [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>';
    const content = pain001({ header: { id: '&b;' } }).replace('?>', `?>${bomb}`);
    const { findings, messages } = await read(content);
    expect(findings).toMatchObject([{ rule: 'doctype-refused', row: null }]);
    expect(messages).toEqual([]);
  });

  it('a transaction larger than a record may be', async () => {
    const creditor = `<Cdtr><Nm>Sample</Nm>${ADDRESS}</Cdtr><!--${'x'.repeat(70_000)}-->`;
    const { findings } = await read(pain001({ payments: [{ transactions: [{ creditor }] }] }));
    expect(findings).toMatchObject([{ rule: 'record-too-large', row: null }]);
  });

  it('more transactions than are read', async () => {
    const one =
      '<CdtTrfTxInf><PmtId><EndToEndId>E</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">1</InstdAmt></Amt></CdtTrfTxInf>';
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(pain001().split('<CdtTrfTxInf>')[0] ?? '');
      for (;;) yield Buffer.from(one.repeat(500));
    }
    const { rows, findings } = await collected((sink) =>
      readPain001(endless(), withinRows('f.xml', sink, 20), contextOf()),
    );
    expect(rows.map(({ row }) => row).at(-1)).toBe(20);
    expect(findings.at(-1)).toMatchObject({ rule: 'too-many-rows', row: null });
  });
});

describe('the document id', () => {
  const ids = (endToEnd: string, instruction = '<InstrId>I/1</InstrId>') =>
    `${instruction}<EndToEndId>${endToEnd}</EndToEndId>`;
  it.each([
    ['end-to-end-id', ids('2026/0042'), '2026|0042'],
    ['end-to-end-id', ids('NOTPROVIDED'), 'I|1'],
    ['end-to-end-id', ids('NOTPROVIDED', ''), 'MSG-1.PAY-1.1'],
    ['instruction-id', ids('E'), 'I|1'],
    ['instruction-id', ids('E', ''), 'MSG-1.PAY-1.1'],
    ['position', ids('E'), 'MSG-1.PAY-1.1'],
  ] as const)('by %s: %s is %s', async (identity, written, id) => {
    const content = pain001({ payments: [{ transactions: [{ ids: written }] }] });
    const [row] = (await read(content, contextOf({ mapping: mapping({ identity }) }))).rows;
    expect(row?.instruction.id).toBe(id);
    expect(row?.original?.endToEndId).toBe(/<EndToEndId>(.*)<\/EndToEndId>/.exec(written)?.[1]);
  });

  it('an end-to-end id twice is left to the rules of all files', async () => {
    const { rows, findings } = await read(pain001({ payments: [{ transactions: [{}, {}] }] }));
    expect(findings).toEqual([]);
    expect(rows.map(({ instruction }) => instruction.id)).toEqual(['INV-1', 'INV-1']);
  });

  it('positions count anew in each payment block', async () => {
    const payments = [{ transactions: [{}, {}] }, { transactions: [{}] }];
    const { rows } = await read(pain001({ payments }), contextOf({ mapping: mapping({ identity: 'position' }) }));
    expect(rows.map(({ instruction }) => instruction.id)).toEqual(['MSG-1.PAY-1.1', 'MSG-1.PAY-1.2', 'MSG-1.PAY-2.1']);
  });
});

it('no finding shows an account number or a name', async () => {
  const content = pain001({
    namespace: NAMESPACES['03'],
    payments: [{ account: '<Id><IBAN>GB00CANARY98765432</IBAN></Id>', charges: '<ChrgBr>DEBT</ChrgBr>' }],
  }).replaceAll('Sample Metals', `Canary Person${'x'.repeat(140)}`);
  const { findings } = await read(content);
  expect(findings.length).toBeGreaterThan(1);
  expect(JSON.stringify(findings)).not.toMatch(/CANARY98|Canary|SAMPLE0000004714/);
});

it('parts without a field at the bank are a warning, and the purpose is the reason', async () => {
  const rest =
    '<UltmtCdtr><Nm>Sample</Nm></UltmtCdtr><Purp><Cd>SALA</Cd></Purp><RgltryRptg><Dtls><Cd>A</Cd></Dtls></RgltryRptg>';
  const { rows, findings, warnings } = await read(pain001({ payments: [{ transactions: [{ rest }, {}] }] }));
  expect(findings).toEqual([]);
  expect(rows.map(({ instruction }) => instruction.reason)).toEqual(['SALA', undefined]);
  const place = { rule: 'not-carried', row: 1, path: expect.stringContaining('CdtTrfTxInf[1]') };
  expect(warnings).toMatchObject([place, place]);
  expect(warnings.map(({ message }) => /for (.*); the payment/.exec(message)?.[1])).toEqual([
    'UltmtCdtr',
    'RgltryRptg',
  ]);
});

it('documents beside a text, and what structured remittance says of them, are a warning', async () => {
  const remittance = (...parts: string[]) => ({ rest: `<RmtInf>${parts.join('')}</RmtInf>` });
  const invoice = '<Strd><RfrdDocInf><Nb>INV-9</Nb></RfrdDocInf></Strd>';
  const amount = '<Strd><RfrdDocAmt><RmtdAmt Ccy="EUR">10.00</RmtdAmt></RfrdDocAmt></Strd>';
  const transactions = [remittance(invoice), remittance('<Ustrd>Thanks</Ustrd>', invoice), remittance(amount)];
  const { rows, warnings } = await read(pain001({ payments: [{ transactions }] }));
  expect(rows.map(({ instruction }) => instruction.note)).toEqual(['INV-9', 'Thanks', undefined]);
  expect(warnings.map(({ row, message }) => [row, /for (.*); the payment/.exec(message)?.[1]])).toEqual([
    [2, 'RmtInf/Strd/RfrdDocInf'],
    [3, 'RmtInf/Strd/RfrdDocAmt'],
  ]);
});

it('where a payee asks for its advice by e-mail is kept, with what the payment settles', async () => {
  const related = (method: string, address: string) =>
    `<RltdRmtInf><RmtLctnDtls><Mtd>${method}</Mtd><ElctrncAdr>${address}</ElctrncAdr></RmtLctnDtls></RltdRmtInf>`;
  const document = (number: string, amount = '') =>
    `<Strd><RfrdDocInf><Nb>${number}</Nb><RltdDt>2026-03-01</RltdDt></RfrdDocInf>${amount && `<RfrdDocAmt><RmtdAmt Ccy="EUR">${amount}</RmtdAmt></RfrdDocAmt>`}</Strd>`;
  const creditor = '<Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd>';
  const transactions = [
    {
      rest: `${related('EMAL', 'ap@supplier.example')}<RmtInf>${document('INV-1', '10.00')}${document('INV-2', '2.50')}</RmtInf>`,
    },
    {
      rest: `${related('URID', 'https://user@supplier.example')}<RmtInf>${document('INV-3', '1.00')}${document('INV-4')}${creditor}</RmtInf>`,
    },
    {},
  ];
  const { rows, findings, warnings } = await read(pain001({ payments: [{ transactions }] }));
  expect(findings).toEqual([]);
  expect(rows.map(({ instruction }) => instruction.advice_to)).toEqual(['ap@supplier.example', undefined, undefined]);
  const dated = { date: '2026-03-01' };
  expect(rows.map(({ original }) => original?.settles)).toEqual([
    {
      references: [],
      documents: [
        { number: 'INV-1', ...dated, amount: '10.00 EUR' },
        { number: 'INV-2', ...dated, amount: '2.50 EUR' },
      ],
    },
    {
      references: ['RF18539007547034'],
      documents: [
        { number: 'INV-3', ...dated },
        { number: 'INV-4', ...dated },
      ],
    },
    undefined,
  ]);
  expect(warnings.filter(({ message }) => message.includes('RltdRmtInf')).map(({ row }) => row)).toEqual([2]);
});

it('what asks the bank to book in another way is a warning, whether it is in the transaction or in its block', async () => {
  const type = '<PmtTpInf><InstrPrty>HIGH</InstrPrty><CtgyPurp><Cd>SALA</Cd></CtgyPurp></PmtTpInf>';
  const normal = '<PmtTpInf><InstrPrty>NORM</InstrPrty></PmtTpInf>';
  const { warnings } = await read(
    pain001({ payments: [{ type, transactions: [{}] }, { transactions: [{ type }, { type: normal }] }] }),
  );
  expect(warnings.map(({ row, message }) => [row, /for (.*); the payment/.exec(message)?.[1]])).toEqual([
    [1, 'InstrPrty HIGH'],
    [1, 'CtgyPurp SALA, which asks for a confidential salary payment'],
    [2, 'InstrPrty HIGH'],
    [2, 'CtgyPurp SALA, which asks for a confidential salary payment'],
  ]);
});

it("what the bank would read otherwise is a warning: a giro's number, an urgent level, a rate, a box beside a street, a time", async () => {
  const scheme = (name: string) => ({
    account: `<CdtrAcct><Id><Othr><Id>50501055</Id><SchmeNm>${name}</SchmeNm></Othr></Id></CdtrAcct>`,
  });
  const level = (code: string) => ({ type: `<PmtTpInf><SvcLvl><Cd>${code}</Cd></SvcLvl></PmtTpInf>` });
  const town = (parts: string) => ({
    creditor: `<Cdtr><Nm>Sample</Nm><PstlAdr>${parts}<TwnNm>Town</TwnNm><Ctry>FR</Ctry></PstlAdr></Cdtr>`,
  });
  const transactions = [
    scheme('<Prtry>BGNR</Prtry>'),
    scheme('<Cd>BBAN</Cd>'),
    level('URGP'),
    level('NURG'),
    level('SDVA'),
    { terms: '<XchgRateInf><XchgRate>1.1</XchgRate><RateTp>SPOT</RateTp></XchgRateInf>' },
    town('<StrtNm>Rue</StrtNm><BldgNb>4</BldgNb><PstBx>471</PstBx>'),
    town('<BldgNb>4</BldgNb>'),
  ];
  const context = contextOf({ mapping: mapping({ paymentTypes: [{ serviceLevel: 'SDVA', paymentType: 'swift' }] }) });
  const timed = { date: '<DtTm>2026-03-31T16:00:00</DtTm>' };
  const { findings, warnings } = await read(pain001({ payments: [{ transactions }, timed] }), context);
  expect(findings).toEqual([]);
  expect(warnings.map(({ row, message }) => [row, /for (.*); the payment/.exec(message)?.[1]])).toEqual([
    [1, 'CdtrAcct/Id/Othr/SchmeNm'],
    [3, 'SvcLvl URGP, which asks for an urgent payment'],
    [6, 'XchgRateInf'],
    [7, 'Cdtr/PstlAdr/PstBx'],
    [8, 'Cdtr/PstlAdr/BldgNb'],
    [9, 'ReqdExctnDt/DtTm'],
  ]);
});

it('what the message says of a payee that the directory names by an id is not missed', async () => {
  const payees = new PayeeDirectory();
  payees.add('50501055', { conditions: {}, fields: { beneficiary_id: 'ben-1' } });
  const account = '<CdtrAcct><Id><Othr><Id>50501055</Id><SchmeNm><Prtry>BGNR</Prtry></SchmeNm></Othr></Id></CdtrAcct>';
  const rest = '<UltmtCdtr><Nm>Sample</Nm></UltmtCdtr>';
  const content = pain001({ payments: [{ transactions: [{ account }, { account, rest }] }] });
  const { warnings } = await read(content, contextOf({ payees }));
  expect(warnings.map(({ row, message }) => [row, /for (.*); the payment/.exec(message)?.[1]])).toEqual([
    [2, 'UltmtCdtr'],
  ]);
});

it.each([
  ['<Cd>ILEV</Cd>', ["the bank's API has no field for Authstn; the payment is made without it"]],
  ['<Cd>AUTH</Cd>', []],
])(
  'an approval that the bank is asked to wait for is a warning about the file: %s',
  async (authorisation, messages) => {
    const content = pain001().replace('<NbOfTxs>', `<Authstn>${authorisation}</Authstn><NbOfTxs>`);
    const { findings, warnings } = await read(content);
    expect(findings).toEqual([]);
    expect(warnings.map(({ message }) => message)).toEqual(messages);
    for (const warning of warnings)
      expect(warning).toMatchObject({ row: null, path: expect.stringMatching(/Authstn/) });
  },
);

it('a transaction has the service level of its block unless it has one of its own', async () => {
  const level = (code: string) => `<PmtTpInf><SvcLvl><Cd>${code}</Cd></SvcLvl></PmtTpInf>`;
  const purpose = '<PmtTpInf><CtgyPurp><Cd>SALA</Cd></CtgyPurp></PmtTpInf>';
  const both = '<PmtTpInf><SvcLvl><Cd>G001</Cd></SvcLvl><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>';
  const transactions = [{}, { type: purpose }, { type: level('URGP') }, { type: both }];
  const { rows } = await read(pain001({ payments: [{ type: level('SEPA'), transactions }] }));
  expect(rows.map(({ instruction }) => instruction.payment_type)).toEqual(['local', 'local', 'swift', 'local']);
});

it('a post office box is the street where there is none; a floor has no field', async () => {
  const creditorAt = (street: string) =>
    `<Cdtr><Nm>Sample</Nm><PstlAdr>${street}<TwnNm>Town</TwnNm><Ctry>FR</Ctry></PstlAdr></Cdtr>`;
  const transactions = [
    { creditor: creditorAt('<PstBx>471</PstBx>') },
    { creditor: creditorAt('<StrtNm>Rue</StrtNm><Flr>3</Flr><PstBx>471</PstBx>') },
  ];
  const { rows, warnings } = await read(pain001({ payments: [{ transactions }] }));
  expect(rows.map(({ instruction }) => instruction.address_address1)).toEqual(['PO Box 471', 'Rue']);
  expect(warnings.map(({ row, message }) => [row, /for (.*); the payment/.exec(message)?.[1]])).toEqual([
    [2, 'Cdtr/PstlAdr/Flr'],
    [2, 'Cdtr/PstlAdr/PstBx'],
  ]);
});

const INSTANT = '<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm></PmtTpInf>';
const missedIn = (warnings: readonly { row: number | null; message: string }[]) =>
  warnings.map(({ row, message }) => [row, /for (.*); the payment/.exec(message)?.[1]]);

it('an instant transfer that becomes an ordinary one is a warning, asked for in the block or in the transaction', async () => {
  const content = pain001({ payments: [{ type: INSTANT, transactions: [{}] }, { transactions: [{ type: INSTANT }] }] });
  const { warnings } = await read(content);
  expect(missedIn(warnings)).toEqual([
    [1, 'LclInstrm INST, which asks for an instant transfer'],
    [2, 'LclInstrm INST, which asks for an instant transfer'],
  ]);
});

it('a rule of the mapping file carries it, if it is the one that is applied', async () => {
  const content = pain001({ payments: [{ type: INSTANT, transactions: [{}] }] });
  const instant = { localInstrument: 'INST', paymentType: 'instant' };
  const carried = await read(content, contextOf({ mapping: mapping({ paymentTypes: [instant] }) }));
  expect([carried.rows[0]?.instruction.payment_type, carried.warnings]).toEqual(['instant', []]);
  const first = { serviceLevel: 'SEPA', paymentType: 'local' };
  const { warnings } = await read(content, contextOf({ mapping: mapping({ paymentTypes: [first, instant] }) }));
  expect(missedIn(warnings)).toEqual([[1, 'LclInstrm INST, which asks for an instant transfer']]);
});

it('one booking for the block, and what is sent beside the message, are warnings', async () => {
  const supplement = '<SplmtryData><Envlp><Other/></Envlp></SplmtryData>';
  const content = pain001({ payments: [{ transactions: [{ rest: supplement }] }] })
    .replace('</PmtMtd>', '</PmtMtd><BtchBookg>true</BtchBookg>')
    .replace('</CstmrCdtTrfInitn>', `${supplement}</CstmrCdtTrfInitn>`);
  const { findings, warnings } = await read(content);
  expect(findings).toEqual([]);
  expect(missedIn(warnings)).toEqual([
    [1, 'SplmtryData'],
    [1, 'BtchBookg true, which asks for one booking of the whole block'],
    [null, 'SplmtryData'],
  ]);
});

it('an entry class is an ordinary transfer', async () => {
  const type = '<PmtTpInf><LclInstrm><Cd>CCD</Cd></LclInstrm></PmtTpInf>';
  expect((await read(pain001({ payments: [{ type, transactions: [{}] }] }))).warnings).toEqual([]);
});
