import { expect, it, onTestFinished } from 'vitest';
import { aboutFile } from '../../../src/domain/finding.ts';
import { StagedFile } from '../../../src/files/intake/staged-file.ts';
import { growth } from '../../support/growth.ts';
import { claimRowsOf } from './rows.ts';

function stagedFile(): StagedFile {
  const staged = new StagedFile();
  onTestFinished(() => staged[Symbol.dispose]());
  return staged;
}

const finding = (row: number, rule: string) => ({ file: 'f.csv', ...aboutFile(row + 1, rule, 'why'), row });

it('gives every row of the file once: as a claim, or as refused with why, also when it was never read', () => {
  const staged = stagedFile();
  const claims = claimRowsOf({ id: 'a' }, { id: 'b' }, { id: 'c' });
  for (const { row, instruction } of claims) {
    staged.row({ row, line: row + 1, instruction: instruction as Record<string, string> });
  }
  for (const claim of claims.slice(0, 2)) staged.claim(claim);
  staged.finding(finding(3, 'required'), finding(4, 'wrong-field-count'));
  staged.readingEnded();
  staged.drop(2);
  staged.refuse(finding(2, 'already-taken'), 'reference-of-b');
  expect([...staged.claims()].map(({ row }) => row)).toEqual([1]);
  expect([...staged.refused()].map(({ row, reference, findings }) => [row, reference, findings[0]?.rule])).toEqual([
    [2, 'reference-of-b', 'already-taken'],
    [3, undefined, 'required'],
    [4, undefined, 'wrong-field-count'],
  ]);
});

it('keeps no values of a row that was not read whole, or came in a bank message: they ask for less than it did', () => {
  const staged = stagedFile();
  const original = { payment: 0, endToEndId: 'x', amount: '1.00', currency: 'USD' };
  staged.row({ row: 1, line: 2, instruction: { id: 'debit' }, original });
  staged.row({ row: 2, line: 3, instruction: { id: 'half' }, unsound: true });
  staged.row({ row: 3, line: 4, instruction: { id: 'whole' } });
  staged.finding(finding(1, 'debit-entry'), finding(2, 'duplicate-column'), finding(3, 'required'));
  staged.readingEnded();
  expect([...staged.refused()].map(({ instruction }) => instruction)).toEqual([{}, {}, { id: 'whole' }]);
});

it('finds the refused rows of a large file in work that grows with it', () => {
  const refusedOf = (rows: number): StagedFile => {
    const staged = stagedFile();
    for (let row = 1; row <= rows; row += 1) {
      staged.row({ row, line: row + 1, instruction: { id: `${row}` } });
      staged.finding(finding(row, 'required'));
    }
    staged.readingEnded();
    return staged;
  };
  const files = new Map([500, 4_000].map((rows) => [rows, refusedOf(rows)]));
  const list = (rows: number): void => expect([...(files.get(rows)?.refused() ?? [])]).toHaveLength(rows);
  // Eight times for eight times the rows: one lookup a row by an index. Without it, sixty-four.
  expect(growth(list, 500, 4_000)).toBeLessThan(24);
});
