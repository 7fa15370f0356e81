import { isSamePerson } from '../../domain/approval.ts';
import { may, type Policy, personOf } from '../../domain/authority.ts';
import { needsAttention } from '../../domain/payout-state.ts';
import { questionOfHold } from '../../domain/reasons.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { touches } from './verdict.ts';

/** Whose role a row asks for: of an approver's decisions all but those about a screening. */
export const roleAskedOf = ({ state, reason }: Pick<PayoutRecord, 'state' | 'reason'>): 'payout' | 'screening' =>
  state === 'held' && reason !== null && questionOfHold(reason) === 'screening' ? 'screening' : 'payout';

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
  const question = isOperators ? 'resolve' : roleAskedOf(row);
  return policy === undefined || may(personOf(policy, name), question, touches(row));
}
