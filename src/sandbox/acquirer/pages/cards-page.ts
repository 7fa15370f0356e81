import escapeHtml from 'escape-html';
import type { Answer } from '../../http/answer.ts';
import { TEST_CARDS, TEST_CARDS_NOTE } from '../scenarios.ts';
import { htmlDocument, spaced } from './document.ts';

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
