import { isSamePerson } from '../../domain/approval.ts';
import { may, type Policy, personOf } from '../../domain/authority.ts';
import { needsAttention } from '../../domain/payout-state.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { touches } from './verdict.ts';

/**
 * Whether a row waits for somebody: the policy lets them decide it, they have not handed it over, and they have not approved it yet.
 * Without a policy everybody is asked but these. `approved`: who has approved what is asked.
 */
export function isFor(
  policy: Policy | undefined,
  name: string,
  row: PayoutRecord,
  approved: readonly string[],
): boolean {
  if (!needsAttention(row.state, row.reason)) return false;
  const isOperators = row.state === 'needs-operator';
  if (!isOperators && [row.by ?? '', ...approved].some((other) => isSamePerson(other, name))) return false;
  return policy === undefined || may(personOf(policy, name), isOperators ? 'resolve' : 'payout', touches(row));
}
