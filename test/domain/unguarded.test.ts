import { describe, expect, it } from 'vitest';
import type { Person, Policy, Scope } from '../../src/domain/authority.ts';
import { isOpen, unguarded } from '../../src/domain/authority.ts';

const KINDS = ['payout', 'transfer', 'exchange'];
const maker = (scope: Scope): Person => ({ name: 'alice', roles: ['maker'], scope, credentials: [], tokens: [] });
const policy = (given: Partial<Policy>): Policy => ({
  hash: 'h',
  text: '',
  people: [maker({})],
  approvals: [],
  approvalTtlMs: 1,
  limits: [],
  ...given,
});
const limit = (currency: string, per: 'day' | 'payee' | 'account' = 'day') => ({ per, currency, amount: '50000' });
const NEITHER = { kinds: KINDS, isLimited: false };

describe('what a policy has no rule or no limit for', () => {
  it('is everything in an empty one, and any sum of it is open to a maker alone', () => {
    expect(unguarded(policy({}))).toEqual([NEITHER]);
    expect(isOpen(NEITHER)).toBe(true);
  });

  it('is what has a rule, but no limit', () => {
    const lacking = unguarded(policy({ approvals: [{ approvals: 1 }] }));
    expect(lacking).toEqual([{ ...NEITHER, approvedFrom: '0' }]);
    expect(lacking.some(isOpen)).toBe(false);
  });

  it('is what has a limit, but no rule', () => {
    const lacking = unguarded(policy({ people: [maker({ currencies: ['EUR'] })], limits: [limit('EUR')] }));
    expect(lacking).toEqual([{ kinds: KINDS, currency: 'EUR', isLimited: true }]);
    expect(lacking.some(isOpen)).toBe(false);
  });

  it('is every currency within the scope of a maker but those with both', () => {
    const approvals = [{ currency: 'EUR', approvals: 2 }];
    const limits = [limit('EUR')];
    expect(unguarded(policy({ approvals, limits }))).toEqual([NEITHER]);
    expect(unguarded(policy({ approvals, limits, people: [maker({ currencies: ['EUR'] })] }))).toEqual([]);
    expect(unguarded(policy({ approvals, limits, people: [maker({ currencies: ['EUR', 'JPY'] })] }))).toEqual([
      { ...NEITHER, currency: 'JPY' },
    ]);
  });

  it('is open below the amount of a rule, unless a limit adds it up', () => {
    const approvals = [{ currency: 'EUR', amountAtLeast: '10000', approvals: 2 }];
    const people = [maker({ currencies: ['EUR'] })];
    const below = [{ ...NEITHER, currency: 'EUR', approvedFrom: '10000' }];
    expect(unguarded(policy({ approvals, people }))).toEqual(below);
    expect(below.every(isOpen)).toBe(true);
    expect(unguarded(policy({ approvals, people, limits: [limit('EUR', 'day')] }))).toEqual([]);
    expect(unguarded(policy({ approvals, people, limits: [limit('EUR', 'account')] }))).toEqual([]);
    expect(unguarded(policy({ approvals, people, limits: [limit('EUR', 'payee')] }))).toEqual(below);
  });

  it('is kinds and accounts that no rule names', () => {
    const limits = [limit('EUR')];
    const inEur = (scope: Scope) => [maker({ currencies: ['EUR'], ...scope })];
    const approvals = [
      { kinds: ['exchange', 'transfer'] as const, approvals: 1 },
      { account: 'acc-1', approvals: 1 },
    ];
    const without = { kinds: ['payout'], currency: 'EUR', isLimited: true };
    expect(unguarded(policy({ approvals, limits, people: inEur({}) }))).toEqual([without]);
    const people = inEur({ accounts: ['acc-1', 'acc-2'] });
    expect(unguarded(policy({ approvals, limits, people }))).toEqual([{ ...without, account: 'acc-2' }]);
    expect(unguarded(policy({ approvals, limits, people: inEur({ kinds: ['exchange'] }) }))).toEqual([]);
  });

  it.each([{ newPayee: true }, { changedPayee: true }, { where: 'at-bank' } as const])(
    'is what a rule of %j alone does not ask about',
    (condition) => expect(unguarded(policy({ approvals: [{ ...condition, approvals: 2 }] }))).toEqual([NEITHER]),
  );

  it('is nothing where nobody is a maker', () => {
    expect(unguarded(policy({ people: [{ ...maker({}), roles: ['approver'] }] }))).toEqual([]);
  });
});
