import { expect, it } from 'vitest';
import { formatFindings, formatWarnings } from '../../src/cli/output.ts';
import { formatFinding } from '../../src/domain/finding.ts';
import { FindingList } from '../../src/files/rules/finding-list.ts';

it('says each kind of warning once, with its first rows', () => {
  const warning = {
    file: 'f.csv',
    line: 1,
    column: 'execute_on',
    value: null,
    rule: 'date-in-the-past',
    message: 'past',
  };
  const rows = [1, 2, 3, 4, 5, 6, 7].map((row) => ({ ...warning, row }));
  const alone = { ...warning, row: 9, column: null, rule: 'not-carried', message: 'Tax' };
  expect(formatWarnings([...rows, alone])).toBe(
    'warning: date-in-the-past execute_on: past (rows 1-7)\nwarning: not-carried: Tax (row 9)',
  );
  const rest = { ...alone, row: null, rule: 'more-findings', message: 'not listed' };
  expect(formatWarnings([rest])).toBe('warning: more-findings: not listed (the file)');
});

it('says what is wrong with one account of a bank message once, and of each row of a table by itself', () => {
  const found = { file: 'f.xml', column: 'account_id', value: '***3108', rule: 'unmapped-account', message: 'add it' };
  const inMessage = [1, 2, 3].map((row) => ({ ...found, row, line: row * 10, path: `/Document/${row}` }));
  const other = { ...found, row: 4, line: 40, path: '/Document/4', value: '***0001' };
  expect(formatFindings([...inMessage, other])).toBe(
    'f.xml:10 account_id "***3108" unmapped-account: add it (/Document/1) (rows 1-3)\n' +
      'f.xml:40 account_id "***0001" unmapped-account: as above (/Document/4)',
  );
  const inTable = [1, 2].map((row) => ({ ...found, row, line: row }));
  expect(formatFindings(inTable).split('\n')).toEqual([
    'f.xml:1 account_id "***3108" unmapped-account: add it',
    'f.xml:2 account_id "***3108" unmapped-account: as above',
  ]);
});

it('names the cell of a spreadsheet', () => {
  const findings = new FindingList();
  findings.letters.set('amount', 'D');
  const found = {
    file: 'a.xlsx',
    line: 5,
    column: 'amount',
    value: '1,5',
    rule: 'not-a-decimal',
    message: 'write 1.5',
  };
  findings.add({ ...found, row: 4 }, { ...found, row: null }, { ...found, row: 4, column: 'other' });
  expect(findings.list().map(formatFinding).toSorted()).toEqual([
    'a.xlsx D5 amount "1,5" not-a-decimal: write 1.5',
    'a.xlsx:5 amount "1,5" not-a-decimal: write 1.5',
    'a.xlsx:5 other "1,5" not-a-decimal: write 1.5',
  ]);
});
