import { createReadStream } from 'node:fs';
import { basename, parse } from 'node:path';
import { Readable } from 'node:stream';
import multipart, { type MultipartFile } from '@fastify/multipart';
import * as contentDisposition from 'content-disposition';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { v7 } from 'uuid';
import { z } from 'zod';
import { EXCHANGES, type Exchanges } from '../../domain/agreed-cost.ts';
import { counted, minuteOf, peopleText } from '../../domain/display.ts';
import { type Finding, rowsText, warningsByKind } from '../../domain/finding.ts';
import { beneficiaryFields } from '../../domain/instruction.ts';
import { groupedAmount } from '../../domain/money.ts';
import { Problem } from '../../domain/problem.ts';
import { FILE_BYTES_MAX, isColumnName } from '../../files/input.ts';
import { correctedCopy, type WrongCell, wrongCells } from '../../files/intake/corrections.ts';
import { IntakeRefusal } from '../../files/intake/intake-refusal.ts';
import type { Outlook } from '../../files/intake/outlook.ts';
import type { ListedRow } from '../../files/intake/plan.ts';
import { assertPlan, type PlanDocument, takeFile } from '../../files/intake/take-file.ts';
import { FILE_NAMES } from '../../files/read-file.ts';
import { csvTemplate, jsonTemplate, templateIds, templateRows, xlsxTemplate } from '../../files/template/template.ts';
import { type Html, html } from '../../reports/html.ts';
import { payeeNamed } from '../../reports/masked.ts';
import { alikesTexts, costTexts, elsewhereTexts, isZero, warningTexts } from '../../reports/plan-texts.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { answerOf } from '../http/answer-error.ts';
import { assertFileName, receive, tooLarge, type Upload } from '../http/bodies.ts';
import type { Caller } from '../http/callers.ts';
import { parsed, storableText } from '../http/documents.ts';
import { uploadsOf } from '../http/gateway-app.ts';
import { takeInTurn } from '../http/intake-turns.ts';
import { maySeePayout } from '../http/may-see.ts';
import { placeOf } from '../http/operation.ts';
import { OFFER } from '../http/operations/bank-operations.ts';
import { accessOf, type CallerAccess } from '../http/route-access.ts';
import { csrfField, show, type View, viewOf } from './layout.ts';
import {
  batchPath,
  type Column,
  dataTable,
  FIRST_ROWS,
  factList,
  foldedTable,
  idText,
  money,
  moreRows,
  ROW,
  TOTALS,
} from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import { byField } from './signed-forms.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** In a form with a file: the file, which follows the fields. */
    part: MultipartFile | undefined;
  }
}

const yes = z
  .literal('yes')
  .optional()
  .transform((value) => value === 'yes');
export const SUBMITTING: CallerAccess = { roles: ['maker'], scope: 'each' };

const options = z.object({ skip: yes, meant: yes, exchange: z.enum(EXCHANGES).optional() });
const templateQuery = z.object({
  currency: z
    .string()
    .regex(/^(?:[A-Za-z]{3})?$/)
    .optional()
    .transform((code) => code?.toUpperCase() || undefined),
  kind: z.enum(['xlsx', 'csv', 'json']).default('csv'),
});
/** Media type and content of a template. */
const TEMPLATES = {
  xlsx: (...of: Parameters<typeof xlsxTemplate>) => [XLSX, xlsxTemplate(...of)] as const,
  csv: (...of: Parameters<typeof csvTemplate>) => ['text/csv; charset=utf-8', csvTemplate(...of)] as const,
  json: (rows: Parameters<typeof jsonTemplate>[0]) => ['application/json; charset=utf-8', jsonTemplate(rows)] as const,
};
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const agreeBody = options.extend({ plan: z.string().max(100), by: storableText.optional() });

/** `/batches/new/ID`: the state of a submitted file, and the plan to confirm. */
export function planRoutes(app: FastifyInstance, gateway: PagesGateway, uploads: PendingUploads): void {
  const { policy } = gateway.settings;
  const heldIn = (request: FastifyRequest): PendingUpload =>
    uploads.held((request.params as { upload: string }).upload, request.caller.name, gateway.now());
  const takeIn = async (held: PendingUpload, caller: Caller, asked: SubmitOptions & { by?: string; plan?: string }) => {
    const { skip, meant, exchange, by, plan } = asked;
    const dryRun = plan === undefined;
    const taking = {
      invalid: skip ? 'skip' : 'stop',
      allowLookAlikes: meant,
      exchange,
      by,
      dryRun,
      undoMs: UNDO_MS,
      batchId: held.batchId,
    } as const;
    return takeInTurn(gateway, caller, (handedBy) =>
      takeFile(gateway, held.upload.path, { ...taking, ...handedBy }, async (planned) => {
        assertPlan(planned.plan, plan);
        if (!dryRun) await auditCorrections(gateway, held, caller.name ?? by ?? 'gateway');
      }),
    );
  };
  app.get('/batches/new/:upload', accessOf(SUBMITTING), async (request, reply) => {
    const held = heldIn(request);
    const view = viewOf(request, reply, gateway);
    const page: PlanPage = { view, path: planPath(held), options: parsed(options, request.query), held };
    const taking = await takeIn(held, request.caller, page.options);
    if (taking instanceof IntakeRefusal) {
      const { status } = answerOf(taking);
      const cells = await wrongCells(gateway, held.upload.path, taking.findings);
      return show(reply, view, { title: refusedTitle(held), body: refusedPage(page, taking, cells), status });
    }
    if (taking.outcome !== 'planned') return reply.redirect(batchPath(taking.batchId), 303);
    const title = taking.document.plan.file;
    return show(reply, view, {
      title,
      body: planPage(page, await plannedFor(gateway, request.caller, taking.document)),
    });
  });
  app.post('/batches/new/:upload', accessOf(SUBMITTING), async (request, reply) => {
    const held = heldIn(request);
    const body = parsed(agreeBody, request.body, 'form');
    if (policy === undefined && body.by === undefined) {
      throw new Problem('usage', 'name-missing', 'The name of the maker is missing.', { hint: 'Give your name.' });
    }
    const taking = await takeIn(held, request.caller, body);
    if (taking instanceof IntakeRefusal) throw taking;
    if (taking.outcome === 'planned') throw new Error('a plan that was agreed to was not carried out');
    await uploads.drop(held.id);
    return reply.redirect(batchPath(taking.batchId), 303);
  });
}

/** Before the claim of a corrected copy: who has corrected which values, and the digest of the original. */
async function auditCorrections({ store, now }: PagesGateway, held: PendingUpload, actor: string): Promise<void> {
  if (held.corrected === undefined) return;
  const { original, cells } = held.corrected;
  const detail = { original: original.sha256, copy: held.upload.sha256, remark: cells.join(', ') };
  await store.audit({ at: now(), actor, action: 'corrected before submitting', subject: held.batchId, detail });
}

const CELL = /^cell:(\d{1,7}):(.{1,64})$/;
const correctBody = z.record(z.string(), z.string().max(1_000));

/** `/batches/new/ID/correct`: other values for cells with findings. The copy with them is planned; the original is kept beside it. */
export function correctRoutes(app: FastifyInstance, gateway: PagesGateway, uploads: PendingUploads): void {
  const heldIn = (request: FastifyRequest): PendingUpload =>
    uploads.held((request.params as { upload: string }).upload, request.caller.name, gateway.now());
  app.post('/batches/new/:upload/correct', accessOf(SUBMITTING), async (request, reply) => {
    const held = heldIn(request);
    const values = Object.entries(parsed(correctBody, request.body, 'form')).flatMap(([name, value]) => {
      const [, row, column = ''] = CELL.exec(name) ?? [];
      return row === undefined || !isColumnName(column) ? [] : [{ row: Number(row), column, value: value.trim() }];
    });
    const copy = await correctedCopy(gateway, held.upload.path, values);
    if (copy === undefined) {
      throw new Problem('conflict', 'not-correctable', 'This file cannot be corrected here.', {
        hint: 'Correct it where it was made, and submit it again.',
      });
    }
    const name = `${parse(held.upload.path).name.replace(/-corrected$/, '')}-corrected.csv`;
    assertFileName(name);
    const body = Readable.from([Buffer.from(copy.text)]);
    const upload = await receive(body, uploadsOf(gateway.config), { name, extension: '' });
    await uploads.correct(held, upload, copy);
    return reply.redirect(planPath(held), 303);
  });
  app.get('/batches/new/:upload/copy', accessOf(SUBMITTING), async (request, reply) => {
    const { upload } = heldIn(request);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', contentDisposition.create(basename(upload.path)))
      .send(createReadStream(upload.path));
  });
}

/** `/batches/new`: receives a file. */
export async function submitRoutes(
  app: FastifyInstance,
  gateway: PagesGateway,
  uploads: PendingUploads,
): Promise<void> {
  await app.register(multipart, { limits: { fileSize: FILE_BYTES_MAX, files: 1, fields: 5, fieldSize: 1_000 } });
  app.get('/batches/new', accessOf(SUBMITTING), (request, reply) => {
    const view = viewOf(request, reply, gateway);
    return show(reply, view, { title: 'Submit a file', body: choosePage(view) });
  });
  app.get('/batches/template', accessOf({ ...SUBMITTING, scope: 'none' }), async (request, reply) => {
    const { currency, kind } = parsed(templateQuery, request.query);
    const { entries } = await OFFER.run(placeOf(gateway, request.caller), { currency });
    const rows = templateRows(entries, templateIds(gateway.config.bank.kind === 'sandbox'));
    const name = `payouts-${currency ?? 'all'}.${kind}`;
    const [type, content] = TEMPLATES[kind](rows, entries);
    return reply.type(type).header('content-disposition', `attachment; filename="${name}"`).send(content);
  });
  const guarded = {
    ...accessOf(SUBMITTING),
    preHandler: [readFields, app.csrfProtection],
    onError: async ({ part }: FastifyRequest) => void part?.file.resume(),
  };
  app.post('/batches/new', guarded, async ({ part, caller }, reply) => {
    if (part === undefined || part.filename === '') {
      throw new Problem('usage', 'file-missing', 'No file was chosen.', { hint: 'Choose one.' });
    }
    assertFileName(part.filename);
    const upload = await receive(part.file, uploadsOf(gateway.config), { name: part.filename, extension: '' });
    if (part.file.truncated) {
      await upload[Symbol.asyncDispose]();
      throw tooLarge();
    }
    return reply.redirect(planPath(await uploads.hold(upload, caller.name, gateway.now())), 303);
  });
}

const planPath = ({ id }: PendingUpload): string => `/batches/new/${id}`;

/** The fields precede the file, so its CSRF token is checked before any of it is written. */
export async function readFields(request: FastifyRequest): Promise<void> {
  request.part = await request.file();
  const token = request.part?.fields._csrf;
  request.body = { _csrf: token !== undefined && 'value' in token ? token.value : undefined };
}

/** How the rows of a file are taken. */
interface SubmitOptions {
  /** Invalid rows are left out, and the others paid. */
  skip: boolean;
  /** Look-alikes of earlier payouts are intended: they are not held. */
  meant: boolean;
  /** Undefined: as it is set. */
  exchange?: Exchanges | undefined;
}

const FINDINGS_MAX = 500;

/** Nothing is sent for so long after "Pay", unless `PAYOUTS_UNDO` says otherwise. */
const UNDO_MS = 10_000;

const choosePage = (view: View): Html => html`<section class="narrow">
<h1>Submit a file</h1>
<p>${FILE_NAMES}. Nothing is paid yet: you will see the plan first and can confirm it or not.</p>
<form class="card" method="post" action="/batches/new" enctype="multipart/form-data">
${csrfField(view)}
<p><label>File: choose it, or drop it here <input type="file" name="file" class="drop" required></label></p>
<p class="actions"><button class="main">Show the plan</button></p>
</form>
${FORMAT_HELP}</section>`;

/** The columns of a row, in the words of docs/input.md. */
const FORMAT_HELP = html`<h2>A file to start with</h2>
<form class="filters" method="get" action="/batches/template">
<label>Currency <input name="currency" maxlength="3" pattern="[A-Za-z]{3}" placeholder="all"></label>
<button name="kind" value="xlsx">Excel</button><button name="kind" value="csv">CSV</button><button name="kind" value="json">JSON</button></form>
<p class="quiet">It has a row for every way of paying that the bank offers, with the fields that each of them needs. Replace the made-up values.</p>
<h2>What each row says</h2>
${factList([
  ['id', 'the number of the document; the same document of a user is never paid twice'],
  ['uid', 'the user whose account pays'],
  ['account_id', 'the account that pays'],
  ['amount', 'with a point before the decimals and without separators: 1234.50'],
  ['currency', 'that of the payment; from an account in another one, the money is exchanged'],
  ['beneficiary_id', 'a payee that the bank knows; or, instead, the fields of a new one'],
  ['note', 'for the payee; may be empty'],
  ['execute_on', 'the day before which it is not sent, as 2026-03-31; empty: at once'],
])}
<p class="quiet">The first line of a sheet or a CSV has these names. Bank messages (pain.001) and other formats are taken as your bank's software writes them. Nothing of a file is paid if one of its rows has a finding, unless you leave those rows out.</p>`;

type Corrected = NonNullable<Awaited<ReturnType<typeof correctedCopy>>>;

interface PlanPage {
  view: View;
  held: PendingUpload;
  /** Path of the page for this file. */
  path: string;
  options: SubmitOptions;
}

interface PlannedFor extends PlanDocument {
  /** By reference: what its rows look like, as far as the caller may see it. */
  earlier: ReadonlyMap<string, PayoutRecord>;
}

export async function plannedFor({ store }: PagesGateway, caller: Caller, document: PlanDocument): Promise<PlannedFor> {
  const earlier = await store.payoutsOf(document.plan.lookAlikes.rows.map(({ like }) => like));
  const seen = earlier.filter((row) => maySeePayout(caller, row));
  return { ...document, earlier: new Map(seen.map((row) => [row.reference, row])) };
}

const planPage = (
  { view, path, options, held }: PlanPage,
  document: PlannedFor,
): Html => html`<h1>${document.plan.file}</h1>
${correctedNote(held, path)}
${planFacts(document)}
${choices(path, options, document)}
${payForm(view, path, document, optionFields(options))}`;

/** What a plan does. */
export const planFacts = ({ plan, findings, warnings, earlier }: PlannedFor): Html => html`
<p>${counted(plan.payouts, 'payout')}${plan.newBeneficiaries > 0 && `, ${plan.newBeneficiaries} to payees given by their details`}${plan.retries > 0 && `, ${counted(plan.retries, 'retry of an earlier payout', 'retries of earlier payouts')}`}. Nothing is paid yet.</p>
${dataTable('Amounts', TOTALS, plan.totals)}
${plan.executionDates.some(({ date }) => date !== null) && html`<p>Sent: ${plan.executionDates.map(({ date, count }) => html`${groupedAmount(count)} ${date === null ? 'at once' : `on ${date}`}. `)}</p>`}
${plan.balances.length > 0 && html`<h2>Accounts now</h2>${dataTable('As the bank shows them', BALANCES, plan.balances)}`}
${warningTexts(plan).map((text) => html`<p class="attend">${text}</p>`)}
${costTexts(plan).map((text) => html`<p>${text}</p>`)}
${approvals(plan.approvals)}
${lookAlikes(plan.lookAlikes, earlier)}
${elsewhereTexts(plan).map((text) => html`<p class="attend">${text}</p>`)}
${alikes(plan)}
${rows(plan)}
${warnings.length > 0 && html`<h2>To check</h2>${warningTable(warnings)}`}
${findings.length > 0 && html`<h2>Left out</h2>${findingTable(findings)}`}
${storeUse(plan.store)}`;

/** Confirms exactly this plan. */
export const payForm = (
  view: View,
  path: string,
  { plan }: PlanDocument,
  fields: Html,
): Html => html`<form class="card" method="post" action="${path}">
${csrfField(view)}<input type="hidden" name="plan" value="${plan.hash}">${fields}
${view.isTrial && byField()}
<p class="actions"><button class="main">Pay ${counted(plan.payouts, 'payout')}</button> <a class="button" href="/batches">Do not pay</a></p>
<p class="quiet">Plan <code>${plan.hash}</code>: if it has changed by then, nothing is paid.</p>
</form>`;

/** Without its place, which is the server's. */
const storeUse = ({ bank, isNew, batches, lastUsedAt }: PlanDocument['plan']['store']): Html =>
  isNew
    ? html`<p>${bank === 'sandbox' ? 'Nothing has been paid from here before.' : html`<strong>Nothing has been paid from here before</strong>, at ${bank}: what another store or system has paid is known only as far as the bank shows it.`}</p>`
    : html`<p class="quiet">Store at ${bank}: ${counted(batches, 'batch', 'batches')}${lastUsedAt !== null && html`, last used ${minuteOf(Date.parse(lastUsedAt))}`}.</p>`;

const approvals = ({ beforeSend, atBank, moreByPayee }: Outlook['approvals']): Html =>
  html`${
    beforeSend.length > 0 && html`<p>To be approved before sending: ${peopleText(beforeSend)}.</p>`
  }${atBank.length > 0 && html`<p>Audited by the bank, to be approved then: ${peopleText(atBank)}.</p>`}${
    moreByPayee > 0 &&
    html`<p class="quiet">${moreByPayee} may need more approvals if the payee is new or has changed.</p>`
  }`;

const lookAlikes = (
  { count, rows }: PlanDocument['plan']['lookAlikes'],
  earlier: PlannedFor['earlier'],
): Html | false =>
  count > 0 &&
  html`<p class="attend">${
    count === 1
      ? '1 payout looks like a recent one and will be held until somebody approves it.'
      : `${groupedAmount(count)} payouts look like recent ones and will be held until somebody approves them.`
  }</p>
${dataTable(
  count > rows.length ? `The first ${rows.length}` : 'Same payee, amount and currency',
  LOOK_ALIKES,
  rows.map((row) => ({ ...row, earlier: earlier.get(row.like) })),
)}`;

const alikes = (plan: PlanDocument['plan']): Html | false =>
  plan.alikes.count > 0 && html`<div class="attend">${alikesTexts(plan).map((text) => html`<p>${text}</p>`)}</div>`;

const LISTED: readonly Column<ListedRow>[] = [
  { head: 'Document', cell: ({ instruction }) => instruction.id },
  {
    head: 'Payee',
    cell: ({ instruction, payee }) => {
      const { name, account, bank, country } = payeeNamed(payee ?? beneficiaryFields(instruction));
      const where = [bank, country].filter((part) => part !== '').join(', ');
      return html`<span><bdi>${name || instruction.beneficiary_id}</bdi><br><bdi>${account}</bdi>${where !== '' && html` <span class="quiet">${where}</span>`}</span>`;
    },
  },
  { head: 'Amount', isFigure: true, cell: ({ instruction: it }) => money(it.amount, it.currency) },
  { head: 'Note', cell: ({ instruction }) => instruction.note },
  { head: 'From', cell: ({ instruction }) => idText(instruction.account_id) },
  { head: 'On', cell: ({ instruction }) => instruction.execute_on },
];

function rows({ listed, payouts }: PlanDocument['plan']): Html {
  const isEmpty = (head: string, field: 'note' | 'execute_on'): string[] =>
    listed.every(({ instruction }) => instruction[field] === undefined) ? [head] : [];
  const unused = [...isEmpty('Note', 'note'), ...isEmpty('On', 'execute_on')];
  const columns = LISTED.filter(({ head }) => !unused.includes(head));
  const order = 'Payees given by their details first, then the largest';
  const caption = payouts > FIRST_ROWS ? `${order}: ${FIRST_ROWS} of ${groupedAmount(payouts)}` : order;
  const others = (hidden: readonly ListedRow[]): string =>
    `${moreRows(hidden)}${payouts > listed.length ? `, of ${groupedAmount(payouts - FIRST_ROWS)}` : ''}`;
  return html`<h2>Who is paid</h2>${foldedTable([caption, others], columns, listed)}`;
}

type LookAlike = PlanDocument['plan']['lookAlikes']['rows'][number] & { earlier: PayoutRecord | undefined };

const LOOK_ALIKES: readonly Column<LookAlike>[] = [
  { head: 'Document', cell: ({ id }) => id },
  { head: 'Row', isFigure: true, cell: ({ row }) => row },
  {
    head: 'Looks like',
    cell: ({ earlier }) => (earlier === undefined ? 'a payout that you may not see' : ROW.document.cell(earlier)),
  },
  { head: 'Which is', cell: ({ earlier }) => earlier !== undefined && ROW.state.cell(earlier) },
  { head: 'Submitted', cell: ({ days }) => (days === 0 ? 'within the last day' : `${counted(days, 'day')} ago`) },
];

/** What was changed in the original, and the warnings of its reader. */
const correctedNote = ({ corrected }: PendingUpload, path: string): Html | false =>
  corrected !== undefined &&
  html`<p class="note">This is a corrected copy, which is what will be paid: ${corrected.cells.join(', ') || 'nothing was changed'}. <a href="${path}/copy">Download the copy</a>, so that the program it came from can be corrected too.</p>
${corrected.warnings.length > 0 && html`<h2>To check in the original</h2>${warningTable(corrected.warnings)}`}`;

/** Where all findings are about single values: the values, to be corrected and checked again. */
const correctForm = (view: View, path: string, cells: readonly WrongCell[]): Html => html`<h2>Correct it here</h2>
<form class="card" method="post" action="${path}/correct">${csrfField(view)}
${dataTable('The file itself stays as it is: a copy with these values is checked again', WRONG_CELLS, cells)}
<p class="actions"><button class="main">Check again</button></p></form>`;

const WRONG_CELLS: readonly Column<WrongCell>[] = [
  { head: 'Place', cell: ({ cell, line, row }) => cell ?? `Row ${row}, line ${line}` },
  {
    head: 'Value',
    cell: ({ row, column, value }) =>
      html`<label>${wordByWord(column)} <input name="cell:${row}:${column}" value="${value}" maxlength="1000"></label>`,
  },
  {
    head: 'Problem',
    cell: ({ problems }) =>
      html`<span>${problems.map(({ message, rule }) => html`${message} <code>${rule}</code> `)}</span>`,
  },
];

const refusedTitle = ({ corrected }: PendingUpload): string =>
  corrected === undefined ? 'This file was not accepted' : 'The corrected copy still has findings';

const refusedPage = (
  { view, path, options, held }: PlanPage,
  { message, hint, findings, batchId }: Problem,
  cells: readonly WrongCell[] | undefined,
): Html => html`<h1>${refusedTitle(held)}</h1>
<p class="problem" role="alert">${message}</p>
${correctedNote(held, path)}
${batchId !== undefined ? html`<p><a href="${batchPath(batchId)}">Its batch</a> shows how it ended.</p>` : findings.length === 0 && html`<p>${hint}</p>`}
${cells === undefined ? findings.length > 0 && findingTable(findings) : correctForm(view, path, cells)}
${findings.length > 0 && findings.every(({ row }) => row !== null) && choices(path, options)}
<p><a class="button" href="/batches/new">Another file</a></p>`;

const BALANCES: readonly Column<Outlook['balances'][number]>[] = [
  { head: 'Account', cell: ({ accountId }) => accountId },
  { head: 'Balance', isFigure: true, cell: ({ balance, currency }) => money(balance, currency) },
  { head: 'Needs', isFigure: true, cell: ({ needs, currency }) => money(needs, currency) },
  {
    head: 'After',
    isFigure: true,
    cell: ({ after, currency }) =>
      html`${money(after, currency)}${after.startsWith('-') && html` <span class="badge unpaid">short</span>`}`,
  },
];

/** The name of a column, which breaks between its words. */
const wordByWord = (column: string | null): Html =>
  html`${column?.split(/(?<=_)/).map((word, n) => html`${n > 0 && html`<wbr>`}${word}`)}`;

const FINDINGS: readonly Column<Finding>[] = [
  { head: 'Place', cell: ({ line }) => `Line ${line}` },
  { head: 'Column', cell: ({ column }) => wordByWord(column) },
  { head: 'Value', cell: ({ value }) => value !== null && html`<code>${value}</code>` },
  {
    head: 'Problem',
    cell: ({ message, path }) => html`${message}${path !== undefined && html` <code>${path}</code>`}`,
  },
  { head: 'Rule', cell: ({ rule }) => html`<code>${rule}</code>` },
];

/** One line for each kind of warning, with its first rows. */
const WARNINGS: readonly Column<readonly Finding[]>[] = [
  { head: 'Place', cell: (alike) => rowsText(alike).replace(/^./, (letter) => letter.toUpperCase()) },
  { head: 'Column', cell: ([first]) => wordByWord(first?.column ?? null) },
  { head: 'Warning', cell: ([first]) => first?.message },
  { head: 'Rule', cell: ([first]) => html`<code>${first?.rule}</code>` },
];

const warningTable = (warnings: readonly Finding[]): Html =>
  dataTable('They stop nothing', WARNINGS, warningsByKind(warnings));

export const findingTable = (findings: readonly Finding[]): Html =>
  dataTable(
    findings.length > FINDINGS_MAX ? `The first ${FINDINGS_MAX} findings` : counted(findings.length, 'finding'),
    FINDINGS,
    findings.slice(0, FINDINGS_MAX),
  );

/** Of a plan that exchanges, also how. */
const choices = (
  path: string,
  { skip, meant, exchange }: SubmitOptions,
  planned?: PlanDocument,
): Html => html`<form class="filters" method="get" action="${path}">
${(skip || planned === undefined) && html`<label class="inline"><input type="checkbox" name="skip" value="yes"${skip && html` checked`}> Leave out rows with findings and pay the others</label>`}
<label class="inline"><input type="checkbox" name="meant" value="yes"${meant && html` checked`}> Do not hold rows that look like an earlier payout</label>
${planned === undefined ? exchange !== undefined && html`<input type="hidden" name="exchange" value="${exchange}">` : exchangeChoice(planned)}<button>Plan again</button></form>`;

const EXCHANGE_TEXTS: Readonly<Record<Exchanges, string>> = {
  'per-row': 'each payout by itself',
  'per-batch': 'once for all',
};

const exchangeChoice = ({ plan: { exchanges } }: PlanDocument): Html | false => {
  const chosen = exchanges.some(({ once, sellAtMost }) => once !== null || isZero(sellAtMost))
    ? 'per-batch'
    : 'per-row';
  return (
    exchanges.length > 0 &&
    html`<label class="inline">Exchange <select name="exchange">${EXCHANGES.map(
      (how) => html`<option value="${how}"${how === chosen && html` selected`}>${EXCHANGE_TEXTS[how]}</option>`,
    )}</select></label>
`
  );
};

const optionFields = ({ skip, meant, exchange }: SubmitOptions): Html =>
  html`${exchange !== undefined && html`<input type="hidden" name="exchange" value="${exchange}">`}${skip && html`<input type="hidden" name="skip" value="yes">`}${meant && html`<input type="hidden" name="meant" value="yes">`}`;

export interface PendingUpload {
  id: string;
  upload: Upload;
  /** Name of its maker; undefined if names are believed. */
  owner: string | undefined;
  /** Of a corrected copy: the file that was submitted, and what is changed. */
  corrected?: { original: Upload; cells: string[]; warnings: Finding[] };
  /** Id of its future batch, so that confirming it twice makes one batch. */
  batchId: string;
  until: number;
}

const LIFE_MS = 3_600_000;
/** Of one person: a person who submits more loses their own oldest ones. */
const COUNT_MAX = 10;
const BYTES_MAX = 2 * FILE_BYTES_MAX;

/** Files between submission and confirmation, on the disk of one gateway. Disposing removes them. */
export class PendingUploads implements AsyncDisposable {
  readonly #held = new Map<string, PendingUpload>();

  async hold(upload: Upload, owner: string | undefined, now: number): Promise<PendingUpload> {
    const held = { id: v7(), upload, owner, batchId: v7(), until: now + LIFE_MS };
    this.#held.set(held.id, held);
    let [count, bytes] = [0, 0];
    for (const { id, until, ...it } of [...this.#held.values()].reverse()) {
      if (it.owner === owner) {
        count += 1;
        bytes += it.upload.bytes;
      }
      const isTooMuch = it.owner === owner && (count > COUNT_MAX || bytes > BYTES_MAX);
      if (until <= now || isTooMuch) await this.drop(id);
    }
    return held;
  }

  /** Undefined if it is gone or belongs to somebody else. */
  find(id: string, owner: string | undefined, now: number): PendingUpload | undefined {
    const held = this.#held.get(id);
    return held !== undefined && held.owner === owner && held.until > now ? held : undefined;
  }

  /** The same. Throws a `Problem` if it is gone or belongs to somebody else. */
  held(id: string, owner: string | undefined, now: number): PendingUpload {
    const held = this.find(id, owner, now);
    if (held !== undefined) return held;
    throw new Problem('not-found', 'unknown-id', 'This file is no longer available.', { hint: 'Submit it again.' });
  }

  /** A corrected copy takes the place of a file, which is kept. */
  async correct(held: PendingUpload, copy: Upload, { changed, warnings }: Corrected): Promise<void> {
    const { upload, corrected } = held;
    held.upload = copy;
    held.corrected = {
      original: corrected?.original ?? upload,
      cells: [...new Set([...(corrected?.cells ?? []), ...changed])],
      warnings: corrected?.warnings ?? warnings,
    };
    if (corrected !== undefined) await upload[Symbol.asyncDispose]();
  }

  async drop(id: string): Promise<void> {
    const held = this.#held.get(id);
    this.#held.delete(id);
    await held?.upload[Symbol.asyncDispose]();
    await held?.corrected?.original[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of [...this.#held.keys()]) await this.drop(id);
  }
}
