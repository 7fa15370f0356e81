import { pagesOf } from '../../domain/iterate.ts';
import { incidentText } from '../../domain/reconciliation.ts';
import { type Html, html } from '../../reports/html.ts';
import type { IncidentRecord, Store } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { maySeePayout } from '../http/may-see.ts';
import { mayVisit, type View } from './layout.ts';
import { seesAll } from './may-do.ts';

export type VisibleIncident = Awaited<ReturnType<typeof visibleOf>>[number];

/** There may be more if there are as many. */
export const SHOWN_MAX = 200;

/** The newest incidents that the caller may see; `open`: only those not acknowledged. */
export async function visibleIncidents(caller: Caller, store: Store, open: boolean): Promise<VisibleIncident[]> {
  const visible: VisibleIncident[] = [];
  const behind = (after?: IncidentRecord) => store.incidents({ open, limit: SHOWN_MAX, after });
  for await (const page of pagesOf(SHOWN_MAX, behind)) {
    visible.push(...(await visibleOf(caller, store, page)));
    if (visible.length >= SHOWN_MAX) break;
  }
  return visible.slice(0, SHOWN_MAX);
}

/** Incidents of payouts that the caller may see; one that is of no payout of ours is for callers without limits. */
export async function visibleOf(caller: Caller, store: Store, incidents: readonly IncidentRecord[]) {
  const payouts = await store.payoutsOf(incidents.map(({ reference }) => reference));
  const byReference = new Map(payouts.map((payout) => [payout.reference, payout]));
  return incidents
    .map((incident) => ({ incident, payout: byReference.get(incident.reference) }))
    .filter(({ payout }) => (payout === undefined ? seesAll(caller) : maySeePayout(caller, payout)));
}

export const incidentNote = (
  { id, acknowledged, ...incident }: IncidentRecord,
  { caller }: View,
): Html => html`<p class="problem">${incidentText(incident)}
(${caller !== undefined && mayVisit('/incidents', caller) ? html`<a href="/incidents">${id}</a>` : id}${acknowledged !== null && ', acknowledged'})</p>`;
