import { readIfThere } from '../../bank/bank-orders.ts';
import { factsOfPayment, type Incident } from '../../domain/reconciliation.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';

/**
 * Contradictions between the end of a payout and what the bank shows now, read by order id and recorded as incidents. An order
 * that is not found proves nothing.
 */
export async function contradictions(deps: ActivityDeps, payout: PayoutRecord): Promise<Incident[]> {
  const { store, settings, now } = deps;
  const attempts = await store.attemptsOf([payout.reference]);
  const ids = new Set([payout.orderId, ...attempts.map(({ orderId }) => orderId)].filter((id) => id !== null));
  const orders = await Promise.all([...ids].map((id) => readIfThere(deps, id)));
  const shown = orders.filter((order) => order !== undefined);
  const found = factsOfPayment(payout, shown, settings.terms.closedMeans).filter((fact) => fact.kind !== 'return');
  for (const incident of found) await store.recordIncident({ ...incident, seenAt: now() });
  return found;
}
