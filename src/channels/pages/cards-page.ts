import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { mayOperateCard } from '../../domain/authority.ts';
import { type CardState, isCardEnd } from '../../domain/card-payment.ts';
import { stateWords, type Tone } from '../../domain/display.ts';
import { Problem } from '../../domain/problem.ts';
import { type Html, html } from '../../reports/html.ts';
import type { CardRecord } from '../../store/card-store.ts';
import { visibleCard } from '../find-target.ts';
import { type CardDocument, waitingFor } from '../http/card-documents.ts';
import { hasControls, optionalText, parsed, storableText } from '../http/documents.ts';
import { assertMayControlCard } from '../http/may-see.ts';
import { placeOf } from '../http/operation.ts';
import { aboutCard, CANCEL_CARD, RESOLVE_CARD } from '../http/operations/card-decision-operations.ts';
import { CARD, CARDS } from '../http/operations/card-operations.ts';
import { accessOf } from '../http/route-access.ts';
import { csrfField, placeAccess, show, type View, viewOf } from './layout.ts';
import { type Column, dataTable, factList, moment, money, nothing } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import { byField, senderFields, senderOf, signedForm } from './signed-forms.ts';

const cancelBody = z.object({ reason: storableText, by: storableText.optional() });
const resolveBody = z.object({
  action: RESOLVE_CARD.input.shape.action,
  evidence: storableText,
  payment: optionalText,
  ...senderFields,
});

/** `/cards`: card payments; `/cards/ID`: one of them, with its events and what can be decided about it. */
export function cardRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const cardIn = async ({ params, caller }: FastifyRequest): Promise<CardRecord> => {
    const { id } = params as { id: string };
    return visibleCard({ store: gateway.store, caller }, hasControls(id) ? '' : id);
  };
  app.get('/cards', accessOf(placeAccess('/cards')), async (request, reply) => {
    const { card_payments: cards } = await CARDS.run(placeOf(gateway, request.caller), {});
    const body = html`<h1>Card payments</h1>
${cards.length === 0 ? nothing('There are no card payments.') : dataTable('Those that need people, then the newest', LISTED, cards)}`;
    return show(reply, viewOf(request, reply, gateway), { title: 'Card payments', body });
  });
  app.get('/cards/:id', accessOf(placeAccess('/cards')), async (request, reply) => {
    const record = await cardIn(request);
    const shown = await CARD.run(placeOf(gateway, request.caller), { id: record.merchantRequestId });
    const view = viewOf(request, reply, gateway);
    const title = record.merchantRequestId;
    return show(reply, view, { title, body: cardPage(view, record, shown, mayControl(request, record)) });
  });
  app.post('/cards/:id/cancel', accessOf({ roles: ['maker', 'operator'], scope: 'each' }), async (request, reply) => {
    const { merchantRequestId: id } = await cardIn(request);
    const { reason, by } = parsed(cancelBody, request.body, 'form');
    await CANCEL_CARD.run(placeOf(gateway, request.caller), { id, reason, by: request.caller.name ?? by });
    return reply.redirect(cardPath(id), 303);
  });
  app.post('/cards/:id/resolve', accessOf({ roles: ['operator'], scope: 'each' }), async (request, reply) => {
    const record = await cardIn(request);
    const { action, evidence, payment: paymentId, ...sent } = parsed(resolveBody, request.body, 'form');
    if (action === 'adopt-payment' && paymentId === undefined) {
      throw new Problem('usage', 'payment-id-missing', 'The id of the payment to follow is missing.', {
        hint: 'Enter the id that the acquirer shows.',
      });
    }
    const about = aboutCard(record, paymentId === undefined ? action : `${action} ${paymentId}`, evidence);
    const sender = senderOf(request, gateway, { ...about, decision: 'approve' }, sent);
    if ('asked' in sender) return sender.asked;
    const { merchantRequestId: id } = record;
    await RESOLVE_CARD.run(placeOf(gateway, request.caller), { id, action, evidence, paymentId, ...sender });
    return reply.redirect(cardPath(id), 303);
  });
}

const cardPath = (id: string): string => `/cards/${encodeURIComponent(id)}`;

function mayControl({ caller }: FastifyRequest, record: CardRecord): boolean {
  try {
    assertMayControlCard(caller, record);
    return true;
  } catch {
    return false;
  }
}

function tone(state: CardState): Tone {
  if (state === 'succeeded') return 'paid';
  if (isCardEnd(state)) return 'unpaid';
  return state === 'needs-operator' ? 'attention' : 'open';
}

const mayResolve = ({ caller }: View, record: CardRecord): boolean =>
  caller !== undefined && (caller.person === undefined || mayOperateCard(caller.person, record));

const cardBadge = (state: CardState): Html => html`<span class="badge ${tone(state)}">${stateWords(state)}</span>`;

const LISTED: readonly Column<CardDocument>[] = [
  { head: 'Payment', cell: ({ merchant_request_id: id }) => html`<a href="${cardPath(id)}">${id}</a>` },
  { head: 'State', cell: ({ state }) => cardBadge(state) },
  { head: 'Amount', isFigure: true, cell: ({ amount, currency }) => money(amount, currency) },
  { head: 'Card', cell: ({ last_four: last }) => last !== null && `***${last}` },
  { head: 'Made', cell: ({ created_at: at }) => moment(Date.parse(at)) },
  {
    head: 'Why',
    cell: ({ reason, contradicted }) => (contradicted ? 'the acquirer has contradicted its end' : reason?.message),
  },
];

type Shown = Awaited<ReturnType<typeof CARD.run>>;

const EVENTS: readonly Column<Shown['events'][number]>[] = [
  { head: 'Received', cell: ({ received_at: at }) => moment(Date.parse(at)) },
  { head: 'Event', cell: ({ kind, status }) => `${kind} ${status}` },
  { head: 'Payment', cell: ({ payment_id: id }) => html`<code>${id}</code>` },
  { head: 'Amount', isFigure: true, cell: ({ amount, currency }) => amount !== null && money(amount, currency ?? '') },
  { head: 'Effect', cell: ({ effect }) => effect },
];

function cardPage(
  view: View,
  record: CardRecord,
  { card_payment: card, payment_ids, events }: Shown,
  isMine: boolean,
): Html {
  const { merchantRequestId: id, by, endedAt } = record;
  const { state, reason, amount, currency, contradicted } = card;
  const waiting = waitingFor(card);
  return html`<h1>${id} ${cardBadge(state)}</h1>
${contradicted && html`<p class="problem">The acquirer has contradicted this end: ask it which is true.</p>`}
${reason !== null && html`<p class="${state === 'needs-operator' ? 'attend' : 'note'}">${reason.message} (<code>${reason.code}</code>)</p>`}
<section class="card" aria-label="The payment"><p class="amount">${money(amount, currency)}</p>
${factList([
  ['Maker', by],
  ['Type', card.payment_type],
  ['Card', card.last_four !== null && `***${card.last_four}`],
  ['At the acquirer', card.payment_status],
  ['Payment ids', payment_ids.length > 0 && payment_ids.map((it) => html`<code>${it}</code> `)],
  ['To do', waiting?.todo],
  ['Otherwise', waiting?.byItself],
  ['Made', moment(Date.parse(card.created_at))],
  ['Ended', endedAt !== null && moment(endedAt)],
])}</section>
${isMine && !isCardEnd(state) && cancelForm(view, id)}
${(state === 'needs-operator' || contradicted) && mayResolve(view, record) && resolveForm(view, id, contradicted)}
<h2>Events of the acquirer</h2>
${events.length === 0 ? nothing('None was received yet.') : dataTable('As they were received', EVENTS, events)}`;
}

const cancelForm = (view: View, id: string): Html => html`<section><h2>Cancel</h2>
<form class="card" method="post" action="${cardPath(id)}/cancel">${csrfField(view)}
<p>Possible until something was sent that takes the money.</p>
${view.isTrial && byField()}
<p><label>Why it is cancelled <input name="reason" required maxlength="200"></label></p>
<div class="actions"><button class="danger">Cancel</button></div></form></section>`;

const ACTIONS: Readonly<Record<z.output<typeof resolveBody>['action'], string>> = {
  'keep-looking': 'Check the acquirer again',
  'adopt-payment': 'Follow the payment named below',
  'close-as-not-paid': 'Close it: no money was taken',
  'confirm-end': 'The stored end is right',
};

const resolveForm = (
  view: View,
  id: string,
  isContradicted: boolean,
): Html => html`<section><h2>An operator decides</h2>
<div class="card">${signedForm(
  view,
  `${cardPath(id)}/resolve`,
  html`<p><label>Action <select name="action">${Object.entries(ACTIONS)
    .filter(([action]) => (action === 'confirm-end') === isContradicted)
    .map(([action, means]) => html`<option value="${action}">${means}</option>`)}</select></label></p>
<p><label>Evidence <input name="evidence" required maxlength="200"></label></p>
${
  !isContradicted &&
  html`<p><label>Payment id <input name="payment" maxlength="200" aria-describedby="payment-help"></label>
<span class="quiet" id="payment-help">Only to follow a payment: its id at the acquirer.</span></p>`
}`,
  html`<button class="main">Resolve</button>`,
)}</div></section>`;
