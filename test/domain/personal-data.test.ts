import { expect, it } from 'vitest';
import { claimedDigest, madeDigest, payloadDigest } from '../../src/domain/identity.ts';
import { type PayoutInstruction, withoutPersonalData } from '../../src/domain/instruction.ts';

it('what a maker has signed has the same digest without personal data', () => {
  const instruction: PayoutInstruction = {
    ...{ uid: 'u-1', id: 'INV-1', account_id: 'acc-1', amount: '10.00', currency: 'USD', note: 'salary' },
    ...{ account_name: 'Ramirez', account_no: '99887766' },
    ...{ sell_currency: 'EUR', max_rate: '1.1', paying_account_id: 'acc-2', exchanged_by: 'reference' },
  };
  const left = withoutPersonalData(instruction);
  expect(Object.keys(left)).not.toEqual(expect.arrayContaining(['account_name']));
  const row = { instruction: left, payloadDigest: payloadDigest(instruction), erasedAt: 1 };
  expect(claimedDigest(row)).toBe(madeDigest(instruction));
});
