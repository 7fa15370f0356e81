import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import escapeHtml from 'escape-html';
import { ENVELOPE_CODES } from '../../bank/schemas/envelope.ts';
import { formatMinor } from '../../domain/money.ts';
import { catchUp } from '../catch-up.ts';
import { type Answer, json, readBody } from '../http/answer.ts';
import { type Call, matchRoute, type Routes, type Target } from '../http/routes.ts';
import { read } from '../requests.ts';
import type { Sandbox } from '../sandbox.ts';
import {
  createBody,
  isResume,
  requestIdBody,
  resumeBody,
  scenarioNamed,
  setUpBody,
  TEST_CARDS,
  TEST_CARDS_NOTE,
} from './card.ts';
import { type CardPaymentRow, cardPaymentOfToken, requireCardPayment, toCardPayment } from './payment-row.ts';
import {
  createCardPayment,
  decideChallenge,
  firstAnswer,
  keepAnswer,
  noteFingerprint,
  resumeCardPayment,
  setUpSession,
} from './payments.ts';

const STYLE = readFileSync(new URL('pages/style.css', import.meta.url), 'utf8');

interface Page {
  title: string;
  /** HTML; foreign text must have passed through `escapeHtml`. */
  main: string;
  script?: string;
  /** Further directives of the content security policy, which otherwise allows only what the page itself needs. */
  policy?: readonly string[];
}

/** A complete page that loads nothing. */
function htmlDocument(status: number, { title, main, script, policy = [] }: Page): Answer {
  const nonce = randomBytes(16).toString('base64');
  const directives = [
    `default-src 'none'`,
    `style-src 'nonce-${nonce}'`,
    ...(script === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
    `img-src data:`,
    `base-uri 'none'`,
    ...policy,
  ];
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': directives.join('; '),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
${main}
</main>
${script === undefined ? '' : `<script nonce="${nonce}">${script}</script>\n`}</body>
</html>
`,
  };
}

/** `4000 0003 1000 0007` */
const spaced = (number: string): string => number.replace(/(.{4})(?=.)/g, '$1 ');

const notFoundPage = (): Answer =>
  htmlDocument(404, {
    title: 'Not found',
    main: '<h1>Not found</h1>\n<p>There is nothing at this address.</p>',
    policy: [`form-action 'none'`, `frame-ancestors 'none'`],
  });

/** Takes the place of the device fingerprint: only that it was loaded is recorded. Any shop may frame it. */
const fingerprintPage = (): Answer =>
  htmlDocument(200, {
    title: 'Device check',
    main: '<p>The device was checked.</p>',
    policy: [`form-action 'none'`],
  });

function cardsPage(): Answer {
  const rows = TEST_CARDS.map(
    ({ number, scenario, says }) =>
      `<tr><td><code>${spaced(number)}</code></td><td><strong>${scenario}</strong>: ${escapeHtml(says)}</td></tr>`,
  );
  const main = `<h1>Test cards</h1>
<p>${escapeHtml(TEST_CARDS_NOTE)}</p>
<table>
<thead><tr><th scope="col">Number</th><th scope="col">The payment</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
  return htmlDocument(200, {
    title: 'Test cards',
    main,
    policy: [`form-action 'none'`, `frame-ancestors 'none'`],
  });
}

const SCRIPT = readFileSync(new URL('pages/checkout-script.js', import.meta.url), 'utf8');

/** Only gateways on this machine: the page passes a card to the gateway in its URL. */
const GATEWAYS = 'http://127.0.0.1:* http://localhost:*';

/**
 * A shop's checkout for demonstrations: `/checkout#gateway=<url>&id=<merchant_request_id>&secret=<client_secret>`. Browsers never
 * send the part after # to a server. `#status` has the payment's state in `data-state`.
 */
const checkoutPage = (): Answer =>
  htmlDocument(200, {
    title: 'Checkout',
    main: MAIN,
    script: SCRIPT,
    policy: [`connect-src ${GATEWAYS}`, `frame-src 'self'`, `form-action 'none'`, `frame-ancestors 'none'`],
  });

const CARDS = TEST_CARDS.map(
  ({ number, scenario, says }) =>
    `<li><button type="button" data-number="${number}" aria-label="Use test card ${scenario}">Use</button>
<span><code>${spaced(number)}</code><br><span class="quiet">${escapeHtml(says)}</span></span></li>`,
).join('\n');

const MAIN = `<h1>Checkout</h1>
<p class="quiet">Demonstration shop: no real card is charged.</p>
<p class="amount" id="amount" aria-label="Amount"></p>
<p id="status" role="status" aria-live="polite" data-state="loading">Loading the payment.</p>
<p id="action" hidden><a class="button" id="continue">Continue at your bank</a></p>
<p id="again" hidden><button type="button" class="main" id="pay-again">Pay with another card</button></p>
<form id="card" hidden autocomplete="on">
<label>Card number
<input name="number" inputmode="numeric" autocomplete="cc-number" required maxlength="23" pattern="[0-9 ]{12,23}"></label>
<label class="half">Expiry (MM/YY)
<input name="expiry" inputmode="numeric" autocomplete="cc-exp" required maxlength="5" pattern="(0[1-9]|1[0-2])/[0-9]{2}" placeholder="MM/YY"></label>
<label class="half">Security code (CVV)
<input name="cvv" inputmode="numeric" autocomplete="cc-csc" required maxlength="4" pattern="[0-9]{3,4}"></label>
<label>Name on the card
<input name="name" autocomplete="cc-name" maxlength="100"></label>
<label>Email
<input name="email" type="email" autocomplete="email" maxlength="255"></label>
<label class="half">Postcode
<input name="postcode" autocomplete="postal-code" maxlength="16"></label>
<label class="half">Country (two letters)
<input name="country" autocomplete="country" maxlength="2" pattern="[A-Za-z]{2}"></label>
<button class="main" id="pay">Pay</button>
</form>
<details id="test-cards" hidden>
<summary>Test cards</summary>
<p class="quiet">${escapeHtml(TEST_CARDS_NOTE)}</p>
<ul class="cards">
${CARDS}
</ul>
</details>
<noscript><p>This page needs scripts.</p></noscript>`;

/** Where the cardholder confirms or cancels; plain forms, so that no script is needed. */
function verifyPage(row: CardPaymentRow): Answer {
  const back = backTo(row);
  const terms = `<h1>Card check</h1>
<p class="quiet">Sandbox bank: no real card is charged.</p>
<dl>
<dt>Merchant</dt><dd>${escapeHtml(back.host)}</dd>
<dt>Amount</dt><dd>${formatMinor(row.amount, row.currency)} ${row.currency}</dd>
<dt>Card</dt><dd>ending in ${row.last_four}</dd>
</dl>`;
  const main =
    row.challenge === 'open'
      ? `${terms}
<form class="choice" method="post">
<button class="main" name="outcome" value="confirm">Confirm payment</button>
<button name="outcome" value="cancel">Cancel</button>
</form>`
      : `${terms}
<p>This payment has already been confirmed or cancelled.</p>
<p><a class="button" href="${escapeHtml(back.href)}">Back to the shop</a></p>`;
  // Browsers apply form-action also to the redirect after a form.
  const policy = [`form-action 'self' ${back.origin}`, `frame-ancestors 'none'`];
  return htmlDocument(200, { title: 'Card check', main, policy });
}

const backToShop = (row: CardPaymentRow): Answer => ({
  status: 303,
  contentType: 'text/plain; charset=utf-8',
  headers: { location: backTo(row).href, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  body: '',
});

/** The create request's `return_url`, with the payment id in its query. */
function backTo({ return_url, payment_id }: CardPaymentRow): URL {
  if (return_url === null) throw new Error('a challenge without a return_url');
  const url = new URL(return_url);
  url.searchParams.set('payment_id', payment_id);
  return url;
}

/** A page for the cardholder's browser: no token, no faults. `form`: the posted fields. */
type PageRoute = (sandbox: Sandbox, token: string, form: URLSearchParams) => Answer;

const PAGE_ROUTES: Routes<PageRoute> = {
  'GET /cards': cardsPage,
  'GET /checkout': checkoutPage,
  'GET /3ds/fingerprint/{token}': ({ books }, token) =>
    noteFingerprint(books, token) ? fingerprintPage() : notFoundPage(),
  'GET /3ds/verify/{token}': ({ books }, token) => {
    const row = cardPaymentOfToken(books.db, token);
    return row === undefined ? notFoundPage() : verifyPage(row);
  },
  'POST /3ds/verify/{token}': verify,
};

function verify(sandbox: Sandbox, token: string, form: URLSearchParams): Answer {
  const { db } = sandbox.books;
  const row = cardPaymentOfToken(db, token);
  if (row === undefined) return notFoundPage();
  const outcome = form.get('outcome');
  if (outcome !== 'confirm' && outcome !== 'cancel') return { ...verifyPage(row), status: 400 };
  db.transaction(() => decideChallenge(sandbox, row, outcome === 'confirm'));
  sandbox.webhooks.wake();
  return backToShop(row);
}

/** The answer to a request for a page; undefined if this path has none. */
export async function answerPage(
  sandbox: Sandbox,
  request: IncomingMessage,
  { method, pathname }: Target,
): Promise<Answer | undefined> {
  const match = matchRoute(PAGE_ROUTES, method, pathname);
  if (match === undefined) return undefined;
  const form = new URLSearchParams(await readBody(request));
  catchUp(sandbox);
  return match.route(sandbox, match.params.token ?? '', form);
}

/** An operation of the card acquiring endpoints (interface section 4). `call.body` is a JSON object. */
type AcquiringRoute = readonly [operation: string, handle: (sandbox: Sandbox, call: Call) => Answer];

export const ACQUIRING_ROUTES: Routes<AcquiringRoute> = {
  'POST /api/v1/acq/3ds/setup': ['cards.setUp', setUp],
  'POST /api/v1/acq/payment': ['cards.create', pay],
  'GET /api/v1/acq/payment/{payment_id}': ['cards.retrieve', retrieve],
};

/** Runs an operation on the books as of now, in one transaction. Throws `Refusal`. */
export function operateAcquirer(sandbox: Sandbox, [, handle]: AcquiringRoute, call: Call): Answer {
  catchUp(sandbox);
  const answer = sandbox.books.db.transaction(() => handle(sandbox, call));
  sandbox.webhooks.wake();
  return answer;
}

function setUp(sandbox: Sandbox, { body }: Call): Answer {
  const { books, seals } = sandbox;
  const { reference_id, token } = setUpSession(books, seals, read(setUpBody, body));
  const url = `${sandbox.baseUrl()}/3ds/fingerprint/${token}`;
  return shaped(sandbox, { reference_id, data_collection_info: { url, token } });
}

/** How long the answer is delayed after the webhook in the scenario `webhook-first`. */
const WEBHOOK_FIRST_MS = 1_000;

/** Create and resume have the same path (interface section 4, "entry point for all card transactions"). */
function pay(sandbox: Sandbox, { body }: Call): Answer {
  const { merchant_request_id: requestId } = read(requestIdBody, body);
  const known = firstAnswer(sandbox, requestId, body);
  if (known !== undefined) return json(200, JSON.parse(known));
  const resumes = isResume(body);
  const row = resumes
    ? resumeCardPayment(sandbox, read(resumeBody, body))
    : createCardPayment(sandbox, read(createBody, body));
  const answer = answerOf(sandbox, row);
  keepAnswer(sandbox, requestId, body, answer.body.toString());
  const answersLater = !resumes && scenarioNamed(row.scenario).webhook === 'before-answer';
  return answersLater ? { ...answer, notBeforeMs: WEBHOOK_FIRST_MS } : answer;
}

function retrieve(sandbox: Sandbox, { params }: Call): Answer {
  return answerOf(sandbox, requireCardPayment(sandbox.books.db, params.payment_id ?? ''));
}

const answerOf = (sandbox: Sandbox, row: CardPaymentRow): Answer =>
  shaped(sandbox, toCardPayment(row, sandbox.baseUrl()));

/** The interface does not show the shape of these answers: the profile decides whether they have the banking envelope. */
function shaped({ books }: Sandbox, data: object): Answer {
  return json(200, books.profile.cardEnvelope === 'bare' ? data : { code: 0, msg: ENVELOPE_CODES[0], data });
}
