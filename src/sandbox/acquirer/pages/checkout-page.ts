import { readFileSync } from 'node:fs';
import escapeHtml from 'escape-html';
import type { Answer } from '../../http/answer.ts';
import { TEST_CARDS, TEST_CARDS_NOTE } from '../scenarios.ts';
import { htmlDocument, spaced } from './document.ts';

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
