import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { acknowledgementOf } from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import { incidentText } from '../../domain/reconciliation.ts';
import { scopeFactsOfRow } from '../../people/decisions/verdict.ts';
import { type Html, html, type Part } from '../../reports/html.ts';
import { incidentRemedy } from '../../reports/next-step.ts';
import type { IncidentRecord } from '../../store/store.ts';
import { accessOf } from '../http/route-access.ts';
import { parsed, storableText } from '../http/schemas.ts';
import { SHOWN_MAX, type VisibleIncident, visibleIncidents, visibleOf } from './incidents.ts';
import { placeAccess, show, type View, viewOf } from './layout.ts';
import { mayOperate, OPERATING } from './may-do.ts';
import type { PagesContext } from './pages-context.ts';
import { factList, moment, nothing, payoutPath } from './pieces.ts';
import { signedForm } from './signed-form.ts';
import { operatorOf, senderFields } from './signing.ts';
import { todoText } from './step-text.ts';

const acknowledgeBody = z.object({ reason: storableText, ...senderFields });

/** `/incidents`: what the bank shows that contradicts stored ends, for an operator to acknowledge. */
export function incidentRoutes(app: FastifyInstance, context: PagesContext): void {
  const { store, now } = context.gateway;
  app.get('/incidents', accessOf(placeAccess('/incidents')), async (request, reply) => {
    const view = viewOf(request, reply, context);
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
    if (found === undefined) throw new Problem('not-found', 'unknown-id', 'There is no such open incident.');
    const about = acknowledgementOf(id, reason);
    const touched = found.payout && scopeFactsOfRow(found.payout);
    const operator = await operatorOf(request, context, about, { ...sent, touched });
    if ('asked' in operator) return operator.asked;
    await store.acknowledgeIncident(id, { by: operator.by, reason, at: now() });
    return reply.redirect('/incidents', 303);
  });
}

function card({ incident, payout }: VisibleIncident, view: View, mayAcknowledge: boolean): Html {
  const { id, reference, orderId, seenAt, acknowledged } = incident;
  return html`<section class="card" aria-label="Incident ${id}">
<p class="sentence"><strong>${incidentText(incident)}</strong></p>
${factList([
  ['Payout', html`<a href="${payoutPath(reference)}">${payout?.documentId ?? reference}</a>`],
  ['Bank order', html`<code>${orderId}</code>`],
  ['Seen', moment(seenAt)],
  ['Incident', html`<code>${id}</code>`],
  ['Acknowledged by', acknowledged?.by],
  ['Reason', acknowledged?.reason],
  ...(acknowledged === null ? incidentSteps(incident, view) : []),
])}
${mayAcknowledge && form(view, id)}
</section>`;
}

/** What to do about an open incident: the texts of `payouts inbox`. */
function incidentSteps(incident: IncidentRecord, { caller }: View): [string, Part][] {
  const { todo, byItself } = incidentRemedy(incident);
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
