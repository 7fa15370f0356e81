import { describe, expect, it } from 'vitest';
import type { Person, Policy, Scope } from '../../src/domain/authority.ts';
import { unguarded } from '../../src/domain/unguarded.ts';

const KINDS = ['payout', 'transfer', 'exchange'];
const maker = (scope: Scope): Person => ({ name: 'alice', roles: ['maker'], scope, credentials: [], tokens: [] });
const policy = (given: Partial<Policy>): Policy => ({
  hash: 'h',
  people: [maker({})],
  approvals: [],
  approvalTtlMs: 1,
  limits: [],
  ...given,
});

describe('what a policy leaves open', () => {
  it('is everything without a rule, and nothing with one for everything', () => {
    expect(unguarded(policy({}))).toEqual([{ kinds: KINDS }]);
    expect(unguarded(policy({ approvals: [{ approvals: 1 }] }))).toEqual([]);
  });

  it('is every currency but those that a rule or limit names', () => {
    const approvals = [{ currency: 'EUR', approvals: 2 }];
    const limits = [{ per: 'day', currency: 'USD', amount: '5000' } as const];
    expect(unguarded(policy({ approvals, limits }))).toEqual([{ kinds: KINDS }]);
    expect(unguarded(policy({ approvals, limits, people: [maker({ currencies: ['EUR', 'USD'] })] }))).toEqual([]);
    expect(unguarded(policy({ approvals, limits, people: [maker({ currencies: ['JPY'] })] }))).toEqual([
      { kinds: KINDS, currency: 'JPY' },
    ]);
  });

  it('is what lies below an amount, unless a limit adds it up', () => {
    const approvals = [
      { currency: 'EUR', amountAtLeast: '10000', approvals: 2 },
      { currency: 'USD', approvals: 1 },
    ];
    const people = [maker({ currencies: ['EUR', 'USD'] })];
    const below = [{ kinds: KINDS, currency: 'EUR', below: '10000' }];
    expect(unguarded(policy({ approvals, people }))).toEqual(below);
    const limit = (per: 'day' | 'payee' | 'account') => [{ per, currency: 'EUR', amount: '50000' }];
    expect(unguarded(policy({ approvals, people, limits: limit('day') }))).toEqual([]);
    expect(unguarded(policy({ approvals, people, limits: limit('account') }))).toEqual([]);
    expect(unguarded(policy({ approvals, people, limits: limit('payee') }))).toEqual(below);
  });

  it('is kinds and accounts that no rule names', () => {
    const approvals = [
      { kinds: ['exchange', 'transfer'] as const, approvals: 1 },
      { account: 'acc-1', approvals: 1 },
    ];
    expect(unguarded(policy({ approvals }))).toEqual([{ kinds: ['payout'] }]);
    expect(unguarded(policy({ approvals, people: [maker({ accounts: ['acc-1', 'acc-2'] })] }))).toEqual([
      { kinds: ['payout'], account: 'acc-2' },
    ]);
    expect(unguarded(policy({ approvals, people: [maker({ kinds: ['exchange'] })] }))).toEqual([]);
  });

  it.each([{ newPayee: true }, { changedPayee: true }, { where: 'at-bank' } as const])(
    'is what a rule of %j alone does not ask about',
    (condition) =>
      expect(unguarded(policy({ approvals: [{ ...condition, approvals: 2 }] }))).toEqual([{ kinds: KINDS }]),
  );

  it('is nothing where nobody is a maker', () => {
    expect(unguarded(policy({ people: [{ ...maker({}), roles: ['approver'] }] }))).toEqual([]);
  });
});
