import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { signalPlan } from '../../activities/batch.ts';
import { isSamePerson, may, type Person } from '../../domain/authority.ts';
import { counted, groupedAmount } from '../../domain/display.ts';
import { FLAGS, type Flag } from '../../domain/payee.ts';
import { Problem } from '../../domain/problem.ts';
import {
  type BatchPlan,
  planReader,
  plansToSign,
  planToSign,
  takePlan,
  WHY_EXCLUDED,
} from '../../people/decisions/batch-plan.ts';
import { executionsOver } from '../../platform/temporal/workflow-executions.ts';
import { type Html, html } from '../../reports/html.ts';
import { capsText } from '../../reports/question-facts.ts';
import type { BatchRecord } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { parsed } from '../http/documents.ts';
import { visibleBatchOf } from '../http/may-see.ts';
import { accessOf, type CallerAccess } from '../http/route-access.ts';
import { show, type View, viewOf } from './layout.ts';
import { batchPath, type Column, dataTable, money, nothing, payoutPath, TOTALS } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import { assertReasoned, remarkField, senderFields, signedForm, signedOrAsked } from './signed-forms.ts';

const decideBody = z.object({
  digest: z.string().max(1_000),
  remark: remarkField,
  signed: senderFields.signed,
});

const DECIDING: CallerAccess = { roles: ['approver'], scope: 'each' };

const DECISIONS = ['approve', 'reject'] as const;
type Decision = (typeof DECISIONS)[number];

/** `/batches/ID/decide`: one signature for the rows of a batch that ask, or will ask, the same question. */
export function batchDecisionRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  app.get('/batches/:id/decide', accessOf(DECIDING), async (request, reply) => {
    const batch = await visibleBatchOf(gateway, request);
    const { name: subject } = deciderOf(request, batch);
    const view = viewOf(request, reply, gateway);
    const { batchId } = batch;
    const plans = await plansToSign(planReader(gateway, { batchId, subject }), batchId, DECISIONS);
    return show(reply, view, { title: `Decide ${batch.file}`, body: page(view, batch, plans) });
  });
  for (const decision of DECISIONS) {
    app.post(`/batches/:id/${decision}`, accessOf(DECIDING), async (request, reply) => {
      const batch = await visibleBatchOf(gateway, request);
      const person = deciderOf(request, batch);
      const { digest, remark, signed } = parsed(decideBody, request.body, 'form');
      const { batchId } = batch;
      const plan = await planToSign(planReader(gateway, { batchId, subject: person.name }), { batchId, decision });
      if (plan.digest !== digest || plan.rows.length === 0) {
        throw new Problem('conflict', 'asks-otherwise', 'The rows no longer await this decision.', {
          hint: 'Reload the page of the batch.',
        });
      }
      assertReasoned({ decision, remark });
      const about = { question: plan.question, reference: batch.batchId, digest, decision, remark };
      const signing = signedOrAsked(request, gateway, person, about, signed);
      if ('asked' in signing) return signing.asked;
      const taken = await takePlan(gateway, plan, signing.signed);
      if ('refused' in taken) {
        throw new Problem('conflict', 'decision-refused', `This was not accepted: ${taken.refused}.`, {
          hint: 'Reload the page of the batch.',
        });
      }
      await signalPlan({ store: gateway.store, executions: executionsOver(gateway.client) }, signing.signed);
      return reply.redirect(`${batchPath(batch.batchId)}?notice=decided`, 303);
    });
  }
}

/** Whether somebody may decide rows of a batch together: only under a policy, and not their own. */
export const mayDecideBatch = ({ person }: Caller, { by }: BatchRecord): boolean =>
  person !== undefined && may(person, 'payout') && !isSamePerson(by ?? '', person.name);

/** Throws a `Problem` if not. */
function deciderOf({ caller }: FastifyRequest, batch: BatchRecord): Person {
  const { person } = caller;
  if (person !== undefined && mayDecideBatch(caller, batch)) return person;
  throw new Problem('forbidden', 'role-missing', 'You cannot decide the rows of this batch together.', {
    hint: 'This requires a policy, and an approver who is not the maker of the batch.',
  });
}

const ROWS_APART: readonly Column<BatchPlan['apart'][number]>[] = [
  { head: 'Document', cell: ({ reference, documentId }) => html`<a href="${payoutPath(reference)}">${documentId}</a>` },
  { head: 'Amount', isFigure: true, cell: ({ amount, currency }) => money(amount, currency) },
  { head: 'Why', cell: ({ why }) => WHY_EXCLUDED[why] },
];

const SHOWN_MAX = 100;

/** What one signature decides, and what not; a rejection also covers rows that must be approved separately. */
function page(view: View, batch: BatchRecord, { approve, reject }: Record<Decision, BatchPlan>): Html {
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
  const { question, rows, totals, payees: count, newPayees, caps, flags } = plan;
  if (rows.length === 0) return nothing('No rows can be approved together.');
  const flagged = Object.entries(flags) as [Flag, number][];
  return html`<p>${payouts(plan)} to ${counted(count, 'payee')}, ${groupedAmount(newPayees)} of them new.
${question === 'bank' && "These orders wait for the bank's audit."} The decision covers each row as shown: if its payee or caps change, the row needs a new decision.</p>
<ul class="quiet">${caps.map((it) => html`<li>${capsText(it)}</li>`)}</ul>
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
