import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { counted } from '../../domain/display.ts';
import { parseDecimal } from '../../domain/money.ts';
import { Problem } from '../../domain/problem.ts';
import { entryOfLine } from '../../domain/statements/lines.ts';
import { FILE_BYTES_MAX } from '../../files/input.ts';
import { STATEMENT_NAMES } from '../../files/statements/read-statement.ts';
import { type Html, html } from '../../reports/html.ts';
import { reconcileUser } from '../../reports/statements/reconcile-user.ts';
import {
  DISCREPANCIES_MAX,
  type DiscrepancyDocument,
  discrepanciesCsv,
  discrepancyDocuments,
  type Flow,
  flowsOf,
} from '../../reports/statements/statement-report.ts';
import { type StatementTaking, takeStatements } from '../../reports/statements/take-statement.ts';
import type { StatementRecord } from '../../store/store.ts';
import { findTarget } from '../find-target.ts';
import { assertFileName, receive, tooLarge } from '../http/bodies.ts';
import type { Caller } from '../http/callers.ts';
import { optionalText, parsed, storableText } from '../http/documents.ts';
import { uploadsOf } from '../http/gateway-app.ts';
import { takeInTurn } from '../http/intake-turns.ts';
import { mayOperate, OPERATING } from '../http/may-see.ts';
import { matchOf, maySeeBooks } from '../http/operations/statement-operations.ts';
import { accessOf } from '../http/route-access.ts';
import { csrfField, placeAccess, show, type View, viewOf } from './layout.ts';
import { batchPath, type Column, dataTable, factList, money, nothing, payoutPath } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import { operatorOf, senderFields, signedForm } from './signed-forms.ts';
import { readFields } from './submit-page.ts';

const PLACE = '/statements';
const SHOWN_MAX = 100;
const query = z.object({ all: z.literal('yes').optional() });
const matchBody = z.object({ payout: optionalText, reason: storableText, ...senderFields });

/** `/statements`: what the bank says that it booked, where that differs from our records, and people's word about it. */
export function statementPageRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  const access = accessOf(placeAccess(PLACE));
  const found = async ({ caller, query: given }: FastifyRequest): Promise<DiscrepancyDocument[]> => {
    const { all } = parsed(query, given);
    const records = await store.discrepancies({ open: all === undefined, limit: DISCREPANCIES_MAX });
    return discrepancyDocuments(
      store,
      records.filter((it) => maySeeBooks(caller, it)),
    );
  };
  app.get(PLACE, access, async (request, reply) => {
    const view = viewOf(request, reply, gateway);
    const statements = await visibleStatements(gateway, request.caller);
    const body = page(view, {
      statements,
      flows: await visibleFlows(gateway, statements),
      discrepancies: await found(request),
    });
    return show(reply, view, { title: 'Statements', body });
  });
  app.get(`${PLACE}/differences.csv`, access, async (request, reply) =>
    reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="differences.csv"')
      .send(discrepanciesCsv(await found(request))),
  );
  app.get(`${PLACE}/differences.json`, access, async (request) => ({
    schemaVersion: 1,
    discrepancies: await found(request),
  }));
  app.post(`${PLACE}/entries/:entry`, accessOf(OPERATING), async (request, reply) => {
    const { entry } = request.params as { entry: string };
    const { payout: named, reason, ...sent } = parsed(matchBody, request.body, 'form');
    const kept = await store.statementEntry(entryOfLine(entry));
    if (kept === undefined || !maySeeBooks(request.caller, kept)) {
      throw new Problem('not-found', 'unknown-id', 'There is no such booking.', {
        hint: 'The page of statements shows those that are open.',
      });
    }
    const target = named === undefined ? undefined : await findTarget(store, named, request.caller);
    if (target?.kind === 'batch')
      throw new Problem('usage', 'not-a-payout', 'A booking belongs to a payout, not a batch.', {
        hint: 'Name a payout of the batch.',
      });
    const operator = await operatorOf(request, gateway, matchOf(entry, named, reason), sent);
    if ('asked' in operator) return operator.asked;
    const { by } = operator;
    const reference = target?.payout.reference ?? null;
    await store.decideEntry({ lineId: entry, uid: kept.uid, reference, by, reason, at: gateway.now() });
    await reconcileUser(gateway, kept.uid);
    return reply.redirect(PLACE, 303);
  });
}

/** Receives a statement. */
export async function statementUploadRoutes(app: FastifyInstance, gateway: PagesGateway): Promise<void> {
  await app.register(multipart, { limits: { fileSize: FILE_BYTES_MAX, files: 1, fields: 5, fieldSize: 1_000 } });
  const guarded = {
    ...accessOf(OPERATING),
    preHandler: [readFields, app.csrfProtection],
    onError: async ({ part }: FastifyRequest) => void part?.file.resume(),
  };
  app.post(PLACE, guarded, async (request, reply) => {
    const { part, caller } = request;
    if (part === undefined || part.filename === '') {
      throw new Problem('usage', 'file-missing', 'No file was chosen.', { hint: 'Choose one.' });
    }
    assertFileName(part.filename);
    await using upload = await receive(part.file, uploadsOf(gateway.config), { name: part.filename, extension: '' });
    if (part.file.truncated) throw tooLarge();
    const mayTake = (account: Parameters<typeof maySeeBooks>[1]): boolean => maySeeBooks(caller, account);
    const taken = await takeInTurn(gateway, caller, () =>
      takeStatements(gateway, upload.path, { by: caller.name, mayTake }),
    );
    if (taken.statements.every(({ outcome }) => outcome !== 'refused')) return reply.redirect(PLACE, 303);
    const view = viewOf(request, reply, gateway);
    return show(reply, view, { title: 'This file was not taken as a whole', body: refusedPage(taken), status: 422 });
  });
}

async function visibleStatements({ store }: PagesGateway, caller: Caller): Promise<StatementRecord[]> {
  return (await store.statementsTaken({ limit: SHOWN_MAX })).filter((it) => maySeeBooks(caller, it));
}

async function visibleFlows({ store }: PagesGateway, statements: readonly StatementRecord[]): Promise<Flow[]> {
  const flows: Flow[] = [];
  for (const [uid, some] of Map.groupBy(statements, (it) => it.uid)) {
    flows.push(...(await flowsOf(store, uid, new Set(some.map(({ accountId }) => accountId)))));
  }
  return flows;
}

interface Books {
  statements: readonly StatementRecord[];
  flows: readonly Flow[];
  discrepancies: readonly DiscrepancyDocument[];
}

function page(view: View, { statements, flows, discrepancies }: Books): Html {
  const mayMatch = view.caller !== undefined && mayOperate(view.caller, 'resolve');
  return html`<h1>Statements</h1>
<p>What the bank says that it booked, compared with what payouts moved. A difference changes no payout: somebody finds out which side is right. <a href="/period">Report of a day, a month or any other period</a></p>
${mayMatch && uploadForm(view)}
<h2>Differences</h2>
${discrepancies.length === 0 ? nothing(statements.length === 0 ? 'No statement has been submitted yet.' : 'The books agree.') : html`<p>${counted(discrepancies.length, 'difference')}. <a href="${PLACE}/differences.csv">As a table (CSV)</a> · <a href="${PLACE}/differences.json">as JSON</a></p>`}
${discrepancies.slice(0, SHOWN_MAX).map((it) => card(view, it, mayMatch))}
${discrepancies.length > SHOWN_MAX && html`<p class="quiet">The newest ${SHOWN_MAX} are shown; the table has all.</p>`}
${flows.length > 0 && html`<h2>Booked by day</h2>${[...Map.groupBy(flows, ({ currency }) => currency)].map(([currency, some]) => picture(currency, some))}`}
${statements.length > 0 && html`<h2>Submitted</h2>${dataTable('The newest statements', COLUMNS, statements)}`}`;
}

const uploadForm = (
  view: View,
): Html => html`<form class="card" method="post" action="${PLACE}" enctype="multipart/form-data">
${csrfField(view)}
<p><label>Statement (${STATEMENT_NAMES}) <input type="file" name="file" required></label></p>
<p class="actions"><button class="main">Submit</button></p>
</form>`;

const COLUMNS: readonly Column<StatementRecord>[] = [
  { head: 'Account', cell: ({ accountId }) => accountId },
  { head: 'Days', cell: ({ fromDay, toDay }) => (fromDay === toDay ? toDay : `${fromDay} to ${toDay}`) },
  { head: 'Format', cell: ({ format, number }) => `${format}, ${number}` },
  { head: 'Bookings', isFigure: true, cell: ({ entries }) => entries },
  { head: 'Balance', isFigure: true, cell: ({ closing, currency }) => closing !== null && money(closing, currency) },
];

/** Both sides of a difference. */
function card(view: View, it: DiscrepancyDocument, mayMatch: boolean): Html {
  const { payout, batchId, bookings, candidates } = it;
  const [entry] = bookings;
  const link = ({ reference, documentId }: NonNullable<DiscrepancyDocument['payout']>): Html =>
    html`<a href="${payoutPath(reference)}">${documentId}</a>`;
  return html`<section class="card" aria-label="${it.says}">
<p class="sentence"><strong>${it.says}</strong>${!it.isOpen && ' (explained since)'}</p>
${factList([
  ['Day and account', `${it.day}, ${it.accountId}`],
  ['Our records', it.ours === null ? 'nothing' : money(it.ours.amount, it.ours.currency)],
  ['Payout', payout !== null && html`${link(payout)}, ${payout.state}`],
  ['Batch', batchId !== null && html`<a href="${batchPath(batchId)}">${batchId}</a>`],
  ['The bank booked', it.booked === null ? 'nothing' : money(it.booked.amount, it.booked.currency)],
  ...bookings.map((booking): [string, Html] => [
    'Booking',
    html`${booking.bookedOn}, ${money(booking.amount, booking.currency)} <bdi>${booking.text}</bdi>${booking.reason !== null && html`, ${booking.reason}`} <code>${booking.entry}</code>`,
  ]),
  [
    batchId === null ? 'May belong to' : 'May be missing',
    candidates.length > 0 && candidates.map((payoutSide) => html`${link(payoutSide)} `),
  ],
  ['Incident', it.incidentId !== null && html`<a href="/incidents"><code>${it.incidentId}</code></a>`],
])}
${mayMatch && it.isOpen && entry !== undefined && payout === null && batchId === null && matchForm(view, entry.entry, candidates)}
</section>`;
}

const matchForm = (view: View, entry: string, candidates: DiscrepancyDocument['candidates']): Html =>
  signedForm(
    view,
    `${PLACE}/entries/${encodeURIComponent(entry)}`,
    html`<p><label>Belongs to the payout <input name="payout" maxlength="200" list="of-${entry}"></label> <span class="quiet">Empty: to none.</span></p>
<datalist id="of-${entry}">${candidates.map(({ reference, documentId }) => html`<option value="${reference}">${documentId}</option>`)}</datalist>
<p><label>Why <input name="reason" required maxlength="200"></label></p>`,
    html`<button class="main">Record</button>`,
  );

const [WIDTH, HEIGHT, BAR] = [700, 120, 16];

/** A bar for each day: what left above the line, what came below it; filled where everything is explained. */
function picture(currency: string, flows: readonly Flow[]): Html {
  const days = flows.toSorted((a, b) => (a.day < b.day ? -1 : 1));
  const of = (amount: string): bigint => parseDecimal(amount)?.digits ?? 0n;
  const most = days.reduce((max, it) => [max, of(it.out), of(it.in)].reduce((a, b) => (a > b ? a : b)), 1n);
  const tall = (amount: string): number => Number((of(amount) * BigInt(HEIGHT)) / most);
  const width = Math.max(WIDTH, days.length * (BAR + 4));
  const bars = days.map((it, index) => {
    const x = index * (BAR + 4);
    const [out, back] = [tall(it.out), tall(it.in)];
    const opacity = it.open > 0 ? '0.35' : '0.9';
    const title = `${it.day}: ${it.out} ${currency} left, ${it.in} came; ${counted(it.bookings, 'booking')}, ${it.open} of them not explained`;
    return html`<g><title>${title}</title><rect x="${x}" y="${HEIGHT - out}" width="${BAR}" height="${out}" fill="currentColor" fill-opacity="${opacity}"/><rect x="${x}" y="${HEIGHT + 1}" width="${BAR}" height="${back}" fill="none" stroke="currentColor" stroke-opacity="${opacity}"/></g>`;
  });
  return html`<figure class="chart"><svg viewBox="0 0 ${width} ${2 * HEIGHT + 2}" role="img" aria-label="What was booked each day in ${currency}"><line x1="0" x2="${width}" y1="${HEIGHT}" y2="${HEIGHT}" stroke="currentColor" stroke-opacity="0.5"/>${bars}</svg>
<figcaption>${currency}, ${days[0]?.day} to ${days.at(-1)?.day}: what left above the line, what came below it. Pale: a booking of that day is not explained.</figcaption>
<details><summary>As a table</summary>${dataTable(`Booked by day, ${currency}`, FLOW_COLUMNS, days)}</details></figure>`;
}

const FLOW_COLUMNS: readonly Column<Flow>[] = [
  { head: 'Day', cell: ({ day }) => day },
  { head: 'Left', isFigure: true, cell: ({ out, currency }) => money(out, currency) },
  { head: 'Came', isFigure: true, cell: (flow) => money(flow.in, flow.currency) },
  { head: 'Bookings', isFigure: true, cell: ({ bookings }) => bookings },
  { head: 'Not explained', isFigure: true, cell: ({ open }) => open },
];

function refusedPage({ file, statements }: StatementTaking): Html {
  return html`<h1>${file}</h1>
<p class="problem" role="alert">Not every statement of this file was taken.</p>
${statements.map(
  (
    it,
  ) => html`<section class="card"><p><strong>${it.outcome}</strong>: ${it.format} ${it.number} of ${it.accountId ?? it.account}, ${it.from} to ${it.to}</p>
<ul>${it.findings.map(({ line, path, message }) => html`<li>line ${line}${path !== undefined && html` <code>${path}</code>`}: ${message}</li>`)}</ul></section>`,
)}
<p><a href="${PLACE}">Back to the statements</a></p>`;
}
