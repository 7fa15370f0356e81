import type { SignedDecision } from './authority.ts';
import { nameProblem, textProblem } from './message-text.ts';

/**
 * Who may decide, and when enough people have. One state machine for everything people decide about a payout: our own approval
 * before it is sent, the bank's audit of an order, and a hold, which may be for a screening.
 */

type DecisionKind = 'payout' | 'bank' | 'hold' | 'screening';

export interface AwaitedApproval {
  kind: DecisionKind;
  /** Digest of what is decided; a decision that names another digest is refused. */
  digest: string;
  /** Number of distinct people needed. */
  needed: number;
  maker: string | undefined;
  /** Epoch ms from which decisions are refused; undefined: they do not expire on our side. */
  expiresAt: number | undefined;
  approvedBy: readonly string[];
}

export interface Decision {
  decision: 'approve' | 'reject';
  by: string;
  remark?: string;
  /** Digest of what is decided, from the query `state`; if given, it must be the one in force. */
  digest?: string;
}

/** A decision as sent to the workflow of a payout. */
export interface DecideUpdate extends Decision {
  decisionId: string;
  /** If the policy requires signatures: the signed decision; absent if it is already stored. */
  signed?: SignedDecision;
}

export type Verdict =
  | { verdict: 'approved'; awaited: AwaitedApproval }
  | { verdict: 'rejected'; by: string; remark: string }
  | { verdict: 'counted'; awaited: AwaitedApproval }
  | { verdict: 'refused'; why: string };

/** Applies one decision. It is refused if nothing is awaited. */
export function consider(awaited: AwaitedApproval | undefined, decision: Decision, now: number): Verdict {
  const refusal = refusalOf(awaited, decision, now);
  if (refusal !== undefined || awaited === undefined)
    return { verdict: 'refused', why: refusal ?? 'nothing is awaited' };
  if (decision.decision === 'reject') return { verdict: 'rejected', by: decision.by, remark: decision.remark ?? '' };
  const next = { ...awaited, approvedBy: [...awaited.approvedBy, decision.by] };
  return next.approvedBy.length >= awaited.needed
    ? { verdict: 'approved', awaited: next }
    : { verdict: 'counted', awaited: next };
}

/** Why a decision does not count; undefined if it does. */
export function refusalOf(awaited: AwaitedApproval | undefined, decision: Decision, now: number): string | undefined {
  if (awaited === undefined) return 'no approval is awaited';
  const unnamed = nameProblem(decision?.by);
  if (unnamed !== undefined) return `the decision names nobody (${unnamed})`;
  if (hasExpired(awaited, now)) return 'the approval has expired';
  if (decision.digest !== undefined && decision.digest !== awaited.digest) return 'the digest is not the one in force';
  if (decision.decision === 'reject') {
    const unexplained = textProblem('remark', decision.remark);
    return unexplained && `a rejection needs a remark (${unexplained})`;
  }
  if (decision.decision !== 'approve') return 'the decision is neither "approve" nor "reject"';
  if (awaited.kind === 'payout' && awaited.maker === undefined) {
    return 'the maker is unknown, so nobody can be told apart from the maker';
  }
  if (awaited.maker !== undefined && isSamePerson(decision.by, awaited.maker)) return 'the maker may not approve';
  if (awaited.approvedBy.some((by) => isSamePerson(decision.by, by))) return 'this person has approved already';
  return undefined;
}

export const hasExpired = ({ expiresAt }: AwaitedApproval, now: number): boolean =>
  expiresAt !== undefined && now >= expiresAt;

/**
 * The distinct people among `names` other than the maker; empty if the maker is unknown, because then anybody may be the maker.
 */
export function approvers(names: readonly string[], maker: string | null): string[] {
  if (maker === null) return [];
  const people: string[] = [];
  for (const name of names) {
    if (![maker, ...people].some((other) => isSamePerson(other, name))) people.push(name);
  }
  return people;
}

/**
 * Whether two names mean one person: case, character width, the number of blanks and invisible characters are ignored. Letters
 * that look alike are left to the policy, which knows people by their keys.
 */
export function isSamePerson(a: string, b: string): boolean {
  return folded(a) === folded(b);
}

const folded = (name: string): string => tidied(name).toLowerCase();

/** A name without what nobody sees: width of characters, composition, invisible characters, number of blanks. */
export const tidied = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
