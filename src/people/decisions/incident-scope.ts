import { holdsAll, may, type Policy, personOf } from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import type { IncidentRecord, Store } from '../../store/store.ts';
import { scopeFactsOfRow } from './verdict.ts';

/** Throws a `Problem` for an incident outside the scope of an operator; one of no payout is for whoever has no limits. */
export async function assertMayAcknowledge(
  { store, policy, name }: { store: Pick<Store, 'payout'>; policy: Policy | undefined; name: string },
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
