import { describe, expect, it } from 'vitest';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';
import { unfitExchange, unfitTransfer } from '../../src/domain/sent-order.ts';

const asked: PayoutInstruction = {
  id: 'T-1',
  uid: 'u-1',
  account_id: 'from',
  to_account_id: 'to',
  amount: '1.00',
  currency: 'USD',
};
const usd = { uid: 'u-1', currency: 'USD' };
const eur = { uid: 'u-1', currency: 'EUR' };
const theirs = { uid: 'u-2', currency: 'USD' };

describe('a transfer', () => {
  it.each([
    ['between two accounts of the user and the currency', usd, usd, false, undefined],
    ['to another user', usd, theirs, false, 'account-not-own'],
    ['to another user, where that is allowed', usd, theirs, true, undefined],
    ['from another user, in spite of all that is allowed', theirs, usd, true, 'account-not-own'],
    ['into another currency', usd, eur, false, 'account-currency'],
    ['from another currency', eur, usd, false, 'account-currency'],
    ['between accounts of a currency that was not asked for', eur, eur, false, 'account-currency'],
  ])('%s', (_what, source, destination, acrossUsers, code) => {
    expect(unfitTransfer(asked, { source, destination }, acrossUsers)?.code).toBe(code);
  });
});

describe('an exchange', () => {
  it.each([
    ['into the currency asked for', eur, usd, undefined],
    ['into another one', usd, eur, 'account-currency'],
    ['of a currency into itself', usd, usd, 'account-currency'],
    ['into an account of another user', eur, theirs, 'account-not-own'],
    ['out of an account of another user', { ...eur, uid: 'u-2' }, usd, 'account-not-own'],
  ])('%s', (_what, sell, buy, code) => {
    expect(unfitExchange(asked, { sell, buy })?.code).toBe(code);
  });
});
