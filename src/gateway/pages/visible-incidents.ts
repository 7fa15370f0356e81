import type { IncidentRecord, PayoutRecord, Store } from '../../store/store.ts';
import type { Caller } from '../callers.ts';
import { maySeePayout } from '../may-see.ts';
import { seesAll } from './may-do.ts';

export interface VisibleIncident {
  incident: IncidentRecord;
  /** Undefined: no payout of ours. */
  payout: PayoutRecord | undefined;
}

/** Those of payouts that somebody may see; one of no payout is for whoever has no limits. */
export async function visibleIncidents(
  caller: Caller,
  store: Store,
  incidents: readonly IncidentRecord[],
): Promise<VisibleIncident[]> {
  const payouts = await store.payoutsOf(incidents.map(({ reference }) => reference));
  const byReference = new Map(payouts.map((payout) => [payout.reference, payout]));
  return incidents
    .map((incident) => ({ incident, payout: byReference.get(incident.reference) }))
    .filter(({ payout }) => (payout === undefined ? seesAll(caller) : maySeePayout(caller, payout)));
}
