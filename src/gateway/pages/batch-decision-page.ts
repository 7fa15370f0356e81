import { FLAGS, type Flag } from '../../domain/flags.ts';
import { counted, groupedAmount } from '../../reports/display.ts';
import { type Html, html } from '../../reports/html.ts';
import { type BatchPlan, WHY_EXCLUDED } from '../../services/decisions/plan.ts';
import type { BatchRecord } from '../../store/store.ts';
import type { View } from './layout.ts';
import { batchPath, type Column, dataTable, money, nothing, payoutPath, TOTALS } from './pieces.ts';
import { signedForm } from './signed-form.ts';

export interface BatchDecisionPage {
  view: View;
  batch: BatchRecord;
  /** What one signature would approve or reject; a rejection also covers rows that must be approved separately. */
  approve: BatchPlan;
  reject: BatchPlan;
}

type ExcludedRow = BatchPlan['apart'][number];

const ROWS_APART: readonly Column<ExcludedRow>[] = [
  { head: 'Document', cell: ({ reference, documentId }) => html`<a href="${payoutPath(reference)}">${documentId}</a>` },
  { head: 'Amount', isFigure: true, cell: ({ amount, currency }) => money(amount, currency) },
  { head: 'Why', cell: ({ why }) => WHY_EXCLUDED[why] },
];

const SHOWN_MAX = 100;

/** What one signature decides, and what not. */
export function batchDecisionPage({ view, batch, approve, reject }: BatchDecisionPage): Html {
  return html`<h1>Decide together</h1>
<p><a href="${batchPath(batch.batchId)}">${batch.file}</a>, maker: ${batch.by ?? 'not known'}.</p>
${planned(approve)}
${approve.rows.length > 0 && form(view, approve, html``, html`<button class="main">Approve ${payouts(approve)}</button>`)}
${
  reject.rows.length > 0 &&
  form(
    view,
    reject,
    html`<p><label>Why <input name="remark" maxlength="200" required></label></p>`,
    html`<button class="danger">Reject ${payouts(reject)}</button>`,
  )
}
${excludedRows(approve)}`;
}

const payouts = ({ rows }: BatchPlan): string => counted(rows.length, 'payout');

function planned(plan: BatchPlan): Html {
  const { question, rows, totals, payees: count, newPayees, flags } = plan;
  if (rows.length === 0) return nothing('No rows can be approved together.');
  const flagged = Object.entries(flags) as [Flag, number][];
  return html`<p>${payouts(plan)} to ${counted(count, 'payee')}, ${groupedAmount(newPayees)} of them new.
${question === 'bank' && "These orders wait for the bank's audit."} The decision covers each row as shown: if its payee or caps change, the row needs a new decision.</p>
${flagged.length > 0 && html`<ul class="flags">${flagged.map(([flag, n]) => html`<li class="badge attention">${groupedAmount(n)}: ${FLAGS[flag]}</li>`)}</ul>`}
${dataTable('Amounts', TOTALS, totals)}`;
}

const form = (view: View, plan: BatchPlan, fields: Html, button: Html): Html => html`<div class="card">${signedForm(
  view,
  `${batchPath(plan.batchId)}/${plan.decision}`,
  html`<input type="hidden" name="digest" value="${plan.digest}">${fields}`,
  button,
)}
<p class="quiet">Digest of the decision: <code>${plan.digest}</code></p></div>`;

const excludedRows = ({ apart: rows }: BatchPlan): Html | false =>
  rows.length > 0 &&
  html`<section><h2>${counted(rows.length, 'row needs a separate decision', 'rows need separate decisions')}</h2>
${dataTable('Not covered by this signature', ROWS_APART, rows.slice(0, SHOWN_MAX))}
${rows.length > SHOWN_MAX && html`<p class="quiet">The first ${SHOWN_MAX} are shown; the page of the batch lists all of them.</p>`}</section>`;
