import { compareDecimals } from './money.ts';
import type { PayoutKind } from './names.ts';
import type { ClosedMeaning } from './order-status.ts';

/**
 * What a payout obeys for its whole life. Read once by the first activity and returned into history, so that a later
 * change of configuration never changes a running payout. Durations are milliseconds, already scaled.
 */
export interface Terms {
  waits: Waits;
  referenceDedupe: ReferenceDedupe;
  closedMeans: ClosedMeaning;
  /** Decisions count when they are signed; absent: names are believed. */
  signed?: true;
  /** Life of an order's audit at the bank, counted from the first attempt; the bank's time, never scaled. */
  auditTtlMs: number;
  /** Highest fee in its own currency; absent means no cap. */
  feeCap?: string;
  /** Fraction, "0.01" is one per cent. */
  maxSlippage: string;
  /** Where the row waits until this instant (epoch ms) before submit. */
  dueAt?: number;
}

export interface Waits {
  /** A payout that heard nothing for this long looks itself. */
  patienceMs: number;
  fundsPatienceMs: number;
  approvalTtlMs: number;
  /** How long after a lost answer the bank may still commit. */
  lateCommitMs: number;
  /** How long a committed order may stay invisible in the list. */
  listLagMs: number;
  /** How far apart the two reads of a status that says "no money" are. */
  noMoneyRecheckMs: number;
  /** An order that has not moved for this long goes to an operator. */
  statusAgeLimitMs: number;
  /** First pause of a loop that looks again; it doubles up to `lookAgainMaxMs`. */
  lookAgainMs: number;
  lookAgainMaxMs: number;
}

/**
 * How far the bank is trusted to recognise a reference it has seen: `verified` by contract and test, `assumed`, or `none`.
 */
export type ReferenceDedupe = 'verified' | 'assumed' | 'none';

/** One rule of the approval policy: all conditions given must hold. */
export interface ApprovalRule {
  /** Absent: of every kind. */
  kinds?: readonly PayoutKind[];
  currency?: string;
  /** Decimal; needs `currency` to mean anything. */
  amountAtLeast?: string;
  /** Only payees created at the bank less than seven days ago, or not there yet. */
  newPayee?: boolean;
  /** Only payees whose details at the bank were seen to change less than seven days ago, or since we paid them last. */
  changedPayee?: boolean;
  /** Only payouts from this account, whether the row names it or the money goes through it. */
  account?: string;
  /** When they are asked: before the order is sent, while the bank audits it, or both; absent: before. */
  where?: 'before-submit' | 'at-bank' | 'both';
  /** Such a payout asks for itself: one signature for many payouts does not approve it. */
  alone?: boolean;
  approvals: number;
}

/** What the rules of approvals ask about a payout. */
export interface RuledPayout extends Sum {
  kind: PayoutKind;
  /** What an exchange by itself sells at most: a rule about it counts like one about what it buys. */
  sold?: Sum;
  newPayee: boolean;
  changedPayee?: boolean;
  accountId?: string;
  /** Of a payout that is exchanged first another than the row names: the one that pays then. */
  payingAccountId?: string;
}

interface Sum {
  currency: string;
  /** Decimal. */
  amount: string;
}

/** The largest quorum any matching rule asks for; 0 when none matches. */
export const approvalsNeeded = (rules: readonly ApprovalRule[], payout: RuledPayout): number =>
  matching(rules, payout).reduce((most, rule) => Math.max(most, rule.approvals), 0);

/** Whether a rule that matches says so. */
export const asksAlone = (rules: readonly ApprovalRule[], payout: RuledPayout): boolean =>
  matching(rules, payout).some(({ alone }) => alone === true);

function matching(rules: readonly ApprovalRule[], payout: RuledPayout): ApprovalRule[] {
  return rules
    .filter((rule) => rule.account === undefined || [payout.accountId, payout.payingAccountId].includes(rule.account))
    .filter((rule) => rule.kinds?.includes(payout.kind) ?? true)
    .filter((rule) => isAbout(rule, payout) || (payout.sold !== undefined && isAbout(rule, payout.sold)))
    .filter((rule) => rule.newPayee !== true || payout.newPayee)
    .filter((rule) => rule.changedPayee !== true || payout.changedPayee === true);
}

const isAbout = (rule: ApprovalRule, { currency, amount }: Sum): boolean =>
  (rule.currency === undefined || rule.currency === currency) &&
  (rule.amountAtLeast === undefined || (compareDecimals(amount, rule.amountAtLeast) ?? 1) >= 0);

/** Doubling pause, never above `max`: the n-th look (from 0) waits `first * 2^n`. */
export function doublingPause(n: number, first: number, max: number): number {
  return Math.min(max, first * 2 ** Math.min(n, 30));
}
