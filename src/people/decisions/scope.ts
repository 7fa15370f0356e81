import {
  decidesAs,
  holdsAll,
  isSamePerson,
  may,
  type Person,
  type Policy,
  personAt,
  personOf,
} from '../../domain/authority.ts';
import { needsAttention } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { questionOfHold } from '../../domain/reasons.ts';
import type { BatchRecord, IncidentRecord, PayoutRecord, Store } from '../../store/store.ts';
import type { AskedBy } from './asked.ts';
import { openQuestion } from './shown-question.ts';
import { approvedBy, scopeFactsOfRow, type VerdictDeps } from './verdict.ts';

/** Whose a batch is to control: its maker's, and an operator's whose scope holds all of it. */
export async function mayControl(
  store: Store,
  person: Person | undefined,
  { batchId, by }: BatchRecord,
): Promise<boolean> {
  if (person === undefined) return false;
  if (by === person.name) return true;
  return (await store.scopeFactsOfBatch(batchId)).every((row) => may(person, 'resolve', row));
}

/** Throws a `Problem` for an incident outside the scope of an operator; one of no payout is for people without limits. */
export async function assertMayAcknowledge(
  { store, policy, name }: { store: Store; policy: Policy | undefined; name: string },
  { id, reference }: IncidentRecord,
): Promise<void> {
  if (policy === undefined) return;
  const person = personOf(policy, name);
  const payout = await store.payout(reference);
  const isTheirs =
    payout === undefined
      ? person !== undefined && holdsAll(person.scope)
      : may(person, 'resolve', scopeFactsOfRow(payout));
  if (isTheirs) return;
  throw new Problem('forbidden', 'outside-scope', `Incident ${id} is outside the scope of ${name} in the policy.`, {
    hint: 'An operator whose scope covers its payout may acknowledge it.',
  });
}

/** Which role must decide: `screening` if the row is held for a screening, else `payout` (approvers). */
export const roleAskedOf = ({ state, reason }: PayoutRecord): 'payout' | 'screening' =>
  state === 'held' && reason !== null && questionOfHold(reason) === 'screening' ? 'screening' : 'payout';

/**
 * Whether a row waits for this person: unless it waits for an operator, they are neither its maker nor one who has approved it;
 * and the policy, if there is one, lets them decide it. Money for an account is for makers and operators alike. `approved`: who has approved the open question.
 */
function awaitsDecisionBy(
  { policy, name, now }: { policy: Policy | undefined; name: string; now: number },
  row: PayoutRecord,
  approved: readonly string[],
): boolean {
  if (!needsAttention(row.state, row.reason)) return false;
  const touches = scopeFactsOfRow(row);
  const person = policy && personAt(policy, name, now);
  if (row.state === 'awaiting-funds') {
    return policy === undefined || may(person, 'resolve', touches) || may(person, 'make', touches);
  }
  if (row.state === 'needs-operator') return policy === undefined || may(person, 'resolve', touches);
  const has = (names: readonly string[], one: string): boolean => names.some((other) => isSamePerson(other, one));
  if (has([row.by ?? '', ...approved], name)) return false;
  const names = decidesAs(person, roleAskedOf(row), { maker: row.by, touches });
  return policy === undefined || names.some((it) => !has(approved, it));
}

/** Those of the rows that wait for somebody and that they have not decided yet (`awaitsDecisionBy`). */
export async function rowsFor(
  deps: VerdictDeps & AskedBy,
  rows: readonly PayoutRecord[],
  name: string,
): Promise<PayoutRecord[]> {
  const mine: PayoutRecord[] = [];
  const reader = { policy: deps.settings.policy, name, now: deps.now() };
  for (const row of rows) {
    if (!awaitsDecisionBy(reader, row, [])) continue;
    const approved = await approvedBy(deps, row, await openQuestion(deps, row));
    if (awaitsDecisionBy(reader, row, approved)) mine.push(row);
  }
  return mine;
}
