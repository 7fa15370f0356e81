import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EntryDetail, StatementEntry } from '../../../src/domain/statements/statement.ts';
import { isStatementFile, readStatementFile } from '../../../src/files/statements/read-statement.ts';
import { StatementSummary } from '../../../src/files/statements/statement-sink.ts';
import { newFolder } from '../../support/new-folder.ts';

function fileOf(content: string | Uint8Array): string {
  const folder = newFolder();
  const file = join(folder, 'statement');
  writeFileSync(file, content);
  return file;
}

/** What is read of a file: its statements, and all entries and details. */
async function read(content: string | Uint8Array) {
  const summary = new StatementSummary();
  const entries: StatementEntry[] = [];
  const details: EntryDetail[] = [];
  const { entry, detail } = summary;
  summary.entry = (it) => {
    entries.push(it);
    entry.call(summary, it);
  };
  summary.detail = (position, it) => {
    details.push(it);
    detail.call(summary, position, it);
  };
  await readStatementFile(fileOf(content), summary);
  const rules = summary.statements.map(({ findings }) => findings.map(({ rule }) => rule));
  return { statements: summary.statements, entries, details, rules };
}

const amount = (value: string, sign = 'DBIT', currency = 'EUR') =>
  `<Amt Ccy="${currency}">${value}</Amt><CdtDbtInd>${sign}</CdtDbtInd>`;
const balance = (code: string, value: string, on = '2026-03-02') =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amount(value, 'CRDT')}<Dt><Dt>${on}</Dt></Dt></Bal>`;
const code = '<BkTxCd><Prtry><Cd>NTRF</Cd></Prtry></BkTxCd>';
const booked = (version: string) =>
  `${version < '07' ? '<Sts>BOOK</Sts>' : '<Sts><Cd>BOOK</Cd></Sts>'}<BookgDt><Dt>2026-03-02</Dt></BookgDt>`;

function camt(body: string, version = '08', [message, part] = ['BkToCstmrStmt', 'Stmt'], name = 'camt.053'): string {
  const head = '<GrpHdr><MsgId>m</MsgId><CreDtTm>2026-03-02T00:00:00</CreDtTm></GrpHdr>';
  const account = '<Acct><Id><IBAN>DE02100100100006820101</IBAN></Id><Ccy>EUR</Ccy></Acct>';
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${name}.001.${version}"><${message}>${head}<${part}><Id>7</Id><CreDtTm>2026-03-02T00:00:00</CreDtTm>${account}${body}</${part}></${message}></Document>`;
}

describe('camt.053', () => {
  const VERSIONS = ['02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '13', '14'];

  it.each(VERSIONS)('.%s is read, and its balances are checked', async (version) => {
    const entry = `<Ntry>${amount('10.50')}${booked(version)}<AcctSvcrRef>B1</AcctSvcrRef>${code}</Ntry>`;
    const right = balance('OPBD', '100') + balance('CLBD', '89.5') + entry;
    const { statements, entries, rules } = await read(camt(right, version));
    expect(rules).toEqual([[]]);
    expect(statements[0]?.head).toMatchObject({ kind: 'statement', format: `camt.053.001.${version}`, number: '7' });
    expect(statements[0]?.head).toMatchObject({ from: '2026-03-02', to: '2026-03-02', currency: 'EUR' });
    expect(entries).toMatchObject([{ minor: 1_050n, direction: 'debit', bankReference: 'B1', bookedOn: '2026-03-02' }]);
    const wrong = right.replace('89.5', '89.51');
    expect((await read(camt(wrong, version))).rules).toEqual([['balances-differ']]);
  });

  it('says the place of what it lacks', async () => {
    const { statements, rules } = await read(camt(`${balance('CLBD', '1')}<Ntry>${amount('1')}</Ntry>`));
    expect(rules[0]).toContain('missing-element');
    expect(statements[0]?.findings[0]?.path).toBe('/Document/BkToCstmrStmt/Stmt[1]/Ntry[1]');
  });

  it('opens a page in between with its first interim balance', async () => {
    expect((await read(camt(balance('ITBD', '5') + balance('ITBD', '5')))).rules).toEqual([[]]);
    expect((await read(camt(balance('ITBD', '5') + balance('ITBD', '6')))).rules).toEqual([['balances-differ']]);
  });

  it('does not add up what is only expected', async () => {
    const pending = `<Ntry>${amount('3')}<Sts><Cd>PDNG</Cd></Sts><BookgDt><Dt>2026-03-02</Dt></BookgDt>${code}</Ntry>`;
    const { rules, entries } = await read(camt(balance('OPBD', '5') + balance('CLBD', '5') + pending));
    expect(rules).toEqual([[]]);
    expect(entries).toMatchObject([{ isPending: true }]);
  });

  it('has the ids, reason and charges of each payment of a collective booking', async () => {
    const one = (id: string, more = '') =>
      `<TxDtls><Refs><EndToEndId>${id}</EndToEndId><UETR>eb6305c9-1f7f-49de-aed0-16487c27b42d</UETR></Refs>${amount('5')}<Chrgs><Rcrd>${amount('0.2')}</Rcrd></Chrgs><RltdPties><CdtrAcct><Id><IBAN>GB33BUKB20201555555555</IBAN></Id></CdtrAcct></RltdPties>${more}</TxDtls>`;
    const reason = '<RtrInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>closed</AddtlInf></RtrInf>';
    const batch = '<Btch><MsgId>M1</MsgId><PmtInfId>P1</PmtInfId><NbOfTxs>2</NbOfTxs></Btch>';
    const entry = `<Ntry>${amount('10')}${booked('08')}${code}<NtryDtls>${batch}${one('NOTPROVIDED')}${one('E2', reason)}</NtryDtls></Ntry>`;
    const { entries, details } = await read(camt(balance('OPBD', '10') + balance('CLBD', '0') + entry));
    expect(entries).toMatchObject([{ batch: { messageId: 'M1', paymentId: 'P1', count: 2 }, details: 2 }]);
    const uetr = 'eb6305c9-1f7f-49de-aed0-16487c27b42d';
    expect(details.map(({ references }) => references)).toEqual([[uetr], ['E2', uetr]]);
    expect(details[1]).toMatchObject({ part: 2, minor: 500n, chargesMinor: 20n });
    expect(details[1]).toMatchObject({
      returnReason: { code: 'AC04', text: 'closed' },
      counterparty: 'GB33BUKB20201555555555',
    });
  });

  it('is read with ids in any order, elements that its version does not have, and times in any form', async () => {
    const refs = '<Refs><EndToEndId>E1</EndToEndId><MsgId>M2</MsgId><Odd>1</Odd></Refs>';
    const detail = `<TxDtls><AddtlTxInf>text</AddtlTxInf>${refs}${amount('5')}</TxDtls>`;
    const batch = '<Btch><PmtInfId>P1</PmtInfId><MsgId>M1</MsgId></Btch>';
    const entry = `<Ntry>${amount('10')}${booked('02')}${code}<NtryDtls>${batch}${detail}${detail}</NtryDtls></Ntry>`;
    const content = camt(balance('OPBD', '10') + balance('CLBD', '0') + entry, '02').replace(
      '<Acct>',
      '<FrToDt><FrDtTm>2026-03-02T00:00:00:000</FrDtTm><ToDtTm>2026-03-02</ToDtTm></FrToDt><Acct>',
    );
    const { entries, details, rules } = await read(content);
    expect(rules).toEqual([[]]);
    expect(entries).toMatchObject([{ batch: { messageId: 'M1', paymentId: 'P1' } }]);
    expect(details).toMatchObject([1, 2].map(() => ({ minor: 500n, references: ['E1', 'M2'], text: 'text' })));
    const wrong = await read(content.replace('2026-03-02T00:00:00:000', '2026-02-30'));
    expect(wrong.rules).toEqual([['bad-value']]);
  });

  it.each(['01', '15'])('.%s is refused with the versions that are read', async (version) => {
    const reading = read(camt(balance('CLBD', '1'), version));
    await expect(reading).rejects.toMatchObject({ finding: { rule: 'unsupported-version' } });
  });
});

it.each([
  ['camt.052', ['BkToCstmrAcctRpt', 'Rpt'], 'report'],
  ['camt.054', ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'], 'notification'],
] as const)('%s needs no balances', async (name, [message, part], kind) => {
  const entry = `<Ntry>${amount('1')}${booked('08')}${code}</Ntry>`;
  const { statements, rules } = await read(camt(entry, '08', [message, part], name));
  expect(rules).toEqual([[]]);
  expect(statements[0]?.head).toMatchObject({ kind, from: '2026-03-02', to: '2026-03-02' });
});

const mt = (...lines: string[]): string =>
  [':20:S', ':25:10010010/6820101EUR', ':28C:5/1', ':60F:C260302EUR100,00', ...lines].join('\r\n');

it('is read in the envelope of a network, behind a long header', async () => {
  const header = `<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><BizMsgIdr>${'x'.repeat(3_000)}</BizMsgIdr></AppHdr>`;
  const content = camt(balance('OPBD', '5') + balance('CLBD', '5'));
  const { statements, rules } = await read(`<Envelope>${header}${content}</Envelope>`);
  expect([statements.length, rules]).toEqual([1, [[]]]);
});

describe('camt.054', () => {
  const NOTIFICATION: [string, string] = ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'];
  const withoutDay = `<Ntry>${amount('3')}<Sts><Cd>BOOK</Cd></Sts></Ntry>`;

  it('without a day of the booking has that of the notification, else of the message', async () => {
    const content = camt(withoutDay, '08', NOTIFICATION, 'camt.054');
    for (const text of [content, content.replace('<Id>7</Id><CreDtTm>2026-03-02T00:00:00</CreDtTm>', '<Id>7</Id>')]) {
      const { entries, rules } = await read(text);
      expect([entries.map(({ bookedOn }) => bookedOn), rules]).toEqual([['2026-03-02'], [[]]]);
    }
  });

  it('a statement must say the day', async () => {
    const { entries, rules } = await read(camt(balance('OPBD', '3') + balance('CLBD', '0') + withoutDay));
    expect(entries).toEqual([]);
    expect(rules[0]).toContain('missing-element');
  });
});

describe('MT940', () => {
  it.each([
    ['with a day of booking', '2603020302D10,50NTRFref//B1', { minor: 1_050n, direction: 'debit', isReversal: false }],
    ['without one', '260302C1,NMSCNONREF', { minor: 100n, direction: 'credit', references: [] }],
    ['with a letter of the currency', '2603020302CR,05NTRFref', { minor: 5n, direction: 'credit' }],
    ['that undoes a debit', '2603020302RD10,NTRFref', { direction: 'credit', isReversal: true }],
    ['that undoes a credit', '2603020302RC10,NTRFref', { direction: 'debit', isReversal: true }],
    ['with blanks for the day', '260302    D10,NTRFref', { direction: 'debit', bookedOn: '2026-03-02' }],
    ['around New Year', '2512311231D1,NTRFref', { bookedOn: '2025-12-31' }],
    ['booked in the new year', '2512310102D1,NTRFref', { bookedOn: '2026-01-02', valueOn: '2025-12-31' }],
    ['of 30 February, as banks count interest', '260230D1,NTRFref', { valueOn: '2026-02-28' }],
  ])('has a line %s', async (_what, line, facts) => {
    const { entries } = await read(mt(`:61:${line}`));
    expect(entries).toMatchObject([facts]);
  });

  it.each([
    [
      'the German fields, in which a word continues',
      [
        '166?00TRANSFER?20EREF+8750230b-5a1c-5f50?21-83ca-3c817be9009a?22SVWZ+Rent Ma',
        'rch?31GB33BUKB20201555555555?32Payee',
      ],
      {
        references: ['8750230b-5a1c-5f50-83ca-3c817be9009a'],
        text: 'TRANSFER Rent March',
        counterparty: 'GB33BUKB20201555555555',
      },
    ],
    [
      'a return of a German bank',
      ['159?20EREF+E1?21SVWZ+AC04 gone'],
      { returnReason: { code: 'AC04' }, references: ['E1'] },
    ],
    ['a collective booking of a German bank', ['191?20KREF+M1?21SVWZ+file'], { batch: { messageId: 'M1' } }],
    [
      'the codes',
      ['/TRTP/SEPA/IBAN/NL91ABNA0417164300/EREF/E1/RE', 'MI//USTD//Rent/'],
      { references: ['E1'], counterparty: 'NL91ABNA0417164300' },
    ],
    ['a return in codes', ['/EREF/E1/RTRN/MS03/'], { returnReason: { code: 'MS03' }, references: ['E1'] }],
    ['a collective booking in codes', ['/PREF/P1/NRTX/12/'], { batch: { paymentId: 'P1', count: 12 } }],
    ['free text', ['Rent March', 'INV-4711'], { text: 'Rent March INV-4711', references: [] }],
  ])('reads %s', async (_what, lines, facts) => {
    const { entries } = await read(mt(':61:2603020302D1,NTRFNONREF', `:86:${lines.join('\r\n')}`));
    expect(entries).toMatchObject([facts]);
  });

  it('is read in the blocks of SWIFT, with several statements, and in Windows-1252', async () => {
    const one = `{1:F01BANKDEFFAXXX0000000000}{2:I940X}{4:\r\n${mt(':61:260302D1,NTRFNONREF', ':86:für Miete', ':62F:C260302EUR99,00')}\r\n-}`;
    const { statements, entries, rules } = await read(Buffer.from(`${one}\r\n${one}`, 'latin1'));
    expect(statements).toHaveLength(2);
    expect(rules).toEqual([[], []]);
    expect(entries[0]?.text).toBe('für Miete');
    expect(statements[0]?.digest).toBe(statements[1]?.digest);
    expect(statements[0]?.head).toMatchObject({ account: '10010010/6820101', currency: 'EUR', number: '5/1' });
  });

  it.each([
    ['does not add up', [':62F:C260302EUR99,00'], 'balances-differ'],
    ['is cut off', [], 'no-balance'],
    ['has a line that cannot be read', [':61:rubbish', ':62F:C260302EUR100,00'], 'bad-field'],
    ['has a balance in another currency', [':62F:C260302USD100,00'], 'bad-field'],
  ])('is refused if it %s', async (_what, lines, rule) => {
    expect((await read(mt(...lines))).rules[0]).toContain(rule);
  });
});

it('is a report without balances as MT942', async () => {
  const text = mt(':34F:EUR0,', ':13D:2603021200+0100', ':61:260302D1,NTRFNONREF').replace(/:60F:[^\r]*\r\n/, '');
  const { statements, rules } = await read(text);
  expect(statements[0]?.head).toMatchObject({ kind: 'report', format: 'MT942', to: '2026-03-02' });
  expect(rules).toEqual([[]]);
});

it('tells statements from files of payouts', async () => {
  expect(await isStatementFile(fileOf(mt()))).toBe(true);
  expect(await isStatementFile(fileOf(camt('')))).toBe(true);
  expect(await isStatementFile(fileOf('id,uid\nA,u'))).toBe(false);
  const pain = '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn/></Document>';
  expect(await isStatementFile(fileOf(pain))).toBe(false);
});
