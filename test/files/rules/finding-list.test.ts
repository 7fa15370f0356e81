import { expect, it } from 'vitest';
import { rowsText } from '../../../src/domain/finding.ts';
import { FindingList } from '../../../src/files/rules/finding-list.ts';

const finding = (row: number, rule = 'phone-form') => ({
  ...{ file: 'a.csv', line: row + 1, row, column: 'mobile', value: null },
  ...{ rule, message: 'write it otherwise' },
});

it('keeps the first of each kind and counts the others with the last of them', () => {
  const list = new FindingList(3);
  for (let row = 1; row <= 9; row += 2) list.add(finding(row));
  list.add(finding(4, 'postcode-form'));
  const listed = list.list();
  expect(listed.map(({ row, rule, more }) => [row, rule, more])).toEqual([
    [1, 'phone-form', undefined],
    [3, 'phone-form', undefined],
    [4, 'postcode-form', undefined],
    [5, 'phone-form', 2],
  ]);
  expect(list.total).toBe(6);
  expect(rowsText(listed.filter(({ rule }) => rule === 'phone-form'))).toBe('rows 1, 3, 5 and 2 more');
});

it('says at the end how many are not listed at all', () => {
  const list = new FindingList();
  for (let row = 1; row <= 10_005; row += 1) list.add(finding(row));
  expect(list.list().at(-1)).toMatchObject({ row: null, rule: 'more-findings', message: expect.stringMatching(/^5 /) });
});
