import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html, type Part } from '../../reports/html.ts';
import type { Caller } from '../http/callers.ts';
import { BANK_READING } from '../http/operations/bank-operations.ts';
import { ANY_ROLE, type CallerAccess, isAllowed } from '../http/route-access.ts';
import { reader } from './reader.ts';
import { type PagesGateway, tokenOf } from './sessions.ts';

export interface View {
  caller: Caller | undefined;
  csrf: string;
  isTrial: boolean;
  path: string;
  /** Above every page: what is in the way of all payouts. */
  hindrances: readonly string[];
  /** How many payouts wait for the caller, such as `3` or `100+`; undefined: none. */
  waiting: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Read before a page is made; absent where nobody is signed in. */
    hindrances?: readonly string[];
    /** Of `View`; read like them. */
    waiting?: string | undefined;
  }
}

export interface Page {
  title: string;
  body: Html;
  status?: number;
}

interface Place {
  path: string;
  /** Beginnings of the other addresses that belong to it. */
  with?: readonly string[];
  name: string;
  access: CallerAccess;
}

const PLACES: readonly Place[] = [
  { path: '/', name: 'Inbox', access: ANY_ROLE },
  { path: '/payouts', name: 'Payouts', access: ANY_ROLE },
  { path: '/batches', name: 'Batches', access: ANY_ROLE },
  { path: '/overview', name: 'Overview', access: ANY_ROLE },
  { path: '/accounts', with: ['/cash', '/orders', '/moves'], name: 'Accounts', access: BANK_READING },
  { path: '/payees', name: 'Payees', access: BANK_READING },
  { path: '/cards', name: 'Cards', access: { roles: ['maker', 'operator', 'auditor'], scope: 'each' } },
  { path: '/incidents', name: 'Incidents', access: { roles: ['approver', 'operator', 'auditor'], scope: 'each' } },
  {
    path: '/statements',
    with: ['/period'],
    name: 'Statements',
    access: { roles: ['operator', 'auditor'], scope: 'each' },
  },
  { path: '/switches', name: 'Switches', access: { roles: ['approver', 'operator', 'auditor'], scope: 'each' } },
  { path: '/audit', name: 'Audit', access: { roles: ['operator', 'auditor'], scope: 'whole' } },
];

/** Who may visit a place. */
export function placeAccess(path: string): CallerAccess {
  const place = PLACES.find((it) => it.path === path);
  if (place === undefined) throw new Error(`${path} is no place`);
  return place.access;
}

/** Whether the navigation shows this place to the caller. */
export const mayVisit = (path: string, caller: Caller): boolean => isAllowed(placeAccess(path), caller);

export const viewOf = (request: FastifyRequest, reply: FastifyReply, gateway: PagesGateway): View => ({
  caller: request.caller,
  csrf: reply.generateCsrf({ userInfo: userInfoOf(request, gateway) }),
  isTrial: gateway.settings.policy === undefined,
  path: request.url.split('?', 1)[0] ?? '/',
  hindrances: request.hindrances ?? [],
  waiting: request.waiting,
});

/** What a CSRF token is bound to: one from before signing in is invalid afterwards. */
export const userInfoOf = (request: FastifyRequest, { settings: { policy } }: PagesGateway): string =>
  (policy === undefined ? undefined : tokenOf(request, policy)) ?? 'nobody';

export const csrfField = ({ csrf }: View): Html => html`<input type="hidden" name="_csrf" value="${csrf}">`;

export function show(reply: FastifyReply, view: View, { title, body, status = 200 }: Page): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(documentOf(view, title, body).markup);
}

/** The page whose form was sent, if it is one of ours; a path that begins with two slashes would be another host. */
const pageOfForm = ({ method, headers: { referer = '', host } }: FastifyRequest): string | undefined => {
  const page = URL.parse(referer);
  if (method !== 'POST' || page === null || page.host !== host || page.pathname.startsWith('//')) return undefined;
  return `${page.pathname}${page.search}`;
};

/** The error document of the API, as a page for people. */
export function errorPage(request: FastifyRequest, document: { error?: { message?: string; hint?: string } }): Page {
  const { message = 'Something went wrong.', hint } = document.error ?? {};
  const title = 'This did not work';
  const before = pageOfForm(request);
  const body = html`<section class="narrow">
<h1>${title}</h1>
<p class="problem" role="alert">${message}</p>
${hint !== undefined && html`<p>${hint}</p>`}
<p><a href="${before ?? '/'}">Back to the ${before === undefined ? 'start page' : 'page before'}</a></p>
</section>`;
  return { title, body };
}

const documentOf = (view: View, title: string, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Payouts</title>
<link rel="stylesheet" href="/assets/pages.css">
<link rel="icon" href="/assets/icon.svg">
<script src="/assets/webauthn.js" defer></script>
<script src="/assets/forms.js" type="module"></script>
<script src="/assets/live.js" type="module"></script>
</head>
<body>
<a class="skip" href="#main">To the content</a>
${header(view)}
<main id="main">
${body}
</main>
${view.caller !== undefined && html`<footer>Times in <a href="/display">${reader().zone}</a></footer>`}
</body>
</html>
`;

function header(view: View): Html {
  const { caller, isTrial, path, hindrances, waiting } = view;
  const count = html`<span data-part="waiting">${waiting !== undefined && html` <span class="count" title="Waiting for you">${waiting}</span>`}</span>`;
  const link = (place: Place): Html =>
    html`<a href="${place.path}"${isAt(place, path) && html` aria-current="page"`}>${place.name}${place.path === '/' && count}</a>`;
  const places = caller === undefined ? [] : PLACES.filter(({ access }) => isAllowed(access, caller));
  return html`<header>
<a class="brand" href="/">Durable payouts</a>
${places.length > 0 && html`<nav aria-label="Pages">${places.map(link)}</nav>`}
${caller?.name !== undefined && signOut(view, caller.name)}
</header>
<div role="status"><div data-part="hindrances">${hindrances.map((text) => html`<p class="hindrance">${withCode(text)}</p>`)}</div></div>
${isTrial && TRIAL}`;
}

/** Commands stand between backticks. */
const withCode = (text: string): Html =>
  html`${text.split('`').map((part, n): Part => (n % 2 === 0 ? part : html`<code>${part}</code>`))}`;

const isAt = ({ path: place, with: others = [] }: Place, path: string): boolean =>
  place === '/' ? path === '/' : [place, ...others].some((start) => path.startsWith(start));

const signOut = (view: View, name: string): Html =>
  html`<form class="who" method="post" action="/sign-out">${csrfField(view)}<span>${name}</span><button class="plain">Sign out</button></form>`;

const TRIAL = html`<p class="trial" role="note"><strong>Trial.</strong> No policy is set: everybody on this machine may do everything, and names are not verified.</p>`;
