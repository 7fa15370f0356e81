import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequiredDetailsEntry } from '../../../src/bank/schemas/beneficiaries.ts';
import { TEMPLATES, type TemplateKind } from '../../../src/cli/command.ts';
import { template } from '../../../src/cli/template-file.ts';
import { checkRows } from '../../../src/files/intake/check.ts';
import { readFile } from '../../../src/files/intake/read-input.ts';
import { samplePayee } from '../../../src/files/template/template.ts';
import { requiredDetails } from '../../../src/sandbox/bank/beneficiary-book.ts';
import { SEED_CURRENCIES } from '../../../src/sandbox/bank/open-books.ts';
import { DAYS } from '../../files/messages/transfers.ts';
import { pain001 } from '../../files/pain001/sample-message.ts';
import { type BankSession, openBankSession } from '../bank-session.ts';

let folder: string;
const sessions: Record<string, BankSession> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-template-'));
  sessions.sandbox = await openBankSession();
  sessions.remote = await openBankSession({ remote: true });
});
afterAll(async () => {
  for (const session of Object.values(sessions)) await session.close();
  rmSync(folder, { recursive: true });
});

const open = (bank: string): BankSession => sessions[bank] as BankSession;

async function written(bank: string, kind: TemplateKind, file: string, currency?: string): Promise<string> {
  const { session, printed } = open(bank);
  await template(session, kind, { currency });
  const path = join(folder, file);
  writeFileSync(path, printed.text);
  return path;
}

/** Reads a template as `run` would: its findings and what it would pay. */
async function checked(bank: string, path: string, files: { mapping?: string; payees?: string } = {}) {
  const { session, bank: at } = open(bank);
  const read = await readFile({ config: session.config, now: () => Date.parse(DAYS.today) }, path, files);
  if (read instanceof Error) throw read;
  await checkRows(at, read);
  const { staged, format } = read;
  try {
    return {
      format,
      findings: staged.findings.list(),
      rows: [...staged.claims()].sort((a, b) => a.row - b.row).map((it) => it.instruction),
    };
  } finally {
    staged[Symbol.dispose]();
  }
}

const offered = SEED_CURRENCIES.flatMap((currency) =>
  ['personal', 'business'].flatMap((type) =>
    requiredDetails(currency, type).map((entry) => `${currency} ${type} ${entry.payment_type}`),
  ),
);

describe.each(['sandbox', 'remote'])('with a bank that is %s', (bank) => {
  it.each(['csv', 'json'] as const)(
    '%s has one good row for each payment type of every currency held',
    async (kind) => {
      const { format, findings, rows } = await checked(bank, await written(bank, kind, `${bank}.${kind}`));
      expect(format).toBe(kind);
      expect(findings).toEqual([]);
      const [known, ...others] = rows;
      expect(known?.beneficiary_id).toBeDefined();
      expect(new Set(rows.map(({ currency, amount }) => `${amount} ${currency}`)).size).toBe(rows.length);
      expect(others.map((it) => `${it.currency} ${it.beneficiary_type} ${it.payment_type}`).sort()).toEqual(
        [...offered].sort(),
      );
    },
  );

  it.each(SEED_CURRENCIES)('pain.001, payees and mapping are good together in %s', async (currency) => {
    const path = await written(bank, 'pain.001', 'message.xml', currency);
    const payees = await written(bank, 'payees', 'payees.csv', currency);
    const mapping = await written(bank, 'mapping', 'mapping.json', currency);
    const { format, findings, rows } = await checked(bank, path, { mapping, payees });
    expect(format).toBe('pain.001');
    expect(findings).toEqual([]);
    expect(rows).toHaveLength(1 + requiredDetails(currency, 'personal').length);
    expect(new Set(rows.map((it) => it.currency))).toEqual(new Set([currency]));
  });
});

it('pays accounts of the sandbox, and none of a real bank', async () => {
  const { rows } = await checked('sandbox', await written('sandbox', 'csv', 'ids.csv', 'USD'));
  for (const { account_id } of rows) await open('sandbox').bank.accounts.get(account_id);
  await open('sandbox').bank.beneficiaries.get(rows[0]?.beneficiary_id ?? '');
  const remote = await checked('remote', await written('remote', 'csv', 'ids.csv', 'USD'));
  for (const { account_id } of remote.rows)
    await expect(open('remote').bank.accounts.get(account_id)).rejects.toThrow('2006');
});

it('is in one currency when asked for, and one document with --json', async () => {
  const { session, printed } = open('sandbox');
  await template(session, 'csv', { currency: 'AUD' });
  expect(printed.text).not.toContain('USD');
  expect(printed.document).toEqual({ template: 'csv', text: printed.text });
});

const TEXTS = TEMPLATES.filter((kind) => kind !== 'xlsx');

it.each(TEXTS)('%s ends with one line end and names nobody real', async (kind) => {
  const { session, printed } = open('sandbox');
  await template(session, kind, { currency: undefined });
  expect(printed.text).toMatch(/[^\n]\n$/);
  expect(printed.said).toEqual([]);
});

describe('made from a message', () => {
  const IBANS = ['FR25SAMPLE0000004714', 'FR95SAMPLE0000004715'];
  const transactions = [...IBANS, IBANS[0]].map((iban, index) => ({
    ids: `<EndToEndId>INV-${index}</EndToEndId>`,
    account: `<CdtrAcct><Id><IBAN>${iban}</IBAN></Id></CdtrAcct>`,
  }));
  const made = async (kind: TemplateKind, from: string, file: string): Promise<string> => {
    const { session, printed } = open('sandbox');
    await template(session, kind, { from });
    const path = join(folder, file);
    writeFileSync(path, printed.text);
    return path;
  };

  it('mapping and payees need no second round: what is asked for in one table is all that is asked for', async () => {
    const message = join(folder, 'own.xml');
    writeFileSync(message, pain001({ payments: [{ transactions }] }));
    const mapping = await made('mapping', message, 'own.json');
    const { session, printed } = open('sandbox');
    await template(session, 'payees', { from: message, mapping });
    const records: Record<string, string>[] = parse(printed.text, { columns: true });
    expect(records.map((it) => [it.account, it.bank, it.account_name])).toEqual(
      IBANS.map((iban) => [iban, 'SAMPFRPP', 'Sample Metals']),
    );
    const asked = printed.said.at(-1) ?? '';
    expect(asked).toContain(`Sample Metals ${IBANS[0]}, Sample Metals ${IBANS[1]}`);
    const [entry] = requiredDetails('EUR', 'business').filter(({ payment_type }) => payment_type === 'swift');
    const sample: Record<string, string> = {
      ...samplePayee(entry as RequiredDetailsEntry),
      beneficiary_type: 'business',
    };
    const [, columns = ''] = /if business\s+(.+)/.exec(asked.replaceAll(/,\n\s*/g, ', ')) ?? [];
    const names = columns.trim().split(', ');
    expect(names).toContain('company_name');
    const filled = records.map((it) => ({ ...it, ...Object.fromEntries(names.map((name) => [name, sample[name]])) }));
    const payees = join(folder, 'own.csv');
    writeFileSync(payees, stringify(filled, { header: true }));
    const { findings, rows } = await checked('sandbox', message, { mapping, payees });
    expect(findings).toEqual([]);
    expect(rows.map(({ iban_no }) => iban_no)).toEqual([...IBANS, IBANS[0]]);
    expect(rows[0]).toMatchObject({ uid: 'u-1001', account_id: 'acc-u1001-eur', account_name: 'Sample Metals' });
    const again = open('sandbox');
    await template(again.session, 'payees', { from: message, mapping, payees });
    expect(again.printed.said.at(-1)).toBe('Nothing has to be filled in.');
  });

  it('mapping numbers the rows of a message whose ids repeat, and the message is paid with it', async () => {
    const message = join(folder, 'repeated.xml');
    const same = transactions.map((it) => ({ ...it, ids: '<EndToEndId>SALARY</EndToEndId>' }));
    writeFileSync(message, pain001({ payments: [{ transactions: same }] }));
    const mapping = await made('mapping', message, 'repeated.json');
    expect(JSON.parse(readFileSync(mapping, 'utf8')).identity).toBe('position');
    const payees = await made('payees', message, 'repeated.csv');
    const { findings } = await checked('sandbox', message, { mapping, payees });
    expect(findings.filter(({ rule }) => rule === 'duplicate-id')).toEqual([]);
  });

  it('mapping proposes a rule for a service that nothing carries, before the rules that are known', async () => {
    const type = '<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm></PmtTpInf>';
    const path = join(folder, 'instant.xml');
    writeFileSync(path, pain001({ payments: [{ type, transactions: [{}] }] }));
    const { session, printed } = open('sandbox');
    const proposed = async (mapping?: string) => {
      await template(session, 'mapping', { from: path, mapping });
      return JSON.parse(printed.text).paymentTypes;
    };
    const instant = { serviceLevel: 'SEPA', localInstrument: 'INST', currency: 'EUR' };
    expect(await proposed()).toEqual([{ ...instant, paymentType: 'PAYMENT-TYPE-OF-THE-BANK' }]);
    const known = join(folder, 'known.json');
    const wider = { serviceLevel: 'SEPA', paymentType: 'local' };
    writeFileSync(known, JSON.stringify({ paymentTypes: [wider] }));
    expect(await proposed(known)).toEqual([{ ...instant, paymentType: 'PAYMENT-TYPE-OF-THE-BANK' }, wider]);
    writeFileSync(known, JSON.stringify({ paymentTypes: [{ ...instant, paymentType: 'instant' }] }));
    expect(await proposed(known)).toEqual([{ ...instant, paymentType: 'instant' }]);
  });

  it('payees keeps the ids that are known, and runs no name as a formula of a spreadsheet', async () => {
    const message = join(folder, 'names.xml');
    const [, other = {}] = transactions;
    const creditor = '<Cdtr><Nm>=HYPERLINK("http://x")</Nm><CtctDtls><MobNb>+49-301234</MobNb></CtctDtls></Cdtr>';
    writeFileSync(
      message,
      pain001({ payments: [{ transactions: [{ ...other, creditor }, ...transactions.slice(2)] }] }),
    );
    const known = join(folder, 'known.csv');
    writeFileSync(known, `account,beneficiary_id\n${IBANS[0]},ben-1\n`);
    const { session, printed } = open('sandbox');
    await template(session, 'payees', { from: message, payees: known });
    const records: Record<string, string>[] = parse(printed.text, { columns: true });
    expect(records.map((it) => [it.account, it.beneficiary_id, it.account_name, it.mobile])).toEqual([
      [IBANS[1], '', '', '+49-301234'],
      [IBANS[0], 'ben-1', '', ''],
    ]);
  });

  it('needs no offer of the bank: a currency that it does not pay has no fields to fill in, and other rows keep theirs', async () => {
    const message = join(folder, 'currencies.xml');
    const inCurrency = (code: string) => `<InstdAmt Ccy="${code}">10.00</InstdAmt>`;
    const some = transactions.map((it, index) => ({ ...it, amount: inCurrency(['SEK', 'ZZZ', 'EUR'][index] ?? '') }));
    writeFileSync(message, pain001({ payments: [{ transactions: some }] }));
    const mapping = JSON.parse(readFileSync(await made('mapping', message, 'currencies.json'), 'utf8'));
    expect(Object.values(mapping.accounts)).toEqual([expect.objectContaining({ uid: 'u-1001' })]);
    const payees = readFileSync(await made('payees', message, 'currencies.csv'), 'utf8');
    const records: Record<string, string>[] = parse(payees, { columns: true });
    expect(records.map((it) => [it.currency, it.account_name])).toEqual([
      ['SEK', ''],
      ['ZZZ', ''],
      ['EUR', 'Sample Metals'],
    ]);
  });

  it('mapping proposes the rule for a domestic transfer without BIC, with which the message is paid so', async () => {
    const message = join(folder, 'swiss.xml');
    const swiss = { ...transactions[0], agent: '', amount: '<InstdAmt Ccy="CHF">10.00</InstdAmt>' };
    const account = '<CdtrAcct><Id><IBAN>CH25SAMPLE0000004714</IBAN></Id></CdtrAcct>';
    writeFileSync(message, pain001({ payments: [{ transactions: [{ ...swiss, account }] }] }));
    const mapping = await made('mapping', message, 'swiss.json');
    expect(JSON.parse(readFileSync(mapping, 'utf8')).paymentTypes).toEqual([{ currency: 'CHF', paymentType: 'local' }]);
    const { findings } = await checked('sandbox', message, { mapping });
    expect(findings.filter(({ column }) => column === 'swift_code' || column === 'payment_type')).toEqual([]);
  });

  it('is refused for another file, and for another kind of template', async () => {
    const csv = await written('sandbox', 'csv', 'no-message.csv', 'USD');
    await expect(made('mapping', csv, 'x')).rejects.toThrow('not a complete, readable bank message');
    await expect(made('csv', csv, 'x')).rejects.toThrow('mapping and payees');
    await expect(made('payees', join(folder, 'gone.xml'), 'x')).rejects.toThrow('gone.xml does not exist');
  });
});
