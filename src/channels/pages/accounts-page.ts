import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BankError, conditionOf } from '../../bank/errors.ts';
import type { AccountBalance } from '../../bank/schemas/accounts.ts';
import type { Order } from '../../bank/schemas/orders.ts';
import { counted } from '../../domain/display.ts';
import { laterDay } from '../../domain/time.ts';
import { type Html, html, type Part } from '../../reports/html.ts';
import type { Caller } from '../http/callers.ts';
import { parsed } from '../http/documents.ts';
import { maySubmitFiles, seesAll } from '../http/may-see.ts';
import { placeOf, shortText } from '../http/operation.ts';
import { ACCOUNTS, BANK_ORDERS } from '../http/operations/bank-operations.ts';
import { accessOf } from '../http/route-access.ts';
import { placeAccess, show, viewOf } from './layout.ts';
import { type Column, dataTable, moment, money, nothing } from './pieces.ts';
import { dayOf, startOf } from './reader.ts';
import type { PagesGateway } from './sessions.ts';

const filled = shortText.optional().or(z.literal('').transform(() => undefined));
export const accountsQuery = z.object({ uid: filled });
const ordersQuery = z.object({ uid: filled, currency: filled, since: z.iso.date().optional() });

/** Orders of a busy list are thousands: what is shown by default began this many days ago. */
const DAYS = 7;
const ORDERS_MAX = 500;
const USERS_MAX = 1_000;

/** `/accounts`: balances at the bank; `/orders`: the bank's orders of a user in one currency. */
export function accountRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  app.get('/accounts', accessOf(placeAccess('/accounts')), async (request, reply) => {
    const { caller } = request;
    const { uid } = parsed(accountsQuery, request.query);
    const users = await usersOf(gateway, caller);
    const shown = uid ?? (seesAll(caller) ? undefined : users[0]);
    const isAsked = shown !== undefined || seesAll(caller);
    const accounts = isAsked
      ? await fromBank(request, async () => (await ACCOUNTS.run(placeOf(gateway, caller), { uid: shown })).accounts)
      : [];
    const view = viewOf(request, reply, gateway);
    const body = html`<h1>Accounts</h1>
<form class="filters" method="get">${userField(users, shown, seesAll(caller) ? 'the institution' : undefined)}<button>Show</button></form>
${accounts instanceof BankError ? bankProblem(accounts) : accounts.length === 0 ? nothing(isAsked ? 'The bank shows no account here.' : 'Name a user.') : dataTable(shown === undefined ? 'Accounts of the institution, as the bank shows them now' : `Accounts of ${shown}, as the bank shows them now`, BALANCES, accounts)}
${maySubmitFiles(caller) && html`<p><a class="button" href="/moves/new${shown !== undefined && `?uid=${encodeURIComponent(shown)}`}">Transfer or exchange</a></p>`}
<p><a href="/cash${shown !== undefined && `?uid=${encodeURIComponent(shown)}`}">What open payouts take from these accounts in a week</a></p>`;
    return show(reply, view, { title: 'Accounts', body });
  });
  app.get('/orders', accessOf(placeAccess('/accounts')), async (request, reply) => {
    const { caller } = request;
    const asked = parsed(ordersQuery, request.query);
    const view = viewOf(request, reply, gateway);
    const users = await usersOf(gateway, caller);
    const since = asked.since ?? laterDay(dayOf(gateway.now()), -DAYS);
    const { uid, currency } = asked;
    const found =
      uid === undefined || currency === undefined
        ? undefined
        : await fromBank(request, () =>
            BANK_ORDERS.run(placeOf(gateway, caller), { uid, currency, from: startOf(since) }),
          );
    const body = html`<h1>Orders at the bank</h1>
<form class="filters" method="get">${userField(users, uid)}
<label>Currency <input name="currency" value="${currency}" required maxlength="3" pattern="[A-Z]{3}" size="5"></label>
<label>Made since <input type="date" name="since" value="${since}" required></label><button>Show</button></form>
${found !== undefined && (found instanceof BankError ? bankProblem(found) : orderList(found))}`;
    return show(reply, view, { title: 'Orders at the bank', body });
  });
}

/** Users to suggest: those of the caller's scope, or all with payouts for somebody who sees all. */
export async function usersOf({ store }: PagesGateway, caller: Caller): Promise<readonly string[]> {
  return caller.person?.scope.uids ?? (seesAll(caller) ? await store.users(USERS_MAX) : []);
}

/** What the bank answers, or the error with which it does not. While something is known to be in the way, a page waits for less. */
export async function fromBank<Found>(
  { hindrances = [] }: Pick<FastifyRequest, 'hindrances'>,
  read: () => Promise<Found>,
  ms = HINDERED_MS,
): Promise<Found | BankError> {
  const waited = new AbortController();
  const given: Promise<Found | BankError> = read().catch((error: unknown) => {
    if (error instanceof BankError) return error;
    throw error;
  });
  if (hindrances.length === 0) return given;
  try {
    const options = { signal: waited.signal, ref: false };
    return await Promise.race([given, setTimeout(ms, NO_ANSWER, options)]);
  } finally {
    waited.abort();
  }
}

const HINDERED_MS = 3_000;
const NO_ANSWER = new BankError('no answer in time', { outcome: 'ambiguous', retryable: true, operation: 'a page' });

export const bankProblem = (error: BankError): Html =>
  html`<p class="problem" role="alert">${conditionOf(error) === undefined ? 'The bank does not answer now.' : 'The bank refuses this: check the user.'}</p>`;

/** A field that suggests the known users, and takes any. */
export const userField = (users: readonly string[], shown: string | undefined, hint?: string): Html =>
  html`<label>User <input name="uid" list="users" maxlength="200" value="${shown}"${hint === undefined && html` required`} placeholder="${hint}"></label>
<datalist id="users">${users.map((uid) => html`<option value="${uid}"></option>`)}</datalist>`;

const ordersPath = ({ uid, currency }: AccountBalance): string =>
  `/orders?${new URLSearchParams({ uid, currency }).toString()}`;
const payoutsPath = (account: AccountBalance): string =>
  `/payouts?${new URLSearchParams({ account: account.account_id }).toString()}`;

const BALANCES: readonly Column<AccountBalance>[] = [
  { head: 'Account', cell: ({ account_id: id }) => id },
  { head: 'User', cell: ({ uid }) => uid },
  { head: 'Available', isFigure: true, cell: ({ balance, currency }) => money(balance, currency) },
  {
    head: 'Held by the bank',
    isFigure: true,
    cell: ({ frozen, currency }) => frozen !== undefined && /[1-9]/.test(frozen) && money(frozen, currency),
  },
  { head: 'Changed', cell: ({ updated_at: at }) => at !== undefined && moment(at) },
  {
    head: 'More',
    cell: (account) =>
      html`<span><a href="${payoutsPath(account)}">Payouts</a> · <a href="${ordersPath(account)}">Orders</a></span>`,
  },
];

function orderList({ orders, doubt }: { orders: readonly Order[]; doubt: string | null }): Html {
  const newest = orders.toSorted((a, b) => (b.created_at ?? 0) - (a.created_at ?? 0)).slice(0, ORDERS_MAX);
  return html`${doubt !== null && html`<p class="attend">The list of the bank shows ${doubt}. Orders of another user or currency are left out. Ask the bank why.</p>`}
${newest.length === 0 ? nothing('The bank shows no order here.') : dataTable(`${counted(orders.length, 'order')}, newest first`, ORDERS, newest)}
${orders.length > ORDERS_MAX && html`<p class="quiet">The newest ${ORDERS_MAX} are shown. Choose a later day to see fewer.</p>`}`;
}

const amountOf = (amount: string | undefined, currency: string | undefined): Part =>
  amount !== undefined && money(amount, currency ?? '');

const ORDERS: readonly Column<Order>[] = [
  { head: 'Order', cell: ({ order_id: id }) => html`<code>${id}</code>` },
  {
    head: 'Reference',
    cell: ({ client_order_id: id }) =>
      id !== undefined && html`<a href="/payouts?text=${encodeURIComponent(id)}"><code>${id}</code></a>`,
  },
  { head: 'Type', cell: ({ type }) => type },
  { head: 'Status', cell: ({ status }) => status },
  {
    head: 'Amount',
    isFigure: true,
    cell: (order) =>
      amountOf(order.transaction_amount, order.transaction_currency) || amountOf(order.buy_amount, order.buy_currency),
  },
  { head: 'Sold', isFigure: true, cell: (order) => amountOf(order.sell_amount, order.sell_currency) },
  { head: 'Fee', isFigure: true, cell: ({ fee, fee_currency: currency }) => amountOf(fee, currency) },
  { head: 'Made', cell: ({ created_at: at }) => at !== undefined && moment(at) },
];
