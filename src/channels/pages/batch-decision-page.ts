import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { signalPlan } from '../../activities/batch.ts';
import { decidesAs, type Person } from '../../domain/authority.ts';
import { counted, totalsText } from '../../domain/display.ts';
import { groupedAmount } from '../../domain/money.ts';
import { FLAGS, type Flag } from '../../domain/payee.ts';
import { Problem } from '../../domain/problem.ts';
import {
  type BatchPlan,
  onlyRows,
  planReader,
  plansToSign,
  planToSign,
  preparePlan,
  type ReadPlan,
  readOnce,
  type ShownRow,
  takePlan,
  WHY_EXCLUDED,
} from '../../people/decisions/batch-plan.ts';
import { executionsOver } from '../../platform/temporal/workflow-executions.ts';
import { type Html, html } from '../../reports/html.ts';
import { alikeText, capsText, flagsOfAll, flagTexts, payeeShown } from '../../reports/question-facts.ts';
import type { BatchRecord } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { optionalText, parsed } from '../http/documents.ts';
import { visibleBatchOf } from '../http/may-see.ts';
import { accessOf, type CallerAccess } from '../http/route-access.ts';
import { show, type View, viewOf } from './layout.ts';
import { batchPath, type Column, dataTable, foldedTable, money, moreRows, nothing, payoutPath } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import {
  assertReasoned,
  canSign,
  NO_DEFAULT,
  NO_PASSKEY,
  remarkField,
  senderFields,
  signedForm,
  signedOrAsked,
} from './signed-forms.ts';

/** What is signed is the plan as it was shown, without the listed rows that have no tick: each tick is a field `tick-REFERENCE`. */
const decideBody = z
  .object({
    decision: z.enum(['approve', 'reject']),
    digestApprove: z.string().max(1_000).optional(),
    digestReject: z.string().max(1_000).optional(),
    q: optionalText,
    listed: z.string().max(20_000).default(''),
    remark: remarkField,
    signed: senderFields.signed,
  })
  .catchall(z.string());

const DECIDING: CallerAccess = { roles: ['approver'], scope: 'each' };

const DECISIONS = ['approve', 'reject'] as const;
type Decision = (typeof DECISIONS)[number];

/** `/batches/ID/decide`: one signature for the rows of a batch that ask, or will ask, the same question. */
export function batchDecisionRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  app.get('/batches/:id/decide', accessOf(DECIDING), async (request, reply) => {
    const { q } = parsed(z.object({ q: optionalText }), request.query);
    const batch = await visibleBatchOf(gateway, request);
    const { name: subject } = deciderOf(request, batch);
    const view = viewOf(request, reply, gateway);
    const { batchId } = batch;
    const plans = await plansToSign(matching(planReader(gateway, { batchId, subject }), q), batchId, DECISIONS);
    return show(reply, view, { title: `Decide ${batch.file}`, body: page({ view, batch, q }, plans) });
  });
  app.post('/batches/:id/decide', accessOf(DECIDING), async (request, reply) => {
    const batch = await visibleBatchOf(gateway, request);
    const person = deciderOf(request, batch);
    const asked = parsed(decideBody, request.body, 'form');
    const { decision, remark, signed } = asked;
    const plan = await planAsked(gateway, { batchId: batch.batchId, subject: person.name }, asked);
    assertReasoned({ decision, remark });
    const { question, digest } = plan;
    const about = { question, reference: batch.batchId, digest, decision, remark };
    const signing = signedOrAsked(request, gateway, person, about, signed);
    if ('asked' in signing) return signing.asked;
    const taken = await takePlan(gateway, plan, signing.signed);
    if ('refused' in taken) {
      throw new Problem('conflict', 'decision-refused', `This was not accepted: ${taken.refused}.`, {
        hint: 'Reload the page of the batch.',
      });
    }
    await signalPlan({ store: gateway.store, executions: executionsOver(gateway.client) }, signing.signed);
    return reply.redirect(`${batchPath(batch.batchId)}?decided=${signing.signed.id}`, 303);
  });
}

/** The plan that was shown, without the rows whose tick was removed. Throws a `Problem` if it would be another one now. */
async function planAsked(
  gateway: PagesGateway,
  who: { batchId: string; subject: string },
  { decision, q, listed, digestApprove, digestReject, ...fields }: z.output<typeof decideBody>,
): Promise<BatchPlan> {
  const { batchId } = who;
  const read = readOnce(matching(planReader(gateway, who), q));
  const shown = await planToSign(read, { batchId, decision });
  if (shown.digest !== (decision === 'approve' ? digestApprove : digestReject) || shown.rows.length === 0) {
    throw new Problem('conflict', 'asks-otherwise', 'The rows no longer await this decision.', {
      hint: 'Reload the page of the batch.',
    });
  }
  const without = new Set(listed.split(' ').filter((reference) => fields[`tick-${reference}`] === undefined));
  const plan = await preparePlan(
    onlyRows(read, ({ row }) => !without.has(row.reference)),
    shown,
  );
  if (plan.rows.length > 0) return plan;
  throw new Problem('usage', 'nothing-chosen', 'No row has a tick.', { hint: 'Tick the rows that you decide.' });
}

/** Rows whose document, payee, account, note or amount contains the text. */
function matching(read: ReadPlan, q: string | undefined): ReadPlan {
  const sought = q?.trim().toLowerCase() ?? '';
  if (sought === '') return read;
  return onlyRows(read, ({ row, payee }) => {
    const { name, account, id = '' } = payeeShown({ row, payee });
    const { amount, note = '' } = row.instruction;
    const texts = [row.documentId, name, account, id, note, amount, groupedAmount(amount)];
    return texts.some((text) => text.toLowerCase().includes(sought));
  });
}

/** Whether somebody may decide rows of a batch together: only under a policy, and not their own. */
export const mayDecideBatch = ({ person }: Caller, { by }: BatchRecord): boolean =>
  decidesAs(person, 'payout', { maker: by }).length > 0;

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

const APART_MAX = 100;

interface DecisionPage {
  view: View;
  batch: BatchRecord;
  /** What the rows were searched for. */
  q: string | undefined;
}

/** What one signature decides, and what not; a rejection also covers rows that must be approved separately. */
function page(shown: DecisionPage, { approve, reject }: Record<Decision, BatchPlan>): Html {
  const { batch, q } = shown;
  const excluded = approve.apart.filter(({ reference }) => !reject.rows.some((row) => row.reference === reference));
  return html`<h1>Decide together</h1>
<p><a href="${batchPath(batch.batchId)}">${batch.file}</a>, submitted by ${batch.by ?? 'somebody unknown'}.</p>
<form class="filters" method="get" action="${batchPath(batch.batchId)}/decide">
<label>Only rows with <input type="search" name="q" value="${q ?? ''}" maxlength="100" placeholder="document, payee, note or amount"></label>
<button>Show</button>${q !== undefined && html` <a class="button" href="${batchPath(batch.batchId)}/decide">Show all</a>`}</form>
${reject.rows.length === 0 ? nothing('No rows wait for your decision.') : decisionForm(shown, { approve, reject })}
${apartRows(excluded)}`;
}

const payouts = ({ rows }: BatchPlan): string => counted(rows.length, 'payout');

function summary(plan: BatchPlan): Html {
  const { question, rows, totals, payees, newPayees, caps, flags, alikes } = plan;
  if (rows.length === 0) return html`<p class="attend">None of these rows can be approved together with others.</p>`;
  const flagged = Object.entries(flags) as [Flag, number][];
  const isNew = newPayees === 0 ? '' : `, ${groupedAmount(newPayees)} of them new`;
  return html`<p>${payouts(plan)}, <strong>${totalsText(totals)}</strong>, to ${counted(payees, 'payee')}${isNew}.
${question === 'bank' && "These orders wait for the bank's audit."} A signature covers each row as it is shown here: if its payee or a cap changes, that row asks again.</p>
<ul class="quiet">${caps.map((it) => html`<li>${capsText(it)}</li>`)}</ul>
${flagged.length > 0 && html`<ul class="flags">${flagged.map(([flag, n]) => html`<li class="badge attention">${groupedAmount(n)}: ${FLAGS[flag]}</li>`)}</ul>`}
${alikes.map((ids) => html`<p class="attend">${alikeText(ids)}.</p>`)}`;
}

/** All rows of the rejection, which covers those of the approval. */
function decisionForm({ view, batch, q }: DecisionPage, { approve, reject }: Record<Decision, BatchPlan>): Html {
  const alone = new Map(approve.apart.map(({ reference, why }) => [reference, WHY_EXCLUDED[why]]));
  const others = reject.rows.length - reject.shown.length;
  const ofAll = flagsOfAll(approve);
  const more = (hidden: readonly ShownRow[]): string => {
    const toCheck = hidden.filter(({ row }) => alone.has(row.reference) || flagsToCheck(row, ofAll).length > 0);
    return `${moreRows(hidden)}${toCheck.length > 0 ? `, ${groupedAmount(toCheck.length)} of them to check` : ''}`;
  };
  const caption = 'New and changed payees first, then the largest; rows without a tick are left out';
  const rows = foldedTable([caption, more], rowColumns(alone, ofAll), reject.shown);
  if (!canSign(view)) return html`${summary(approve)}${rows}${NO_PASSKEY}`;
  return html`${summary(approve)}
${signedForm(
  view,
  `${batchPath(batch.batchId)}/decide`,
  html`${NO_DEFAULT}<input type="hidden" name="digestApprove" value="${approve.digest}"><input type="hidden" name="digestReject" value="${reject.digest}"><input type="hidden" name="q" value="${q ?? ''}"><input type="hidden" name="listed" value="${reject.shown.map(({ row }) => row.reference).join(' ')}">
${rows}
${others > 0 && html`<p class="attend">${counted(others, 'more row is', 'more rows are')} decided too: those listed are the ones with new or changed payees, then the largest. Search to see others.</p>`}
<p><label>Remark <input name="remark" maxlength="200" aria-describedby="remark-help"></label>
<span class="quiet" id="remark-help">Needed to reject.</span></p>`,
  html`${approve.rows.length > 0 && button('approve', approve)}${button('reject', reject)}`,
)}
<details><summary>What is signed</summary>
<p class="quiet">With every tick: for an approval <code>${approve.digest}</code>, for a rejection <code>${reject.digest}</code>.</p></details>`;
}

/** The page's script counts the ticks. */
const button = (decision: Decision, plan: BatchPlan): Html =>
  html`<button class="${decision === 'approve' ? 'main' : 'danger'}" name="decision" value="${decision}" data-of="${plan.rows.length}" data-totals="${plan.totals.map(({ amount, currency }) => `${amount} ${currency}`).join(' ')}">${decision === 'approve' ? 'Approve' : 'Reject'} ${payouts(plan)}</button>
`;

const flagsToCheck = (row: ShownRow['row'], ofAll: readonly string[]): string[] =>
  flagTexts(row).filter((flag) => !ofAll.includes(flag));

/** `ofAll`: what is to be checked of every row, which the summary says. */
const rowColumns = (alone: ReadonlyMap<string, string>, ofAll: readonly string[]): readonly Column<ShownRow>[] => [
  {
    head: 'Document',
    cell: ({ row: { reference, documentId, instruction } }) =>
      html`<span class="tick"><input type="checkbox" name="tick-${reference}" value="yes" checked aria-label="Decide ${documentId}" data-tick="${instruction.amount} ${instruction.currency}"${alone.has(reference) && html` data-alone`}> <a href="${payoutPath(reference)}">${documentId}</a></span>`,
  },
  { head: 'Payee', cell: (shown) => payeeCell(shown) },
  { head: 'Amount', isFigure: true, cell: ({ row: { instruction: it } }) => money(it.amount, it.currency) },
  { head: 'Note', cell: ({ row }) => row.instruction.note },
  {
    head: 'Check',
    cell: ({ row }) => {
      const why = alone.get(row.reference);
      const flags = [...flagsToCheck(row, ofAll), ...(why === undefined ? [] : [why])];
      return (
        flags.length > 0 &&
        html`<span>${flags.map((flag) => html`<span class="badge attention">${flag}</span> `)}</span>`
      );
    },
  },
];

/** Each part by itself, for names that are written from right to left. */
function payeeCell(shown: ShownRow): Html {
  const { id, name, account, bank, country } = payeeShown(shown);
  const own = shown.row.kind === 'payout' ? undefined : shown.row.instruction.to_account_id;
  const where = [bank, country].filter((part) => part !== '').join(', ');
  return html`<span><bdi>${own ?? (name || id)}</bdi><br><bdi>${account}</bdi>${where !== '' && html` <span class="quiet">${where}</span>`}</span>`;
}

const apartRows = (rows: BatchPlan['apart']): Html | false =>
  rows.length > 0 &&
  html`<section><h2>${counted(rows.length, 'row needs a separate decision', 'rows need separate decisions')}</h2>
${dataTable('Not covered by this signature', ROWS_APART, rows.slice(0, APART_MAX))}
${rows.length > APART_MAX && html`<p class="quiet">The first ${APART_MAX} are shown; the page of the batch lists all of them.</p>`}</section>`;
