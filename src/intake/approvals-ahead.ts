import { approvalsAsked, type Policy } from '../domain/authority.ts';
import { compareDecimals } from '../domain/money.ts';
import { type ApprovalRule, approvalsNeeded } from '../domain/policy.ts';
import type { ClaimRow } from '../store/store.ts';

/** What people will be asked about the payouts of a plan, as far as its rows say it. */
export interface ApprovalsAhead {
  /** Before they are sent; payouts that nobody has to approve are left out. */
  beforeSend: PeopleAsked[];
  /** Once they are sent: payouts of an amount that the bank audits. */
  atBank: PeopleAsked[];
  /** Payouts that ask for more people should their payee turn out to be new, or changed. */
  moreByPayee: number;
}

/** Of so many payouts each needs so many people. */
interface PeopleAsked {
  people: number;
  payouts: number;
}

/** By what people are asked. */
export interface ApprovalTerms {
  policy?: Policy;
  /** Of a trial. */
  approvalRules: readonly ApprovalRule[];
  /** Decimals by currency: amounts from which the bank audits an order; a currency that is not in it is not foretold. */
  bankAuditsFrom: Readonly<Record<string, string>>;
}

/** A payee named by its details counts as new: it is created by its payout. */
export function approvalsAhead(terms: ApprovalTerms, claims: Iterable<ClaimRow>): ApprovalsAhead {
  const [beforeSend, atBank] = [new Map<number, number>(), new Map<number, number>()];
  let moreByPayee = 0;
  for (const { instruction } of claims) {
    const { account_id: accountId, amount, currency, beneficiary_id: payeeId } = instruction;
    const asked = { kind: 'payout', accountId, amount, currency, newPayee: payeeId === undefined } as const;
    const unchanged = people(terms, { ...asked, changedPayee: false });
    const atMost = people(terms, { ...asked, newPayee: true, changedPayee: payeeId !== undefined });
    const isAudited = (compareDecimals(amount, terms.bankAuditsFrom[currency] ?? '') ?? -1) >= 0;
    if (unchanged.beforeSend > 0) count(beforeSend, unchanged.beforeSend);
    if (isAudited) count(atBank, Math.max(1, unchanged.atBank));
    if (atMost.beforeSend > unchanged.beforeSend || (isAudited && atMost.atBank > Math.max(1, unchanged.atBank)))
      moreByPayee += 1;
  }
  return { beforeSend: listed(beforeSend), atBank: listed(atBank), moreByPayee };
}

type Asked = Parameters<typeof approvalsAsked>[1];

function people({ policy, approvalRules }: ApprovalTerms, asked: Asked): { beforeSend: number; atBank: number } {
  if (policy === undefined) return { beforeSend: approvalsNeeded(approvalRules, asked), atBank: 0 };
  return {
    beforeSend: approvalsAsked(policy, asked, 'before-submit'),
    atBank: approvalsAsked(policy, asked, 'at-bank'),
  };
}

const count = (counts: Map<number, number>, key: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const listed = (counts: ReadonlyMap<number, number>): PeopleAsked[] =>
  [...counts].map(([asked, payouts]) => ({ people: asked, payouts })).sort((a, b) => a.people - b.people);
