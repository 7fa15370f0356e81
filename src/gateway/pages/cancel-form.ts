import { type Html, html } from './html.ts';
import { csrfField, type View } from './layout.ts';
import { payoutPath } from './pieces.ts';
import { byField } from './signed-form.ts';

/** Stops a payout where that is still possible. */
export const cancelForm = (view: View, reference: string): Html => html`<section><h2>Stop it</h2>
<form class="card" method="post" action="${payoutPath(reference)}/cancel">${csrfField(view)}
<p>It ends unpaid where that is still possible, and what the bank has taken goes on. This cannot be taken back.</p>
${view.isTrial && byField()}
<p><label>Why it is cancelled <input name="reason" required maxlength="200"></label></p>
<div class="actions"><button class="danger">Cancel</button></div>
</form></section>`;
