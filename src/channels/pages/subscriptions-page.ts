import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Html, html } from '../../reports/html.ts';
import { parsed, storableText } from '../http/documents.ts';
import { placeOf } from '../http/operation.ts';
import {
  EVENTS_READING,
  EVENTS_SETTING,
  FORGET,
  REPLAY,
  SUBSCRIPTIONS,
  type SubscriptionStatus,
} from '../http/operations/event-operations.ts';
import { accessOf, isAllowed } from '../http/route-access.ts';
import { csrfField, show, type View, viewOf } from './layout.ts';
import { factList, moment, nothing } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import { byField } from './signed-forms.ts';

const name = z.string().min(1).max(200);
const by = storableText.optional();
const replayBody = z.object({ name, by, from: z.coerce.number().int() });
const forgetBody = z.object({ name, by });

/** `/subscriptions`: how far each receiver of events has got; operators send to one again, or give up one that is gone. */
export function subscriptionRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  app.get('/subscriptions', accessOf(EVENTS_READING), async (request, reply) => {
    const { caller } = request;
    const view = viewOf(request, reply, gateway);
    const { head, tail, subscriptions } = await SUBSCRIPTIONS.run(placeOf(gateway, caller), {});
    const operator = isAllowed(EVENTS_SETTING, caller) ? view : undefined;
    const body = html`<h1>Receivers of events</h1>
<p>${head === 0 ? 'There are no events yet.' : `The newest event has position ${head}.${tail > 0 ? ` Those up to ${tail} were delivered and have been deleted.` : ''}`} The file that <code>PAYOUTS_EVENTS</code> names says who receives them.</p>
${subscriptions.length === 0 ? nothing('Nobody receives events.') : subscriptions.map((it) => card(it, operator))}`;
    return show(reply, view, { title: 'Receivers of events', body });
  });
  app.post('/subscriptions/replay', accessOf(EVENTS_SETTING), async (request, reply) => {
    await REPLAY.run(placeOf(gateway, request.caller), parsed(replayBody, request.body, 'form'));
    return reply.redirect('/subscriptions', 303);
  });
  app.post('/subscriptions/forget', accessOf(EVENTS_SETTING), async (request, reply) => {
    await FORGET.run(placeOf(gateway, request.caller), parsed(forgetBody, request.body, 'form'));
    return reply.redirect('/subscriptions', 303);
  });
}

const STATES: Readonly<Record<SubscriptionStatus['state'], string>> = {
  new: 'nothing sent yet',
  delivered: 'everything delivered',
  behind: 'being delivered',
  failing: 'does not take events, tried again',
  parked: 'parked: nothing is sent until somebody sends again',
};

/** @param operator view of a viewer who may act */
function card(it: SubscriptionStatus, operator: View | undefined): Html {
  const { record, refused, to } = it;
  return html`<section class="card" aria-label="${it.name}">
<p><strong>${it.name}</strong>, ${STATES[it.state]}</p>
${factList([
  ['To', to ?? 'not in the configuration of this gateway'],
  ['Delivered up to position', record !== undefined && `${it.position}`],
  ['Not delivered', it.behind > 0 && `${it.behind}`],
  ['Since', record?.failingSince != null && moment(record.failingSince)],
  ['Why', record?.why],
  ['Next try', record?.nextTryAt != null && record.parkedAt === null && moment(record.nextTryAt)],
  ['Events refused alone', refused.length > 0 && `${refused.length}, the first has position ${refused[0]?.position}`],
])}
${operator !== undefined && record !== undefined && acts(operator, it)}
</section>`;
}

const acts = (view: View, { name: of, to, position }: SubscriptionStatus): Html =>
  html`<form method="post" action="/subscriptions/replay">${csrfField(view)}<input type="hidden" name="name" value="${of}">
${view.isTrial && byField()}
<p><label>From position <input name="from" type="number" min="1" required value="${position + 1}"></label></p>
<div class="actions"><button>Send again</button></div></form>
${
  to === null &&
  html`<form method="post" action="/subscriptions/forget">${csrfField(view)}<input type="hidden" name="name" value="${of}">
${view.isTrial && byField()}
<div class="actions"><button class="danger">Keep no events for it</button></div></form>`
}`;
