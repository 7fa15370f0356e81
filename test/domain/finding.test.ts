import { expect, test } from 'vitest';
import { formatFinding, shownValue } from '../../src/domain/finding.ts';

test.each([
  ['amount', '10.5', '10.5'],
  ['execute_on', '2026-02-30', '2026-02-30'],
  ['account_no', '12345678901234', '***1234'],
  ['account_no', '1234567', '***67'],
  ['bsb', '12345', '***'],
  ['account_name', 'Maria Ramírez', 'M***'],
  ['first_name', '😀lga', '😀***'],
  ['note', 'salary of Maria', 's***'],
  ['id', 'A\u202eB\u0000', 'A\\u202eB\\u0000'],
  ['currency', '', null],
])('a %s shows %j as %j', (column, value, shown) => {
  expect(shownValue(column, value)).toBe(shown);
});

test('a long value is cut', () => {
  expect(shownValue('id', 'x'.repeat(500))).toHaveLength(81);
});

test('a line for the terminal names file, line, column, value and rule', () => {
  const finding = {
    file: 'payroll.csv',
    line: 7,
    row: 6,
    column: 'amount',
    value: '10.5',
    rule: 'too-many-decimals',
    message: 'JPY has no decimals',
  };
  expect(formatFinding(finding)).toBe('payroll.csv:7 amount "10.5" too-many-decimals: JPY has no decimals');
  expect(formatFinding({ ...finding, column: null, value: null, rule: 'no-rows', message: 'empty' })).toBe(
    'payroll.csv:7 no-rows: empty',
  );
});
