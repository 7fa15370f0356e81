import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { counted } from '../../domain/display.ts';
import { SWITCH_SCOPES } from '../../domain/switch-scope.ts';
import { switchText } from '../../domain/switches.ts';
import {
  assertMaySwitchOn,
  maySeeSwitch,
  maySwitchOn,
  namedSwitch,
  type SwitchOnRequest,
} from '../../people/decisions/named-switch.ts';
import { type Html, html } from '../../reports/html.ts';
import type { SwitchRecord } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { parsed, storableText } from '../http/documents.ts';
import { mayOperate } from '../http/may-see.ts';
import { accessOf } from '../http/route-access.ts';
import { placeAccess, show, type View, viewOf } from './layout.ts';
import { factList, moment, nothing } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import { operatorOf, senderFields, signedForm } from './signed-forms.ts';

const switchBody = z.object({
  to: z.enum(['off', 'on']),
  scope: z.enum(SWITCH_SCOPES),
  key: z.string().max(200).default(''),
  reason: storableText,
  ...senderFields,
});

/** `/switches`: what is off; operators can stop sending here. */
export function switchRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store, now } = gateway;
  app.get('/switches', accessOf(placeAccess('/switches')), async (request, reply) => {
    const view = viewOf(request, reply, gateway);
    const off = await store.switches();
    const mine = mayOperate(request.caller, 'switch') ? view : undefined;
    const lifting = liftingOf(gateway, request.caller);
    const cards: Html[] = [];
    let hidden = 0;
    for (const it of off) {
      if (!(await maySeeSwitch(lifting, it))) hidden += 1;
      else cards.push(card(it, (await maySwitchOn(lifting, it)) ? mine : undefined));
    }
    const body = html`<h1>Switches</h1>
<p>While something is switched off, nothing is sent for it. Waiting payouts continue automatically once it is on again.</p>
${off.length === 0 ? nothing('Nothing is off.') : cards}
${hidden > 0 && html`<p class="quiet">Also off, outside your scope: ${counted(hidden, 'switch', 'switches')}.</p>`}
${mine !== undefined && html`<h2>Switch off</h2>${offForm(mine)}`}`;
    return show(reply, view, { title: 'Switches', body });
  });
  app.post('/switches', accessOf({ roles: ['operator'], scope: 'none' }), async (request, reply) => {
    const { to, scope, key, reason, ...sent } = parsed(switchBody, request.body, 'form');
    const meant = await namedSwitch(store, scope, key);
    if (to === 'on') await assertMaySwitchOn(liftingOf(gateway, request.caller), meant);
    const digest = `${to} ${switchText(meant)}`;
    const about = { question: 'switch' as const, reference: digest, digest, remark: reason };
    const operator = await operatorOf(request, gateway, about, sent);
    if ('asked' in operator) return operator.asked;
    const record = { ...meant, reason, by: operator.by, at: now() };
    await (to === 'off' ? store.switchOff(record) : store.switchOn(record));
    return reply.redirect('/switches', 303);
  });
}

const liftingOf = ({ store, settings: { policy } }: PagesGateway, { name = '' }: Caller): SwitchOnRequest => ({
  store,
  policy,
  name,
});

/** @param view of a viewer who may switch it on */
function card(record: SwitchRecord, view: View | undefined): Html {
  const { scope, key, by, at, reason } = record;
  return html`<section class="card" aria-label="Off: ${switchText(record)}">
<p><span class="badge unpaid">off</span> <strong>${switchText(record)}</strong></p>
${factList([
  ['Since', moment(at)],
  ['By', by],
  ['Why', reason],
])}
${
  view !== undefined &&
  form(
    view,
    'on',
    html`<input type="hidden" name="scope" value="${scope}"><input type="hidden" name="key" value="${key}">`,
    html`<button class="main">Switch on</button>`,
  )
}
</section>`;
}

const offForm = (view: View): Html =>
  html`<div class="card">${form(
    view,
    'off',
    html`<p><label>What <select name="scope">${SWITCH_SCOPES.map((scope) => html`<option value="${scope}">${scope === 'uid' ? 'user' : scope}</option>`)}</select></label></p>
<p><label>Which <input name="key" maxlength="200" aria-describedby="key-help"></label>
<span class="quiet" id="key-help">The id of the user, account, payee or batch, or the currency; leave empty for everything.</span></p>`,
    html`<button class="danger">Switch off</button>`,
  )}</div>`;

const form = (view: View, to: 'off' | 'on', fields: Html, button: Html): Html =>
  signedForm(
    view,
    '/switches',
    html`<input type="hidden" name="to" value="${to}">${fields}
<p><label>Why <input name="reason" required maxlength="200"></label></p>`,
    button,
  );
