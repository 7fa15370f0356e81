import { compareDecimals, type Sum } from './money.ts';
import type { PayoutKind } from './names.ts';
import type { ClosedMeaning } from './order-status.ts';

/**
 * Terms of a payout for its whole life. Read once by the first activity and returned into history, so that a later change of
 * configuration never affects a running payout. Durations are milliseconds, already scaled.
 */
export interface Terms extends Caps {
  waits: Waits;
  referenceDedupe: ReferenceDedupe;
  closedMeans: ClosedMeaning;
  /** Decisions count only if signed; absent: the given names are believed. */
  signed?: true;
  /** How long an order's audit at the bank lasts, from the first attempt; the bank's time, never scaled. */
  auditTtlMs: number;
  /** Epoch ms before which the row is not sent; absent: at once. */
  dueAt?: number;
}

export interface Caps {
  /** Highest fee, in the fee's own currency; absent: no cap. */
  feeCap?: string;
  /** Fraction, "0.01" is one per cent. */
  maxSlippage: string;
}

export interface Waits {
  /** A payout without a notification for this long queries its order itself. */
  patienceMs: number;
  fundsPatienceMs: number;
  approvalTtlMs: number;
  /** How long after a lost answer the bank may still commit the order. */
  lateCommitMs: number;
  /** How long a committed order may be missing from the list. */
  listLagMs: number;
  /** Time between the two reads of a status that says "no money". */
  noMoneyRecheckMs: number;
  /** An order whose status has not changed for this long goes to an operator. */
  statusAgeLimitMs: number;
  /** First pause of a polling loop; it doubles up to `pollMaxMs`. */
  pollMs: number;
  pollMaxMs: number;
}

/** How far the bank is trusted to recognise a reference it has seen: `verified` by contract and test, `assumed`, or `none`. */
export type ReferenceDedupe = 'verified' | 'assumed' | 'none';

/** What is added up: everything of a time, or of that what is to one payee or from one account. */
export type Per = 'day' | 'payee' | 'account';

/** Over how many hours, if a rule or limit does not say. */
export const HOURS_ADDED_UP = 24;

/** One rule of the approval policy; all given conditions must hold. */
export interface ApprovalRule {
  /** Absent: every kind. */
  kinds?: readonly PayoutKind[];
  currency?: string;
  /** Decimal string; meaningless without `currency`. */
  amountAtLeast?: string;
  /** The amount is added to what was handed to the bank before: in all, to the same payee, or from the same account. */
  per?: Per;
  /** How far back `per` counts; absent: 24. */
  hours?: number;
  /** Only payees created at the bank less than seven days ago, or not there yet. */
  newPayee?: boolean;
  /** Only payees whose details at the bank were seen to change less than seven days ago, or since we last paid them. */
  changedPayee?: boolean;
  /** Only payouts from this account, whether the row names it or an exchange goes into it. */
  account?: string;
  /** When people are asked: before the order is sent, while the bank audits it, or both; absent: before. */
  where?: 'before-submit' | 'at-bank' | 'both';
  /** Each such payout needs its own signatures: one signature for many payouts does not approve it. */
  alone?: boolean;
  approvals: number;
}

/** Facts of a payout that approval rules use. */
export interface RuledPayout extends Sum {
  kind: PayoutKind;
  /** The most a stand-alone exchange may sell: rules apply to it as to what is bought. */
  sold?: Sum;
  newPayee: boolean;
  changedPayee?: boolean;
  accountId?: string;
  /** The account that pays; after an exchange, not the one that the row names. */
  payingAccountId?: string;
}

/** The largest quorum any matching rule asks for; 0 when none matches. */
export const approvalsNeeded = (rules: readonly ApprovalRule[], payout: RuledPayout): number =>
  matching(rules, payout).reduce((most, rule) => Math.max(most, rule.approvals), 0);

/** Whether any matching rule has `alone`. */
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
