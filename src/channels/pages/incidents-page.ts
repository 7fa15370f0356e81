import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { acknowledgementOf } from '../../domain/authority.ts';
import { pagesOf } from '../../domain/iterate.ts';
import { Problem } from '../../domain/problem.ts';
import { INCIDENTS } from '../../domain/reconciliation.ts';
import { STATEMENT_INCIDENTS } from '../../domain/statements/discrepancies.ts';
import { scopeFactsOfRow } from '../../people/decisions/verdict.ts';
import { type Html, html, type Part } from '../../reports/html.ts';
import { incidentSides } from '../../reports/incident-sides.ts';
import { incidentRemedy } from '../../reports/next-step.ts';
import type { IncidentRecord, PayoutRecord, Store } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { parsed, storableText } from '../http/documents.ts';
import { mayOperate, maySeePayout, OPERATING, seesAll } from '../http/may-see.ts';
import { accessOf } from '../http/route-access.ts';
import { mayVisit, placeAccess, show, type View, viewOf } from './layout.ts';
import { batchPath, factList, moment, nothing, payoutPath, todoText } from './pieces.ts';
import { timeText } from './reader.ts';
import type { PagesGateway } from './sessions.ts';
import { operatorOf, senderFields, signedForm } from './signed-forms.ts';

const acknowledgeBody = z.object({ reason: storableText, ...senderFields });

/** `/incidents`: what the bank shows that contradicts stored ends, for an operator to acknowledge. */
export function incidentRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store, now } = gateway;
  app.get('/incidents', accessOf(placeAccess('/incidents')), async (request, reply) => {
    const view = viewOf(request, reply, gateway);
    const open = await visibleIncidents(request.caller, store, true);
    const seen = (await visibleIncidents(request.caller, store, false)).filter(
      ({ incident }) => incident.acknowledged !== null,
    );
    const mayAcknowledge = mayOperate(request.caller, 'resolve');
    const body = html`<h1>Incidents</h1>
<p>For these payouts the bank shows something different from what was sent or stored. What was stored is kept; somebody has to deal with each incident and record how.</p>
${open.length === 0 ? nothing('There are no open incidents.') : open.map((it) => card(it, view, mayAcknowledge))}
${open.length === SHOWN_MAX && html`<p class="quiet">The newest ${SHOWN_MAX} are shown.</p>`}
${seen.length > 0 && html`<h2>Acknowledged</h2>${seen.map((it) => card(it, view, false))}`}`;
    return show(reply, view, { title: 'Incidents', body });
  });
  app.post('/incidents/:id', accessOf(OPERATING), async (request, reply) => {
    const { id } = request.params as { id: string };
    const { reason, ...sent } = parsed(acknowledgeBody, request.body, 'form');
    const incident = await store.incident(id);
    const [found] = await visibleOf(request.caller, store, incident?.acknowledged === null ? [incident] : []);
    if (found === undefined)
      throw new Problem('not-found', 'unknown-id', 'There is no such open incident.', {
        hint: 'The page of incidents shows those that are open.',
      });
    const about = acknowledgementOf(id, reason);
    const touched = found.payout && scopeFactsOfRow(found.payout);
    const operator = await operatorOf(request, gateway, about, { ...sent, touched });
    if ('asked' in operator) return operator.asked;
    await store.acknowledgeIncident(id, { by: operator.by, reason, at: now() });
    return reply.redirect('/incidents', 303);
  });
}

function card({ incident, payout }: VisibleIncident, view: View, mayAcknowledge: boolean): Html {
  const { id, reference, orderId, seenAt, acknowledged, kind } = incident;
  const isBooking = kind in STATEMENT_INCIDENTS && payout === undefined;
  return html`<section class="card" aria-label="Incident ${id}">
<p class="sentence"><strong>${INCIDENTS[kind].says}</strong></p>
<p>${incidentSides(incident, payout, timeText)}.</p>
${factList([
  isBooking
    ? ['Booking', html`<a href="/statements"><code>${reference}</code></a>`]
    : ['Payout', html`<a href="${payoutPath(reference)}">${payout?.documentId ?? reference}</a>`],
  ['Bank order', !isBooking && html`<code>${orderId}</code>`],
  ['Seen', moment(seenAt)],
  ['Incident', html`<code>${id}</code>`],
  ['Acknowledged by', acknowledged?.by],
  ['Reason', acknowledged?.reason],
  ...(payout?.batchId == null
    ? []
    : [['Batch', html`<a href="${batchPath(payout.batchId)}">its batch</a>`] as [string, Part]]),
  ...(acknowledged === null ? incidentSteps(incident, payout, view) : []),
])}
${mayAcknowledge && form(view, id)}
</section>`;
}

/** What to do about an open incident: the texts of `payouts inbox`. */
function incidentSteps(incident: IncidentRecord, payout: PayoutRecord | undefined, { caller }: View): [string, Part][] {
  const { todo, byItself } = incidentRemedy(incident, payout);
  return [
    ['To do', caller !== undefined && todoText(todo, caller)],
    ['Otherwise', byItself],
  ];
}

const form = (view: View, id: string): Html =>
  signedForm(
    view,
    `/incidents/${encodeURIComponent(id)}`,
    html`<p><label>How it was dealt with <input name="reason" required maxlength="200"></label></p>`,
    html`<button class="main">Acknowledge</button>`,
  );

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

export const incidentNote = (incident: IncidentRecord, { caller }: View, row: PayoutRecord | undefined): Html =>
  noteOf(incident, caller, incidentSides(incident, row, timeText));

const noteOf = (
  { id, acknowledged, kind }: IncidentRecord,
  caller: Caller | undefined,
  sides: string,
): Html => html`<p class="problem">${INCIDENTS[kind].says}: ${sides}
(${caller !== undefined && mayVisit('/incidents', caller) ? html`<a href="/incidents">${id}</a>` : id}${acknowledged !== null && ', acknowledged'})</p>`;
