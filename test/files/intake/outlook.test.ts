import { expect, it } from 'vitest';
import type { Policy } from '../../../src/domain/authority.ts';
import { type ApprovalTerms, approvalsAhead } from '../../../src/files/intake/outlook.ts';
import { claimRowsOf } from './rows.ts';

const NOBODY: ApprovalTerms = { approvalRules: [], bankAuditsFrom: {} };
const policy = (...approvals: Policy['approvals']): Policy => ({ approvals }) as Policy;

const ROWS = claimRowsOf(
  { id: 'a', amount: '5.00' },
  { id: 'b', amount: '10000' },
  { id: 'c', amount: '20000.00' },
  { id: 'd', amount: '5.00', beneficiary_id: undefined },
  { id: 'e', amount: '20000', currency: 'JPY' },
);

it('nobody is asked where no rule asks and no amount of the bank is known', async () => {
  expect(await approvalsAhead(NOBODY, ROWS)).toEqual({ beforeSend: [], atBank: [], moreByPayee: 0 });
});

it('counts the payouts of each number of people, by the rules of a trial', async () => {
  const approvalRules = [
    { currency: 'USD', amountAtLeast: '20000', approvals: 2 },
    { newPayee: true, approvals: 1 },
  ];
  expect(await approvalsAhead({ ...NOBODY, approvalRules }, ROWS)).toEqual({
    beforeSend: [
      { people: 1, payouts: 1 },
      { people: 2, payouts: 1 },
    ],
    atBank: [],
    // c needs two for any payee.
    moreByPayee: 3,
  });
});

it('counts what the bank audits by the amounts of the settings: one person, or as many as the policy asks for there', async () => {
  const terms: ApprovalTerms = {
    ...NOBODY,
    bankAuditsFrom: { USD: '10000.00' },
    policy: policy(
      { approvals: 2, where: 'both', currency: 'USD', amountAtLeast: '15000' },
      { approvals: 3, where: 'at-bank', changedPayee: true },
    ),
  };
  expect(await approvalsAhead(terms, ROWS)).toEqual({
    beforeSend: [{ people: 2, payouts: 1 }],
    atBank: [
      { people: 1, payouts: 1 },
      { people: 2, payouts: 1 },
    ],
    moreByPayee: 2,
  });
});

it('a payee that its payout creates cannot have changed', async () => {
  const terms = { ...NOBODY, policy: policy({ approvals: 1, changedPayee: true }) };
  expect((await approvalsAhead(terms, claimRowsOf({ id: 'd', beneficiary_id: undefined }))).moreByPayee).toBe(0);
});
