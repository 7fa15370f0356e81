import { isSamePerson } from '../../domain/approval.ts';
import { may, type Policy, personOf } from '../../domain/authority.ts';
import { needsAttention } from '../../domain/payout-state.ts';
import { questionOfHold } from '../../domain/reasons.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { scopeFactsOfRow } from './verdict.ts';

/** Which role must decide: `screening` if the row is held for a screening, else `payout` (approvers). */
export const roleAskedOf = ({ state, reason }: Pick<PayoutRecord, 'state' | 'reason'>): 'payout' | 'screening' =>
  state === 'held' && reason !== null && questionOfHold(reason) === 'screening' ? 'screening' : 'payout';

/**
 * Whether a row waits for this person: unless it waits for an operator, they are neither its maker nor one who has approved it;
 * and the policy, if there is one, lets them decide it. `approved`: who has approved the open question.
 */
export function awaitsDecisionBy(
  policy: Policy | undefined,
  name: string,
  row: PayoutRecord,
  approved: readonly string[],
): boolean {
  if (!needsAttention(row.state, row.reason)) return false;
  const isOperators = row.state === 'needs-operator';
  if (!isOperators && [row.by ?? '', ...approved].some((other) => isSamePerson(other, name))) return false;
  const question = isOperators ? 'resolve' : roleAskedOf(row);
  return policy === undefined || may(personOf(policy, name), question, scopeFactsOfRow(row));
}
