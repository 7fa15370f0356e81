import type { ResolveAction } from '../../domain/resolve-action.ts';
import { type Html, html } from '../../reports/html.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { View } from './layout.ts';
import { payoutPath } from './pieces.ts';
import { signedForm } from './signed-form.ts';

/** Whether only an operator can decide it. */
export const isUndecidable = ({ state }: PayoutRecord): boolean => state === 'needs-operator';

/** Labels in the form. */
export const MEANS: Readonly<Record<ResolveAction, string>> = {
  'keep-looking': 'Check the bank again',
  'adopt-order': 'Follow the order named below',
  resend: 'Send it again under the same reference',
  'close-as-not-paid': 'Close it: no money has moved',
};

/** The decisions of an operator about a payout that the product cannot decide. */
export const resolveForm = (view: View, { reference }: PayoutRecord): Html => html`<section><h2>An operator decides</h2>
<p>Enter what you know. It is checked against the bank first, and refused if the bank shows something else. What
the bank does not show, a second person has to say as well, with evidence.</p>
<div class="card">${signedForm(
  view,
  `${payoutPath(reference)}/resolve`,
  html`<p><label>Action <select name="action">${Object.entries(MEANS).map(([action, means]) => html`<option value="${action}">${means}</option>`)}</select></label></p>
<p><label>Evidence <input name="evidence" required maxlength="200" aria-describedby="evidence-help"></label>
<span class="quiet" id="evidence-help">For example a statement or an answer of the bank. No names or account numbers.</span></p>
<p><label>Bank order <input name="order" maxlength="200" aria-describedby="order-help"></label>
<span class="quiet" id="order-help">Only to follow an order: its id at the bank.</span></p>`,
  html`<button class="main">Resolve</button>`,
)}</div></section>`;
