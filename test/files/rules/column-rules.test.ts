import { expect, test } from 'vitest';
import { RequiredDetailsPairs } from '../../../src/files/rules/column-rules.ts';

test('the pairs to ask the bank for are those of new beneficiaries, each once', () => {
  const rows = [
    { currency: 'USD', beneficiary_id: 'ben-1' },
    { currency: 'USD', beneficiary_type: 'personal' },
    { currency: 'USD', beneficiary_type: 'personal' },
    { currency: 'USD', beneficiary_type: 'business' },
    { currency: 'EUR', beneficiary_type: 'personal' },
    { currency: 'usd', beneficiary_type: 'personal' },
    { currency: 'GBP', beneficiary_type: 'private' },
  ];
  const pairs = new RequiredDetailsPairs();
  for (const instruction of rows) pairs.add(instruction);
  expect(pairs.list()).toEqual([
    { currency: 'USD', beneficiaryType: 'personal' },
    { currency: 'USD', beneficiaryType: 'business' },
    { currency: 'EUR', beneficiaryType: 'personal' },
  ]);
});
