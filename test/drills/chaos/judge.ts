import { check, type Violation } from '../../support/checker/check.ts';
import type { Observation } from '../../support/checker/observation.ts';
import type { Stack } from './stack.ts';

/** A broken rule with what is known of its payout. */
interface Broken extends Violation {
  evidence: unknown;
}

export interface Verdict {
  /** Rows without exactly one report, or without an end. */
  lost: number;
  /** References with more than one order that took or may take money. */
  duplicate: number;
  falsePaid: number;
  falseFailed: number;
  /** With an operator although the bank's API decides them. */
  parkedThoughDecidable: number;
  /** Any other rule. */
  otherViolations: number;
  /** With an operator, rightly so. */
  parkedRightly: number;
  byState: Record<string, number>;
  /** Reason codes of the rows that are with an operator. */
  parkedBy: Record<string, number>;
  violations: Broken[];
}

const PARKED_WRONGLY = /^with an operator/;

export function judge(observation: Observation, stack: Stack): Verdict {
  const violations = check(observation);
  const of = (wanted: (violation: Violation) => boolean): number =>
    new Set(violations.filter(wanted).map(({ reference, message }) => reference ?? message)).size;
  const isParked = ({ invariant, message }: Violation): boolean => invariant === 'I13' && PARKED_WRONGLY.test(message);
  const figures = {
    lost: of((it) => it.invariant === 'I6' || (it.invariant === 'I13' && !isParked(it))),
    duplicate: of(({ invariant }) => invariant === 'I1'),
    falsePaid: of(({ invariant }) => invariant === 'I4'),
    falseFailed: of(({ invariant }) => invariant === 'I5'),
    parkedThoughDecidable: of(isParked),
  };
  const named = new Set(['I1', 'I4', 'I5', 'I6', 'I13']);
  const byState = countBy(observation.rows.map(({ state }) => state));
  const parked = observation.rows.filter(({ state }) => state === 'needs-operator');
  return {
    ...figures,
    otherViolations: violations.filter(({ invariant }) => !named.has(invariant)).length,
    parkedRightly: parked.length - figures.parkedThoughDecidable,
    byState,
    parkedBy: countBy(parked.map(({ reasonCode }) => reasonCode ?? 'no reason')),
    violations: violations.map((violation) => ({ ...violation, evidence: evidenceOf(violation, observation, stack) })),
  };
}

export function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function evidenceOf({ reference }: Violation, observation: Observation, stack: Stack): unknown {
  if (reference === null) return null;
  const faults = new Map(stack.bank.posts.map(({ at, body, fault }) => [`${at} ${body}`, fault]));
  const row = observation.rows.find((it) => it.reference === reference);
  return {
    row,
    states: observation.statesSeen.filter((it) => it.reference === reference).map(({ at, state }) => `${at} ${state}`),
    attempts: observation.attempts.filter((it) => it.reference === reference),
    orders: observation.orders.filter((it) => it.reference === reference),
    posts: observation.posts
      .filter(({ body }) => body?.reference === reference)
      .map(({ body, ...post }) => ({ ...post, fault: faults.get(`${post.receivedAt} ${JSON.stringify(body)}`) })),
  };
}
