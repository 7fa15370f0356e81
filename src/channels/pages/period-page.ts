import { Readable } from 'node:stream';
import * as contentDisposition from 'content-disposition';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { LINES } from '../../domain/statements/period.ts';
import { dayIn } from '../../domain/time.ts';
import { type Html, html } from '../../reports/html.ts';
import {
  LINE_TEXTS,
  missingTexts,
  type PeriodAccount,
  type PeriodDocumentHead,
  type PeriodReport,
} from '../../reports/statements/period-report.ts';
import { parsed } from '../http/documents.ts';
import { placeOf } from '../http/operation.ts';
import { CLOSE_PERIOD, PERIOD, PERIOD_CSV, PERIOD_DOCUMENT } from '../http/operations/period-operations.ts';
import { accessOf, isAllowed } from '../http/route-access.ts';
import { csrfField, placeAccess, show, type View, viewOf } from './layout.ts';
import { addressOf } from './page-links.ts';
import { type Column, dataTable, money, nothing } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';

const PLACE = '/period';
const query = z.object({
  from: z.string().max(20).optional(),
  to: z.string().max(20).optional(),
  of: z.string().max(40).optional(),
});
const closing = z.object({ of: z.string().max(40), _csrf: z.string().optional() });

/** `/period`: what the bank booked on each account between two days; operators close it. Made to be printed too. */
export function periodRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  app.get(PLACE, accessOf(placeAccess('/statements')), async (request, reply) => {
    const { from = '', to = '', of } = parsed(query, request.query);
    const named = of ?? (from === '' ? 'yesterday' : to === '' || to === from ? from : `${from}..${to}`);
    const today = dayIn(gateway.now(), gateway.settings.timeZone);
    const found = await PERIOD.run(placeOf(gateway, request.caller), { period: named });
    const view = viewOf(request, reply, gateway);
    const mayClose = found.to < today && isAllowed(CLOSE_PERIOD.access, request.caller);
    return show(reply, view, { title: `Period ${found.period}`, body: page(view, found, mayClose) });
  });
  const asked = z.object({ of: z.string().max(40).default('yesterday') });
  app.get(`${PLACE}/csv`, accessOf(placeAccess('/statements')), async (request, reply) => {
    const { of: period } = parsed(asked, request.query);
    const content = await PERIOD_CSV.run(placeOf(gateway, request.caller), { period });
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', contentDisposition.create(`period-${period}.csv`))
      .send(Readable.from(content));
  });
  app.get(`${PLACE}/json`, accessOf(placeAccess('/statements')), (request) => {
    const { of: period } = parsed(asked, request.query);
    return PERIOD.run(placeOf(gateway, request.caller), { period });
  });
  app.get(`${PLACE}/documents/:digest`, accessOf(PERIOD_DOCUMENT.access), async (request, reply) => {
    const { digest } = parsed(PERIOD_DOCUMENT.input, request.params);
    const content = await PERIOD_DOCUMENT.run(placeOf(gateway, request.caller), { digest });
    return reply.type('application/json; charset=utf-8').send(Readable.from(content));
  });
  app.post(`${PLACE}/close`, accessOf(CLOSE_PERIOD.access), async (request, reply) => {
    const { of: period } = parsed(closing, request.body, 'form');
    await CLOSE_PERIOD.run(placeOf(gateway, request.caller), { period });
    return reply.redirect(`${PLACE}?of=${encodeURIComponent(period)}`, 303);
  });
}

function page(view: View, found: PeriodReport, mayClose: boolean): Html {
  const { from, to, timeZone, period, accounts, missing, documents } = found;
  const [last] = documents;
  const unexplained = accounts.filter(({ lines }) => /[1-9]/.test(lines.unexplainedIn + lines.unexplainedOut));
  const address = (kind: string): string => addressOf(`${PLACE}/${kind}`, { of: period });
  return html`<h1>Period ${from === to ? from : `${from} to ${to}`}</h1>
<form class="filters" method="get"><label>First day <input type="date" name="from" value="${from}"></label> <label>Last day <input type="date" name="to" value="${to}"></label> <button>Show</button></form>
<p class="quiet">Business days in ${timeZone}. <a href="${address('csv')}">As a table (CSV)</a> · <a href="${address('json')}">as JSON</a></p>
${last?.reopenedAt != null && html`<p class="problem">It was closed and is open again: ${last.reopenedWhy}.</p>`}
${unexplained.map((it) => html`<p class="problem">On ${it.accountId} there are bookings that nothing explains. <a href="/statements">The differences</a></p>`)}
${missingTexts(missing).map((text) => html`<p class="attend">${text}</p>`)}
${accounts.length === 0 ? nothing('No payout and no statement was submitted for these days.') : accounts.map(accountTable)}
${mayClose && closeForm(view, period, last)}
${documents.length > 0 && html`<h2>Closed</h2>${dataTable('Documents of this period', documentColumns(view), documents)}`}`;
}

interface Row {
  name: string;
  amount: string;
  currency: string;
}

const ROWS: readonly Column<Row>[] = [
  { head: 'What', cell: ({ name }) => name },
  { head: 'Amount', isFigure: true, cell: ({ amount, currency }) => money(amount, currency) },
];

function accountTable({ uid, accountId, currency, books, instructed, opening, closing, lines }: PeriodAccount): Html {
  const rows = [
    { name: `instructed, ${instructed.count}`, amount: instructed.amount },
    ...(opening === null ? [] : [{ name: 'opening balance', amount: opening }]),
    ...LINES.filter((line) => /[1-9]/.test(lines[line])).map((line) => ({
      name: LINE_TEXTS[line],
      amount: lines[line],
    })),
    ...(closing === null ? [] : [{ name: 'closing balance', amount: closing }]),
  ].map((row) => ({ ...row, currency }));
  const source = { statement: 'by its statements', orders: 'by the order list', none: 'no statement with balances' }[
    books
  ];
  return dataTable(`${accountId}, ${currency}, of ${uid}; ${source}`, ROWS, rows);
}

const closeForm = (view: View, period: string, last: PeriodDocumentHead | undefined): Html =>
  html`<form method="post" action="${PLACE}/close">${csrfField(view)}<input type="hidden" name="of" value="${period}"><p class="actions"><button class="main">${last === undefined ? 'Close this period' : 'Close this period again'}</button></p></form>`;

const documentColumns = ({ caller }: View): readonly Column<PeriodDocumentHead>[] => [
  { head: 'Version', cell: ({ version }) => version },
  { head: 'Closed', cell: ({ closedAt, closedBy }) => `${closedAt.slice(0, 16).replace('T', ' ')} UTC by ${closedBy}` },
  {
    head: 'Document',
    cell: ({ digest }) => {
      const shown = html`<code>${digest.slice(0, 12)}</code>`;
      const mayRead = caller !== undefined && isAllowed(PERIOD_DOCUMENT.access, caller);
      return mayRead ? html`<a href="${PLACE}/documents/${digest}">${shown}</a>` : shown;
    },
  },
  {
    head: 'Supersedes',
    cell: ({ supersedes }) => supersedes !== null && html`<code>${supersedes.slice(0, 12)}</code>`,
  },
  { head: 'Reopened', cell: ({ reopenedAt, reopenedWhy }) => reopenedAt !== null && `${reopenedWhy}` },
];
