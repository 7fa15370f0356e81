import { type Html, html } from '../../reports/html.ts';
import type { Page } from './layout.ts';

interface ErrorShown {
  error?: { message?: string; hint?: string };
}

/** The error document of the API, as a page for people. */
export function errorPage(document: object): Page {
  const { message = 'Something went wrong.', hint } = (document as ErrorShown).error ?? {};
  const body: Html = html`<section class="narrow">
<h1>This did not work</h1>
<p class="problem" role="alert">${message}</p>
${hint !== undefined && html`<p>${hint}</p>`}
<p><a href="/">Back to the start page</a></p>
</section>`;
  return { title: 'This did not work', body };
}
