import escapeHtml from 'escape-html';
import { formatMinor } from '../../../domain/money.ts';
import type { Answer } from '../../http/answer.ts';
import type { CardPaymentRow } from '../payment-row.ts';
import { htmlDocument } from './document.ts';

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
