import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPayeeDirectory } from '../../../src/files/messages/payee-directory.ts';
import { folderOfFile } from '../../support/new-folder.ts';
import { transfer } from './transfers.ts';

const folder = folderOfFile();
async function load(content: string | Buffer) {
  const path = join(folder, 'payees.csv');
  await writeFile(path, content);
  return loadPayeeDirectory(path);
}

const to = (account: string, bic?: string, currency = 'EUR') => transfer({ currency, creditor: { account, bic } });

describe('a payee directory', () => {
  it('without a file knows nobody', async () => {
    expect((await loadPayeeDirectory()).find(to('1'), 'u-1')).toBeUndefined();
  });

  it('is read with what editors and old systems leave, and typographic quotes are named', async () => {
    const text = 'account\tfirst_name\rfr00 sample 0001\tMaria\r';
    for (const content of [
      `\ufeff${text}\x1a`,
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      text.replace('M', '\u200bM'),
    ]) {
      const payees = await load(content);
      expect(payees.find(transfer({ creditor: { iban: 'FR00SAMPLE0001' } }), 'u-1')).toEqual({ first_name: 'Maria' });
    }
    await expect(load('“account”,“first_name”\n')).rejects.toThrow('the header line has a typographic quote');
  });

  it('finds a payee by account, however it is written, and leaves blanks out', async () => {
    const payees = await load('\ufeffaccount;first_name;last_name;mobile\r\nfr00 sample 0001;Maria;"Sample; M";\r\n');
    const known = { first_name: 'Maria', last_name: 'Sample; M' };
    expect(payees.find(transfer({ creditor: { iban: 'FR00SAMPLE0001' } }), 'u-1')).toEqual(known);
    expect(payees.find(to('FR00SAMPLE0002'), 'u-1')).toBeUndefined();
    expect(payees.find(transfer({ creditor: {} }), 'u-1')).toBeUndefined();
  });

  it('distinguishes entries of one account by bank, currency and uid; the one with most of them counts', async () => {
    const payees = await load(
      [
        'account,bank,currency,uid,beneficiary_id',
        '1,,,,any',
        '1,SAMPFRPPXXX,,,bank',
        '1,SAMPFRPP,USD,,bank-usd',
        '1,,GBP,,gbp',
        '1,,GBP,u-2,gbp-u2',
        '2,000001,,,member',
      ].join('\n'),
    );
    const idOf = (...found: Parameters<typeof payees.find>) => {
      const fields = payees.find(...found);
      return typeof fields === 'object' ? fields.beneficiary_id : fields;
    };
    expect(idOf(to('1'), 'u-1')).toBe('any');
    expect(idOf(to('1', 'SAMPFRPP'), 'u-1')).toBe('bank');
    expect(idOf(to('1', 'sampfrppxxx', 'USD'), 'u-1')).toBe('bank-usd');
    expect(idOf(to('1', undefined, 'GBP'), 'u-1')).toBe('gbp');
    expect(idOf(to('1', undefined, 'GBP'), 'u-2')).toBe('gbp-u2');
    expect(idOf(to('1', 'SAMPFRPP', 'GBP'), 'u-1')).toBe('ambiguous');
    const creditor = { account: '2', clearing: { system: 'AUBSB', member: '000001' } };
    expect(idOf(transfer({ creditor }), 'u-1')).toBe('member');
    expect(idOf(to('2'), 'u-1')).toBeUndefined();
  });

  it.each<[string, string | Buffer, RegExp]>([
    [
      'an account twice',
      'account,mobile\nFR00CANARY1,1\nfr00 canary 1,2',
      /line 3: the account already has an entry with the same/,
    ],
    ['no account', 'account,mobile\n,1', /line 2: no account/],
    ['nothing about the payee', 'account,mobile,bank\nFR00CANARY1,,B', /line 2: nothing about the payee/],
    [
      'a beneficiary and fields',
      'account,beneficiary_id,mobile\nFR00CANARY1,b,1',
      /line 2: a beneficiary_id and other fields/,
    ],
    [
      'a currency that none is',
      'account,currency,mobile\nFR00CANARY1,eur,1',
      /line 2: the currency is not an ISO 4217/,
    ],
    ['no column of accounts', 'iban,mobile\n1,1', /no column "account"/],
    ['a column of payouts', 'account,amount\n1,1', /column amount is not a column/],
    [
      'a column twice',
      'account,mobile,mobile\n1,1,1',
      /column mobile is not a column of a payee directory, or appears twice/,
    ],
    ['a column without name', 'account,,mobile\n1,1,1', /column 2 is not a column/],
    ['a line of another length', 'account,mobile\nFR00CANARY1', /line 2: not a CSV line/],
    ['an open quote', 'account,mobile\n"FR00CANARY1,1', /line 2: not a CSV line/],
    ['another encoding', Buffer.from('account,account_name\n1,Zo\xeb', 'latin1'), /not UTF-8/],
    ['nothing at all', '', /no column "account"/],
  ])('is refused: %s', async (_, content, message) => {
    const error = await load(content).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ hint: expect.stringMatching(/\.$/) });
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toMatch(/canary/i);
  });

  it('that is not there is refused', async () => {
    await expect(loadPayeeDirectory(join(folder, 'none.csv'))).rejects.toThrow('none.csv: does not exist');
  });
});
