import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { BankError } from '../../bank/errors.ts';
import type { AccountBalance } from '../../bank/schemas/accounts.ts';
import { mostSoldFor } from '../../domain/agreed-cost.ts';
import { madeDigest } from '../../domain/identity.ts';
import { groupedAmount } from '../../domain/money.ts';
import { Problem } from '../../domain/problem.ts';
import { identityOf, type MoveOutlook, moveBound } from '../../files/intake/own-move.ts';
import { type Html, html } from '../../reports/html.ts';
import type { Caller } from '../http/callers.ts';
import { optionalText, parsed } from '../http/documents.ts';
import { placeOf, shortText } from '../http/operation.ts';
import { ACCOUNTS } from '../http/operations/bank-operations.ts';
import { MOVE, MOVED, PLAN_MOVE } from '../http/operations/move-operations.ts';
import { accessOf, type CallerAccess } from '../http/route-access.ts';
import { bankProblem, fromBank, userField, usersOf } from './accounts-page.ts';
import { csrfField, show, type View, viewOf } from './layout.ts';
import { factList, money, nothing, payoutPath } from './pieces.ts';
import { dayOf } from './reader.ts';
import type { PagesGateway } from './sessions.ts';
import { senderFields, senderOf, signedForm } from './signed-forms.ts';

const MAKING: CallerAccess = { roles: ['maker'], scope: 'each' };

const newQuery = z.object({ uid: shortText.optional().or(z.literal('').transform(() => undefined)) });
const moveBody = z.object({
  uid: shortText,
  id: optionalText,
  account_id: shortText,
  to_account_id: shortText,
  amount: optionalText,
  note: optionalText,
  fee_cap: optionalText,
  max_slippage: optionalText,
  sell_currency: optionalText,
  max_rate: optionalText,
  ...senderFields,
});
type Given = z.output<typeof moveBody>;
const startedQuery = z.object({ kind: z.enum(['transfer', 'exchange']), digest: shortText });

/** `/moves/new`: a transfer between two own accounts, or an exchange if they have two currencies; its plan, and its start. */
export function moveRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  app.get('/moves/new', accessOf(MAKING), async (request, reply) => {
    const { caller } = request;
    const { uid } = parsed(newQuery, request.query);
    const found = uid === undefined ? [] : await fromBank(request, () => accountsOf(gateway, caller, uid));
    const accounts = found instanceof BankError ? [] : found;
    const view = viewOf(request, reply, gateway);
    const users = await usersOf(gateway, caller);
    const body = html`<section class="narrow"><h1>Transfer or exchange</h1>
<p>Between two accounts of one user. Accounts of two currencies make it an exchange. Nothing moves yet: you will see the plan first.</p>
<form class="filters" method="get">${userField(users, uid)}<button>Show the accounts</button></form>
${found instanceof BankError && bankProblem(found)}
${uid !== undefined && !(found instanceof BankError) && (accounts.length < 2 ? nothing('The bank shows fewer than two accounts of this user.') : moveForm(view, uid, accounts, gateway.now()))}
</section>`;
    return show(reply, view, { title: 'Transfer or exchange', body });
  });
  app.post('/moves/plan', accessOf(MAKING), async (request, reply) => {
    const given = parsed(moveBody, request.body, 'form');
    const asked = await askedFor(gateway, request.caller, given);
    const planned = await PLAN_MOVE.run(placeOf(gateway, request.caller), asked);
    if (planned.known !== null) return reply.redirect(payoutPath(planned.known.reference), 303);
    const view = viewOf(request, reply, gateway);
    const { outlook } = planned;
    const { amount, max_slippage: cap = gateway.config.settings.terms.maxSlippage } = asked.instruction;
    const bound = asked.kind === 'exchange' ? moveBound(outlook, amount, cap) : {};
    const bounded = { ...asked, instruction: { ...asked.instruction, ...bound } };
    return show(reply, view, { title: 'The plan', body: planPage(view, bounded, outlook) });
  });
  app.post('/moves', accessOf(MAKING), async (request, reply) => {
    const { by, signed, ...given } = parsed(moveBody, request.body, 'form');
    const asked = await askedFor(gateway, request.caller, { ...given, by });
    const { reference } = identityOf(asked);
    const digest = madeDigest(asked.instruction);
    const about = { question: 'make', reference, digest, decision: 'approve', remark: '' } as const;
    const sender = senderOf(request, gateway, about, { by, signed });
    if ('asked' in sender) return sender.asked;
    await MOVE.run(placeOf(gateway, request.caller), { ...asked, ...sender });
    return reply.redirect(`/moves/${reference}?${new URLSearchParams({ kind: asked.kind, digest }).toString()}`, 303);
  });
  app.get('/moves/:reference', accessOf(MAKING), async (request, reply) => {
    const { reference } = request.params as { reference: string };
    const asked = parsed(startedQuery, request.query);
    const { payout } = await MOVED.run(placeOf(gateway, request.caller), { reference, ...asked });
    if (payout !== null) return reply.redirect(payoutPath(reference), 303);
    const view = viewOf(request, reply, gateway);
    const body = html`<section class="narrow"><h1>It is being started</h1>
<p class="note" role="status">It is shown here as soon as it is stored.</p><p><a class="button" href="">Reload</a></p></section>`;
    return show(reply.header('refresh', '2'), view, { title: 'It is being started', body });
  });
}

const accountsOf = async (gateway: PagesGateway, caller: Caller, uid: string): Promise<AccountBalance[]> =>
  (await ACCOUNTS.run(placeOf(gateway, caller), { uid })).accounts;

type Asked = Awaited<ReturnType<typeof askedFor>>;

/** As an operation takes it: what kind it is, and the currency, follow from the accounts. */
async function askedFor(gateway: PagesGateway, caller: Caller, { by, signed: _, ...fields }: Given) {
  const accounts = await accountsOf(gateway, caller, fields.uid);
  const of = (id: string): AccountBalance | undefined => accounts.find(({ account_id: it }) => it === id);
  const [from, to] = [of(fields.account_id), of(fields.to_account_id)];
  if (from === undefined || to === undefined) {
    throw new Problem('usage', 'account-not-found', 'The bank does not show both accounts.', {
      hint: 'Choose them again.',
    });
  }
  const kind = from.currency === to.currency ? ('transfer' as const) : ('exchange' as const);
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as typeof fields;
  const instruction = { ...given, id: given.id ?? '', amount: given.amount ?? '', currency: to.currency };
  return { kind, instruction, by: caller.name ?? by };
}

const accountOption = ({ account_id: id, balance, currency }: AccountBalance): Html =>
  html`<option value="${id}">${groupedAmount(balance)} ${currency}: ${id}</option>`;

const moveForm = (
  view: View,
  uid: string,
  accounts: readonly AccountBalance[],
  now: number,
): Html => html`<form class="card" method="post" action="/moves/plan">
${csrfField(view)}<input type="hidden" name="uid" value="${uid}">
<p><label>From <select name="account_id">${accounts.map(accountOption)}</select></label></p>
<p><label>To <select name="to_account_id">${accounts.toReversed().map(accountOption)}</select></label></p>
<p><label>Amount <input name="amount" required maxlength="40" inputmode="decimal" aria-describedby="amount-help"></label>
<span class="quiet" id="amount-help">In the currency of the account that receives it.</span></p>
<p><label>Document <input name="id" required maxlength="100" value="move-${dayOf(now)}-${now % 100_000}" aria-describedby="id-help"></label>
<span class="quiet" id="id-help">The same document never moves twice.</span></p>
<p><label>Note <input name="note" maxlength="200" aria-describedby="note-help"></label><span class="quiet" id="note-help">Passed to the bank; may be empty.</span></p>
<details><summary>Limits</summary>
<p><label>Highest fee <input name="fee_cap" maxlength="40" inputmode="decimal"></label></p>
<p><label>How much worse the rate may get, as a fraction <input name="max_slippage" maxlength="40" inputmode="decimal" placeholder="0.01"></label></p></details>
<p class="actions"><button class="main">Show the plan</button></p></form>`;

function planPage(view: View, { kind, instruction }: Asked, { from, to, fee, feeCurrency, sells }: MoveOutlook): Html {
  const { amount, currency, max_rate: maxRate, sell_currency: sold } = instruction;
  const most = maxRate && sold && mostSoldFor(amount, { maxRate, currency: sold });
  const hidden = Object.entries({ ...instruction, currency: undefined }).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const what = kind === 'transfer' ? 'Transfer' : 'Buy';
  return html`<section class="narrow"><h1>${what} ${money(amount, currency)}</h1>
<div class="card">${factList([
    ['From', from.account_id],
    ['Available there', money(from.balance, from.currency)],
    ['To', to.account_id],
    ['Available there now', money(to.balance, to.currency)],
    ['Sold', sells && html`${money(sells.amount, from.currency)}, rate ${sells.rate}`],
    ['Sold at most', most && money(most, sold)],
    ['Fee', fee !== undefined && money(fee, feeCurrency ?? '')],
    ['Document', instruction.id],
    ['Note', instruction.note],
  ])}
<p class="quiet">Prices are as the bank quotes them now, and not binding.${most && ' More than the most is sold only if somebody approves it.'}</p>
${signedForm(
  view,
  '/moves',
  html`${hidden}`,
  html`<button class="main">${kind === 'transfer' ? 'Transfer' : 'Exchange'}</button> <a class="button" href="/accounts">Do not move it</a>`,
)}</div></section>`;
}
