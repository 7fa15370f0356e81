import { counted } from '../../domain/display.ts';
import { needsAttention } from '../../domain/payout-state.ts';
import { roleAskedOf } from '../../people/decisions/scope.ts';
import type { Comparison } from '../../reports/comparison.ts';
import { type Html, html } from '../../reports/html.ts';
import type { NextStep } from '../../reports/next-step.ts';
import { askedFacts, flagTexts, questionText } from '../../reports/question-facts.ts';
import type { IncidentRecord, PayoutRecord } from '../../store/store.ts';
import { DECIDERS } from '../http/may-see.ts';
import { incidentNote } from './incidents-page.ts';
import { csrfField, type View } from './layout.ts';
import { instructionFacts, originFacts, paymentFacts } from './payout-facts.ts';
import type { PayoutShown } from './payout-view.ts';
import { badge, type Column, dataTable, factList, MEANS, money, payoutPath, stepFacts } from './pieces.ts';
import { byField, NO_DEFAULT, signedForm } from './signing.ts';

interface PayoutPage {
  view: View;
  shown: PayoutShown;
  story: Html;
  incidents: readonly IncidentRecord[];
  workflowUrl: string;
  mayDecide: boolean;
  mayResolve: boolean;
  mayCancel: boolean;
  /** Undefined once completed. */
  step: NextStep | undefined;
  /** Epoch ms. */
  now: number;
  /** Comparisons; undefined if the bank does not answer. */
  sides: readonly Comparison[] | undefined;
  /** Result of the viewer's last action. */
  answer: string | undefined;
  /** It was a decision, which the row may not show yet. */
  hasJustDecided: boolean;
}

export function payoutPage(page: PayoutPage): Html {
  const { view, shown, story, incidents, workflowUrl, answer } = page;
  const { row } = shown;
  const { documentId, state, reference } = row;
  const { amount, currency } = row.instruction;
  const flags = flagTexts(row);
  return html`<h1>${row.kind !== 'payout' && `${row.kind} `}${documentId} ${badge(state)}</h1>
${answer !== undefined && html`<p class="note" role="status">${answer}</p>`}
${incidents.map((it) => incidentNote(it, view))}
<section class="card" aria-label="What is paid">
<p class="amount">${money(amount, currency)}</p>
${flags.length > 0 && html`<ul class="flags">${flags.map((flag) => html`<li class="badge attention">${flag}</li>`)}</ul>`}
${paymentFacts(shown)}
</section>
${next(page)}
${bothSides(page.sides)}
${decision(page)}
${page.mayResolve && resolveForm(view, row)}
${page.mayCancel && cancelForm(view, reference)}
<section><h2>History</h2>
${story}</section>
<section><h2>Origin</h2>
${originFacts(shown, workflowUrl)}</section>
<details><summary>Every field of the row</summary>
${instructionFacts(row)}</details>`;
}

/** Why it waits or has ended, and what to do. */
function next({ view: { caller }, step, now, shown }: PayoutPage): Html | false {
  if (step === undefined || caller === undefined) return false;
  const { state, reason } = shown.row;
  return html`<section><h2>${step.hasEnded ? 'How it ended' : 'What happens next'}</h2>
<p class="${needsAttention(state, reason) ? 'attend' : 'note'}">${step.why} (<code>${step.kind}</code>)</p>
${stepFacts(step, { caller, now })}
</section>`;
}

function bothSides(sides: PayoutPage['sides']): Html | false {
  if (sides?.length === 0) return false;
  return html`<section><h2>Both sides</h2>
${sides?.map(comparisonTable) ?? html`<p class="problem">The bank does not answer now, so its side of the comparison is missing.</p>`}</section>`;
}

const comparisonTable = ({ title, sides, lines, note }: Comparison): Html => {
  const columns: Column<Comparison['lines'][number]>[] = [
    { head: 'What', cell: ({ name }) => name },
    ...sides.map((head, side): Column<Comparison['lines'][number]> => ({ head, cell: ({ values }) => values[side] })),
    { head: 'Same?', cell: ({ differs }) => differs && html`<span class="badge attention">differs</span>` },
  ];
  return html`${lines.length === 0 ? html`<p>${title}</p>` : dataTable(title, columns, lines)}
${note !== undefined && html`<p class="quiet">${note}</p>`}`;
};

function decision(page: PayoutPage): Html | false {
  const { view, shown } = page;
  const { row, asked, approvedBy, differs } = shown;
  if (asked === undefined) return false;
  if (page.hasJustDecided)
    return html`<p>The page does not show your decision yet: <a href="${payoutPath(row.reference)}">reload it</a> in a moment.</p>`;
  const missing = asked.needed - approvedBy.length;
  const summary = html`<p>It needs ${missing === asked.needed ? counted(missing, 'approval') : counted(missing, 'more approval')}.
${approvedBy.length > 0 && `Approved by ${approvedBy.join(', ')}.`}</p>`;
  const offer = approvedBy.includes(view.caller?.name ?? '')
    ? html`<p class="note">You have approved it.</p>`
    : page.mayDecide
      ? form(view, row.reference, asked.digest, differs === undefined)
      : html`<p class="quiet">You cannot decide this: it requires ${DECIDERS[roleAskedOf(row)]} whose scope covers it and who is not its maker.</p>`;
  return html`<section><h2>${questionText(shown)}</h2>${summary}
${factList(
  askedFacts(shown)
    .filter(([name]) => name !== 'Needs')
    .map(([name, text]) => [name, name === 'Digest' ? html`<code>${text}</code>` : text]),
)}
${differs !== undefined && html`<p class="problem">It cannot be approved now: ${differs}. Reload the page in a moment; it can only be rejected until both agree.</p>`}
${offer}
</section>`;
}

const form = (view: View, reference: string, digest: string, isApprovable: boolean): Html =>
  html`<div class="card">${signedForm(
    view,
    `${payoutPath(reference)}/decide`,
    html`${NO_DEFAULT}<input type="hidden" name="digest" value="${digest}">
<p><label>Remark <input name="remark" maxlength="200" aria-describedby="remark-help"></label>
<span class="quiet" id="remark-help">Needed to reject.</span></p>`,
    html`${isApprovable && html`<button class="main" name="decision" value="approve">Approve</button>`}
<button class="danger" name="decision" value="reject">Reject</button>`,
  )}</div>`;

const cancelForm = (view: View, reference: string): Html => html`<section><h2>Cancel</h2>
<form class="card" method="post" action="${payoutPath(reference)}/cancel">${csrfField(view)}
<p>It ends unpaid if that is still possible; an order that the bank has accepted continues. This cannot be undone.</p>
${view.isTrial && byField()}
<p><label>Why it is cancelled <input name="reason" required maxlength="200"></label></p>
<div class="actions"><button class="danger">Cancel</button></div>
</form></section>`;

/** The decisions of an operator about a payout that the product cannot decide. */
const resolveForm = (view: View, { reference }: PayoutRecord): Html => html`<section><h2>An operator decides</h2>
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
