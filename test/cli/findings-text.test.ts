import { expect, it } from 'vitest';
import { formatWarnings } from '../../src/cli/findings-text.ts';

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
    'warning: date-in-the-past execute_on: past (rows 1, 2, 3, 4, 5 and 2 more)\nwarning: not-carried: Tax (row 9)',
  );
});
