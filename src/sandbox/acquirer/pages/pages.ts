import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import escapeHtml from 'escape-html';
import { formatMinor } from '../../../domain/money.ts';
import type { Answer } from '../../http/answer.ts';
import type { CardPaymentRow } from '../payment-row.ts';
import { TEST_CARDS, TEST_CARDS_NOTE } from '../scenarios.ts';

const STYLE = readFileSync(new URL('style.css', import.meta.url), 'utf8');

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
export const spaced = (number: string): string => number.replace(/(.{4})(?=.)/g, '$1 ');

export const notFoundPage = (): Answer =>
  htmlDocument(404, {
    title: 'Not found',
    main: '<h1>Not found</h1>\n<p>There is nothing at this address.</p>',
    policy: [`form-action 'none'`, `frame-ancestors 'none'`],
  });

/** Stands in for the device fingerprint: only that it was loaded is recorded. Any shop may frame it. */
export const fingerprintPage = (): Answer =>
  htmlDocument(200, {
    title: 'Device check',
    main: '<p>The device was checked.</p>',
    policy: [`form-action 'none'`],
  });

export function cardsPage(): Answer {
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

const SCRIPT = readFileSync(new URL('checkout-script.js', import.meta.url), 'utf8');

/** Only gateways on this machine: the page passes a card to the gateway in its URL. */
const GATEWAYS = 'http://127.0.0.1:* http://localhost:*';

/**
 * A shop's checkout for demonstrations: `/checkout#gateway=<url>&id=<merchant_request_id>&secret=<client_secret>`. Browsers never
 * send the part after # to a server. `#status` has the payment's state in `data-state`.
 */
export const checkoutPage = (): Answer =>
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
export function verifyPage(row: CardPaymentRow): Answer {
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

export const backToShop = (row: CardPaymentRow): Answer => ({
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
