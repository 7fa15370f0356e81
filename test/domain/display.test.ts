import { expect, test } from 'vitest';
import { agoOf, perMille } from '../../src/domain/display.ts';
import { groupedAmount } from '../../src/domain/money.ts';

test.each([
  ['0.50', '0.50'],
  ['999', '999'],
  ['1000', '1,000'],
  ['1234567.8901', '1,234,567.8901'],
])('%s is shown as %s', (amount, shown) => {
  expect(groupedAmount(amount)).toBe(shown);
});

test.each([
  ['1', '3', 333],
  ['0.5', '1.00', 500],
  ['10.00', '10', 1000],
  ['0', '0', 0],
  ['900719925474099300', '900719925474099301', 999],
])('%s of %s is %d per mille', (part, whole, share) => {
  expect(perMille(part, whole)).toBe(share);
});

test.each([
  [3 * 3_600_000, '3 hours ago'],
  [59 * 60_000, '59 minutes ago'],
  [61 * 60_000, '1 hour 1 minute ago'],
  [3 * 3_600_000 - 1, '2 hours 59 minutes ago'],
  [10 * 3_600_000 + 59 * 60_000, '10 hours ago'],
  [49 * 3_600_000, '2 days ago'],
  [-30_000, 'less than a minute ago'],
  [-54 * 60_000, 'in 54 minutes: a clock was wrong'],
])('%d ms are %s', (ms, shown) => {
  expect(agoOf(ms)).toBe(shown);
});
