import { approvalsAsked } from '../domain/authority.ts';
import { compareDecimals } from '../domain/money.ts';
import { approvalsNeeded } from '../domain/policy.ts';
import type { ClaimRow } from '../store/store.ts';
import type { MakerRules } from './maker.ts';

/** Approvals that the payouts of a plan will need, as far as their rows show. */
export interface ApprovalsAhead {
  /** Before sending; without payouts that need no approval. */
  beforeSend: PeopleAsked[];
  /** After sending: payouts whose amount the bank audits. */
  atBank: PeopleAsked[];
  /** Payouts that need more people if their payee turns out to be new or changed. */
  moreByPayee: number;
}

/** This many payouts, each of which needs this many people. */
interface PeopleAsked {
  people: number;
  payouts: number;
}

export interface ApprovalTerms extends MakerRules {
  /** Decimals by currency: amounts from which the bank audits an order; nothing is predicted for other currencies. */
  bankAuditsFrom: Readonly<Record<string, string>>;
}

/** A payee given by its details counts as new: its payout adds it. */
export async function approvalsAhead(
  terms: ApprovalTerms,
  claims: Iterable<ClaimRow> | AsyncIterable<ClaimRow>,
): Promise<ApprovalsAhead> {
  const [beforeSend, atBank] = [new Map<number, number>(), new Map<number, number>()];
  let moreByPayee = 0;
  for await (const { instruction } of claims) {
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
