import { type Html, html } from '../../reports/html.ts';
import { csrfField, type View } from './layout.ts';
import { payoutPath } from './pieces.ts';
import { byField } from './signed-form.ts';

/** Form that stops a payout if that is still possible. */
export const cancelForm = (view: View, reference: string): Html => html`<section><h2>Cancel</h2>
<form class="card" method="post" action="${payoutPath(reference)}/cancel">${csrfField(view)}
<p>It ends unpaid if that is still possible; an order that the bank has accepted continues. This cannot be undone.</p>
${view.isTrial && byField()}
<p><label>Why it is cancelled <input name="reason" required maxlength="200"></label></p>
<div class="actions"><button class="danger">Cancel</button></div>
</form></section>`;
