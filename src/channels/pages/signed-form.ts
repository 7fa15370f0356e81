import { type Html, html } from '../../reports/html.ts';
import { csrfField, type View } from './layout.ts';

/**
 * A form whose sender is known: under a policy by a passkey's signature, which the page's script adds; in a trial by a name that
 * is believed.
 */
export const signedForm = (view: View, action: string, fields: Html, buttons: Html): Html =>
  html`<form method="post" action="${action}"${!view.isTrial && html` data-passkey="get"`}>
${csrfField(view)}${view.isTrial ? byField() : html`<input type="hidden" name="signed">`}
${fields}
<div class="actions">${buttons}</div>
<p class="problem" role="alert" data-problem hidden></p>
</form>`;

export const byField = (): Html =>
  html`<p><label>Your name <input name="by" required maxlength="64" autocomplete="name"></label></p>`;

/**
 * The first button of a form with several: a browser takes that one for Enter in a field, and does nothing for a disabled one.
 */
export const NO_DEFAULT = html`<button disabled hidden></button>`;
