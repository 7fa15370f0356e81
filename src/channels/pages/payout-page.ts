import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { v7 } from 'uuid';
import { z } from 'zod';
import { checksShown, type ShownCheck } from '../../activities/payee-checks.ts';
import { BankError } from '../../bank/errors.ts';
import type { Beneficiary } from '../../bank/schemas/beneficiaries.ts';
import { resolveDigest } from '../../domain/authority.ts';
import { counted, totalsText } from '../../domain/display.ts';
import { shownValue, visible } from '../../domain/finding.ts';
import { OWN_FIELDS } from '../../domain/instruction.ts';
import { MESSAGES } from '../../domain/names.ts';
import { canRecheck, needsAttention, RESOLVE_ACTIONS } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { shownStateOf } from '../../domain/returned.ts';
import { roleAskedOf } from '../../people/decisions/scope.ts';
import { openQuestion, type ShownQuestion, shownQuestion } from '../../people/decisions/shown-question.ts';
import { approvedBy, type SignedQuestion, scopeFactsOfRow } from '../../people/decisions/verdict.ts';
import { type AuditedRequest, askAudited, outcomeInWords } from '../../people/decisions/verify.ts';
import { inTime, resolveMs } from '../../platform/temporal/worker-answer.ts';
import { resolvePayout, updatePayout } from '../../platform/temporal/workflow-executions.ts';
import { checkText } from '../../reports/check-texts.ts';
import { type Comparison, sidesShown } from '../../reports/comparison.ts';
import { decidedText } from '../../reports/decided-text.ts';
import { type Html, html } from '../../reports/html.ts';
import { workflowUrl } from '../../reports/links.ts';
import { type NextStep, nextStep } from '../../reports/next-step.ts';
import { askedFacts, flagTexts, paidFacts, questionText } from '../../reports/question-facts.ts';
import { stepContext } from '../../reports/report-source.ts';
import { storyOf } from '../../reports/story.ts';
import { retriedReference } from '../../store/proven-unpaid.ts';
import type { BookedExchange, IncidentRecord, PayoutRecord, ReturnRecord, Store } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { hasControls, optionalText, parsed, storableText } from '../http/documents.ts';
import {
  assertMayOperate,
  DECIDERS,
  mayCancel,
  mayDecide,
  mayOperate,
  maySeePayee,
  maySeePayout,
  maySubmitFiles,
  OPERATING,
  whyNot,
} from '../http/may-see.ts';
import { placeOf } from '../http/operation.ts';
import { RECHECK } from '../http/operations/decision-operations.ts';
import { ANY_ROLE, accessOf, isAllowed } from '../http/route-access.ts';
import { fromBank } from './accounts-page.ts';
import { advicePath } from './advice-page.ts';
import { commentRoute, commentSection } from './comments.ts';
import { incidentNote } from './incidents-page.ts';
import { csrfField, show, type View, viewOf } from './layout.ts';
import {
  badge,
  batchPath,
  type Column,
  dataTable,
  factList,
  MEANS,
  moment,
  money,
  payoutPath,
  stepFacts,
} from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import {
  assertReasoned,
  byField,
  NO_DEFAULT,
  operatorOf,
  remarkField,
  senderFields,
  senderOf,
  signedForm,
} from './signed-forms.ts';

const decideBody = z.object({
  decision: z.enum(['approve', 'reject']),
  remark: remarkField,
  digest: z.string().max(1_000),
  ...senderFields,
});
const resolveBody = z.object({
  action: z.enum(RESOLVE_ACTIONS),
  evidence: storableText,
  order: optionalText,
  otherOrder: optionalText,
  ...senderFields,
});
const cancelBody = z.object({ reason: storableText, by: storableText.optional() });

/** Value of `notice` after an operator's decision. */
const RESOLVED = 'resolved';

const PASSED_ON = 'Your decision is passed on to the bank.';

/** Answers of the workflow -> texts of the page. */
const NOTICES: ReadonlyMap<unknown, string> = new Map([
  ['approved', 'Approved. The payout continues now.'],
  ['counted', 'Your approval counts. The payout needs another approval.'],
  ['rejected', 'Rejected. Nothing is paid.'],
  ['passed-on', PASSED_ON],
  ['cancelled', 'Cancelled. Nothing is paid.'],
  ['pending', 'Cancel requested. Reload the page in a moment to see whether it was still possible.'],
  ['too-late', 'Too late: it continues, or has ended.'],
  ['rechecking', 'It checks again now. Reload the page in a moment to see the result.'],
  [RESOLVED, 'Accepted. The history shows the answer.'],
]);

const DECIDED: readonly unknown[] = ['approved', 'rejected', 'passed-on'];

const isUndecidable = ({ state }: PayoutRecord): boolean => state === 'needs-operator';

/** What is shown of the viewer's last action. The bank receives an approval in its audit afterwards, and may refuse it. */
const answerOf = (notice: unknown, { state }: PayoutRecord): string | undefined =>
  state === 'awaiting-bank-approval' && DECIDED.includes(notice) ? PASSED_ON : NOTICES.get(notice);

/**
 * `/payouts/REFERENCE`: one payout, its history, the decision that it asks for, and that of an operator if it is undecidable. A
 * cancel needs no signature: it keeps money where it is.
 */
export function payoutRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  app.get('/payouts/:reference', accessOf(ANY_ROLE), async (request, reply) => {
    const row = await payoutIn(request, gateway);
    const { notice } = request.query as { notice?: unknown };
    const { caller } = request;
    const view = viewOf(request, reply, gateway);
    const isMasked = !maySeePayee(caller, row);
    const compared = { store, bank: gateway.bank, settings: gateway.settings, isMasked };
    const sides = await fromBank(view, () => sidesShown(compared, row));
    const body = payoutPage({
      view,
      shown: await payoutShown(gateway, view, row, isMasked),
      story: await historyOf(store, row),
      comments: commentSection(view, row, await store.auditEntriesOf(row.reference)),
      incidents: await store.incidentsOf([row.reference]),
      workflowUrl: workflowUrl(gateway.ui, row.workflowId),
      file: row.batchId === null ? undefined : (await store.batch(row.batchId))?.file,
      mayDecide: mayDecide(caller, row),
      mayResolve: isUndecidable(row) && mayOperate(caller, 'resolve', scopeFactsOfRow(row)),
      mayRecheck: canRecheck(row.state) && isAllowed(RECHECK.access, caller),
      mayCancel: mayCancel(caller, row),
      step: nextStep(row, await stepContext(gateway, [row])),
      now: gateway.now(),
      advicePath: isMasked ? undefined : advicePath(gateway, row),
      sides: sides instanceof BankError ? undefined : sides,
      answer: (await ownApproval(gateway, caller, { row, notice })) ?? answerOf(notice, row),
      hasJustDecided: DECIDED.includes(notice),
    });
    return show(reply, view, { title: row.documentId, body });
  });
  app.post(
    '/payouts/:reference/decide',
    accessOf({ roles: ['approver', 'compliance'], scope: 'each' }),
    async (request, reply) => {
      const row = await payoutIn(request, gateway);
      const { decision, remark, digest, ...sent } = parsed(decideBody, request.body, 'form');
      const { reference } = row;
      const question = await questionAsked(request, gateway, row, { digest, decision });
      assertReasoned({ decision, remark });
      const sender = senderOf(request, gateway, { question, reference, digest, decision, remark }, sent);
      if ('asked' in sender) return sender.asked;
      const update = { decisionId: sender.signed?.id ?? v7(), decision, remark, digest, ...sender };
      const detail: Record<string, string> = remark === '' ? {} : { remark };
      const asked = { by: sender.by, action: decision, subject: reference, detail };
      const refusal = ['decision-refused', 'This was not accepted'] as const;
      return notify(
        reply,
        row,
        await passOn(gateway, asked, () => updatePayout(gateway, row, MESSAGES.decide, update), refusal),
      );
    },
  );
  recheckRoute(app, gateway);
  commentRoute(app, gateway, (request) => payoutIn(request, gateway));
  resolveRoute(app, gateway);
  cancelRoute(app, gateway);
}

/** What the viewer has just approved, and whose turn it is, while others have to approve it as well. */
async function ownApproval(
  gateway: PagesGateway,
  { name = '' }: Caller,
  { row, notice }: { row: PayoutRecord; notice: unknown },
): Promise<string | undefined> {
  if (notice !== 'counted' || gateway.settings.policy === undefined) return undefined;
  const asked = await openQuestion(gateway, row);
  const approved = await approvedBy(gateway, row, asked);
  if (asked === undefined || !approved.includes(name)) return undefined;
  return decidedText(gateway, { question: asked.question, decision: 'approve' }, [row]);
}

function resolveRoute(app: FastifyInstance, gateway: PagesGateway): void {
  app.post('/payouts/:reference/resolve', accessOf(OPERATING), async (request, reply) => {
    const row = await payoutIn(request, gateway);
    const { reference } = row;
    const { action, evidence, order, otherOrder, ...sent } = parsed(resolveBody, request.body, 'form');
    const orderId = order ?? otherOrder;
    const touched = scopeFactsOfRow(row);
    assertMayOperate(request.caller, 'resolve', touched);
    if (!isUndecidable(row)) {
      throw new Problem('conflict', 'nothing-to-resolve', 'It no longer needs an operator.', {
        hint: 'Reload the page.',
      });
    }
    if (action === 'adopt-order' && orderId === undefined) {
      throw new Problem('usage', 'order-missing', 'The id of the order to follow is missing.', {
        hint: 'Choose the order, or enter the id that the bank shows.',
      });
    }
    const about = { question: 'resolve', reference, digest: resolveDigest(action, orderId), remark: evidence } as const;
    const operator = await operatorOf(request, gateway, about, { ...sent, touched });
    if ('asked' in operator) return operator.asked;
    const asked = { by: operator.by, action: 'resolve', subject: reference, detail: { action, evidence } };
    const resolve = () => resolvePayout(gateway, row, { action, evidence, orderId, ...operator });
    await passOn(gateway, asked, resolve, ['resolve-refused', 'This has no effect yet'], resolveMs(gateway.settings));
    return notify(reply, row, RESOLVED);
  });
}

function recheckRoute(app: FastifyInstance, gateway: PagesGateway): void {
  app.post('/payouts/:reference/recheck', accessOf(RECHECK.access), async (request, reply) => {
    const row = await payoutIn(request, gateway);
    const { reference } = row;
    const answer = await RECHECK.run(placeOf(gateway, request.caller), { reference });
    if ('outcome' in answer) return notify(reply, row, answer.outcome);
    throw new Problem('conflict', 'recheck-refused', `It does not check again: ${answer.refused}.`, {
      hint: 'Reload the page of the payout.',
    });
  });
}

function cancelRoute(app: FastifyInstance, gateway: PagesGateway): void {
  app.post(
    '/payouts/:reference/cancel',
    accessOf({ roles: ['maker', 'operator'], scope: 'each' }),
    async (request, reply) => {
      const row = await payoutIn(request, gateway);
      const { reason, by: given } = parsed(cancelBody, request.body, 'form');
      if (!mayCancel(request.caller, row)) {
        throw new Problem('forbidden', 'role-missing', 'You may not cancel this, or it has ended.', {
          hint: 'Its maker may, and an operator, until it has ended.',
        });
      }
      const by = request.caller.name ?? given ?? 'gateway';
      const asked = { by, action: 'cancel', subject: row.reference, detail: { reason } };
      const refusal = ['cancel-refused', 'It was not cancelled'] as const;
      return notify(
        reply,
        row,
        await passOn(gateway, asked, () => updatePayout(gateway, row, MESSAGES.cancel, { by, reason }), refusal),
      );
    },
  );
}

/** Passes on what somebody asks of a payout, and returns the answer. `refusal`: code of the `Problem`, and how it begins. */
async function passOn(
  gateway: PagesGateway,
  asked: AuditedRequest,
  ask: () => Promise<string | { refused: string }>,
  [code, says]: readonly [code: string, says: string],
  ms?: number,
): Promise<string> {
  const answer = await askAudited(gateway, asked, () => inTime(gateway.client, ask, ms), outcomeInWords);
  if (typeof answer === 'string') return answer;
  throw new Problem('conflict', code, `${says}: ${answer.refused}.`, { hint: 'Reload the page of the payout.' });
}

/** Back to the page of the payout, which shows the answer. */
const notify = (reply: FastifyReply, { reference }: PayoutRecord, notice: string): FastifyReply =>
  reply.redirect(`${payoutPath(reference)}?notice=${encodeURIComponent(notice)}`, 303);

/** The payout in the path. Throws a `Problem` if it does not exist or is outside the caller's scope. */
async function payoutIn({ params, caller }: FastifyRequest, gateway: PagesGateway): Promise<PayoutRecord> {
  const { reference } = params as { reference: string };
  const row = hasControls(reference) ? undefined : await gateway.store.payout(reference);
  if (row !== undefined && maySeePayout(caller, row)) return row;
  throw new Problem('not-found', 'unknown-id', 'There is no payout with this reference.', {
    hint: 'The page of its batch lists it.',
  });
}

/** The question that a digest answers; one that differs from what is shown can only be rejected. Throws a `Problem` if the payout does not ask it now, or does not ask the caller. */
async function questionAsked(
  { caller }: FastifyRequest,
  gateway: PagesGateway,
  row: PayoutRecord,
  { digest, decision }: { digest: string; decision: 'approve' | 'reject' },
): Promise<SignedQuestion['question']> {
  const { asked, differs } = await shownQuestion(gateway, row);
  if (asked?.digest !== digest || (differs !== undefined && decision === 'approve')) {
    throw new Problem('conflict', 'asks-otherwise', 'It no longer awaits this decision.', { hint: 'Reload the page.' });
  }
  if (mayDecide(caller, row)) return asked.question;
  throw new Problem('forbidden', 'role-missing', 'Your role does not allow you to decide this.', {
    hint: `It requires ${DECIDERS[roleAskedOf(row)]} whose scope covers it and who is not its maker.`,
  });
}

interface PayoutPage {
  view: View;
  shown: PayoutShown;
  story: Html;
  comments: Html;
  incidents: readonly IncidentRecord[];
  workflowUrl: string;
  /** That it came in. */
  file: string | undefined;
  mayDecide: boolean;
  mayResolve: boolean;
  mayRecheck: boolean;
  mayCancel: boolean;
  /** Undefined once completed. */
  step: NextStep | undefined;
  /** Epoch ms. */
  now: number;
  /** Of the advice to the payee; undefined: there is none for the viewer. */
  advicePath: string | undefined;
  /** Comparisons; undefined if the bank does not answer. */
  sides: readonly Comparison[] | undefined;
  /** Result of the viewer's last action. */
  answer: string | undefined;
  /** It was a decision, which the row may not show yet. */
  hasJustDecided: boolean;
}

function payoutPage(page: PayoutPage): Html {
  const { view, shown, story, incidents, answer } = page;
  const { row } = shown;
  const { documentId, reference } = row;
  const { amount, currency } = row.instruction;
  const flags = flagTexts(row, shown.alike);
  return html`<h1>${row.kind !== 'payout' && `${row.kind} `}${documentId} ${badge(shownStateOf(row).state)}</h1>
${answer !== undefined && html`<p class="note" role="status">${answer}</p>`}
${incidents.map((it) => incidentNote(it, view, row))}
<section class="card" aria-label="What is paid">
<p class="amount">${money(amount, currency)}</p>
${flags.length > 0 && html`<ul class="flags">${flags.map((flag) => html`<li class="badge attention">${flag}</li>`)}</ul>`}
${paymentFacts(shown)}
${page.advicePath !== undefined && html`<p><a href="${page.advicePath}">Remittance advice</a></p>`}
</section>
${next(page)}
${bothSides(page.sides)}
${decision(page)}
${page.mayRecheck && recheckForm(view, row)}
${page.mayResolve && resolveForm(page)}
${page.mayCancel && cancelForm(view, reference)}
${payAgain(page)}
${page.comments}
<section><h2>History</h2>
${story}</section>
<section><h2>Origin</h2>
${originFacts(page)}</section>
<details><summary>Every field of the row</summary>
${instructionFacts(shown)}</details>`;
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
      : html`<p class="quiet">You cannot decide this: ${whyNot(view.caller, row)}.</p>`;
  return html`<section><h2>${questionText(shown)}</h2>${summary}
${factList(askedFacts(shown).filter(([name]) => name !== 'Needs' && name !== 'Digest'))}
${differs !== undefined && html`<p class="problem">It cannot be approved now: ${differs}. Reload the page in a moment; it can only be rejected until both agree.</p>`}
${offer}
<details class="more"><summary>What is signed</summary><p class="quiet">Everything above, as the digest <code>${asked.digest}</code>.</p></details>
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

const recheckForm = (view: View, { reference }: PayoutRecord): Html => html`<section><h2>Check again</h2>
<form class="card" method="post" action="${payoutPath(reference)}/recheck">${csrfField(view)}
<p>It reads the bank at once, and continues if the reason is gone. This approves nothing.</p>
<div class="actions"><button>Check again</button></div>
</form></section>`;

/** Where that is what to do about it: only its own row. */
function payAgain({ view: { caller }, step, shown: { row } }: PayoutPage): Html | false {
  const isToDo = step?.commands.some((command) => command.startsWith('payouts retry')) === true;
  if (!isToDo || row.batchId === null || caller === undefined || !maySubmitFiles(caller)) return false;
  return html`<p><a class="button" href="${batchPath(row.batchId)}/retry?rows=${row.row}">Pay again</a></p>`;
}

const cancelForm = (view: View, reference: string): Html => html`<section><h2>Cancel</h2>
<form class="card" method="post" action="${payoutPath(reference)}/cancel">${csrfField(view)}
<p>It ends unpaid if that is still possible; an order that the bank has accepted continues. This cannot be undone.</p>
${view.isTrial && byField()}
<p><label>Why it is cancelled <input name="reason" required maxlength="200"></label></p>
<div class="actions"><button class="danger">Cancel</button></div>
</form></section>`;

/** The decisions of an operator about a payout that the product cannot decide. */
const resolveForm = ({
  view,
  shown: { row },
  sides = [],
}: PayoutPage): Html => html`<section><h2>An operator decides</h2>
<p>Enter what you know. It is checked against the bank first, and refused if the bank shows something else. What
the bank does not show, a second person has to say as well, with evidence.</p>
<div class="card">${signedForm(
  view,
  `${payoutPath(row.reference)}/resolve`,
  html`<p><label>Action <select name="action">${Object.entries(MEANS).map(([action, means]) => html`<option value="${action}">${means}</option>`)}</select></label></p>
<p><label>Evidence <input name="evidence" required maxlength="200" aria-describedby="evidence-help"></label>
<span class="quiet" id="evidence-help">For example a statement or an answer of the bank. No names or account numbers.</span></p>
${orderChoice(sides.flatMap(({ sides: names, orderIds = [] }) => orderIds.map((id, index) => ({ id, name: names[index] }))))}`,
  html`<button class="main">Resolve</button>`,
)}</div></section>`;

/** The orders of the comparison to choose from; any other by its id. */
const orderChoice = (orders: readonly { id: string; name: string | undefined }[]): Html =>
  orders.length === 0
    ? html`<p><label>Bank order <input name="order" maxlength="200" aria-describedby="order-help"></label>
<span class="quiet" id="order-help">Only to follow an order: its id at the bank.</span></p>`
    : html`<fieldset><legend>Bank order, only to follow one</legend>
${orders.map(({ id, name }) => html`<label class="inline"><input type="radio" name="order" value="${id}"> <span>${name}, <code>${id}</code></span></label>\n`)}<label class="inline"><input type="radio" name="order" value="" checked> none of these</label>
<p><label>Another one: its id at the bank <input name="otherOrder" maxlength="200"></label></p></fieldset>`;

/** A payout, what it asks, and what else a page shows of it. */
interface PayoutShown extends Omit<ShownQuestion, 'payee'> {
  payee: Pick<Beneficiary, 'items'> | undefined;
  approvedBy: readonly string[];
  /** Details of the payee are masked. */
  isMasked: boolean;
  checks: readonly ShownCheck[];
  /** Undefined: no exchange was booked. */
  booked: BookedExchange | undefined;
  returns: readonly ReturnRecord[];
}

async function payoutShown(
  gateway: PagesGateway,
  view: View,
  row: PayoutRecord,
  isMasked: boolean,
): Promise<PayoutShown> {
  const { store } = gateway;
  const shown = (await unaskedShown(gateway, row)) ?? (await askedShown(gateway, view, row));
  const [booked] = await store.bookedExchangesOf([row.reference]);
  return {
    ...shown,
    approvedBy: await approvedBy(gateway, row, shown.asked),
    isMasked,
    checks: await checksShown(store, row),
    booked,
    returns: await store.returnsOf([row.reference]),
  };
}

async function askedShown(gateway: PagesGateway, view: View, row: PayoutRecord): Promise<ShownQuestion> {
  const read = await fromBank(view, () => shownQuestion(gateway, row));
  if (!(read instanceof BankError)) return read;
  const { store, settings } = gateway;
  return shownQuestion({ store, settings }, row);
}

/** A row that asks nothing, with its payee as the bank showed it last: nobody signs it, so the page need not wait for the bank. */
async function unaskedShown(
  { store, settings }: PagesGateway,
  row: PayoutRecord,
): Promise<Pick<PayoutShown, keyof ShownQuestion> | undefined> {
  const { uid, instruction } = row;
  const { beneficiary_id: payeeId } = instruction;
  if (payeeId === undefined) return undefined;
  const shown = await shownQuestion({ store, settings }, row);
  const [seen] = shown.asked === undefined ? await store.payeesOf([{ uid, payeeId }]) : [];
  return seen?.items == null ? undefined : { ...shown, payee: { items: seen.items } };
}

const CHECKS = { verification: 'Payee check', screening: 'Screening' } as const;

function paymentFacts(shown: PayoutShown): Html {
  const { row, checks, booked, returns } = shown;
  const { fee, feeCurrency } = row;
  return factList([
    ...paidFacts(shown, shown.isMasked),
    ...checks.map((check) => [CHECKS[check.kind], visible(checkText(check))] as const),
    ['Fee booked', fee !== null && money(fee, feeCurrency ?? '')],
    ['Exchanged', booked !== undefined && exchangedText(booked)],
    ['Returned', returns.length > 0 && totalsText(returns)],
  ]);
}

/** Empty if the bank has omitted an amount. */
function exchangedText({ soldAmount, soldCurrency, boughtAmount, boughtCurrency, rate }: BookedExchange): Html | false {
  if (soldAmount === null || boughtAmount === null) return false;
  return html`${money(soldAmount, soldCurrency ?? '')} for ${money(boughtAmount, boughtCurrency ?? '')}${rate !== null && `, rate ${rate}`}`;
}

const originFacts = ({ shown: { row }, workflowUrl: url, file }: PayoutPage): Html => {
  const { uid, by, createdAt, batchId, reference, orderId, erasedAt } = row;
  const retried = retriedReference(row);
  return factList([
    ['User', uid],
    ['Maker', by ?? 'not known'],
    ['Submitted', moment(createdAt)],
    ['Payee details erased', erasedAt !== null && moment(erasedAt)],
    ['Batch', batchId !== null && html`<a href="${batchPath(batchId)}">${file ?? batchId}</a>`],
    ['Reference', html`<code>${reference}</code>`],
    ['Pays again', retried !== undefined && html`<a href="${payoutPath(retried)}">${retried}</a>`],
    ['Bank order', orderId !== null && html`<code>${orderId}</code>`],
    ['Workflow', /^https?:/.test(url) && html`<a href="${url}" rel="noreferrer">in the Temporal UI</a>`],
  ]);
};

/** Not columns of files: accounts of our own, and what a plan has shown. */
const NO_COLUMNS: ReadonlySet<string> = new Set(['to_account_id', 'paying_account_id', 'sell_currency', 'max_rate']);

/** Every field of the row that the digest covers. */
const instructionFacts = ({ row: { instruction }, isMasked }: PayoutShown): Html =>
  factList(
    Object.entries(instruction).map(([field, value]) => [
      OWN_FIELDS.has(field) || NO_COLUMNS.has(field) ? field : `payee: ${field}`,
      isMasked && !NO_COLUMNS.has(field) ? shownValue(field, value) : value,
    ]),
  );

async function historyOf(store: Store, row: PayoutRecord): Promise<Html> {
  const shown = (await storyOf(store, row)).map(
    ({ at, who, what, detail }) =>
      html`<li>${moment(at)}<strong>${who}</strong>${what}${detail !== undefined && detail !== '' && html`<br><span class="quiet">${detail}</span>`}</li>\n`,
  );
  return html`<ol class="story">${shown}</ol>`;
}
