import type { FastifyInstance } from 'fastify';
import { counted } from '../../domain/display.ts';
import { groupedAmount } from '../../domain/money.ts';
import { listBatches } from '../../reports/batch-list.ts';
import { html } from '../../reports/html.ts';
import type { ListedBatch } from '../../reports/report-document.ts';
import { maySee, maySubmitFiles } from '../http/may-see.ts';
import { accessOf } from '../http/route-access.ts';
import { placeAccess, show, viewOf } from './layout.ts';
import { batchBadge, batchPath, type Column, dataTable, moment, nothing } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';

const COLUMNS: readonly Column<ListedBatch>[] = [
  { head: 'File', cell: ({ batchId, file }) => html`<a href="${batchPath(batchId)}">${file}</a>` },
  {
    head: 'State',
    cell: ({ state, incidents }) =>
      incidents === 0
        ? batchBadge(state)
        : html`<span>${batchBadge(state)} <a href="/incidents">${counted(incidents, 'incident')}</a></span>`,
  },
  {
    head: 'Paid',
    isFigure: true,
    cell: ({ counts }) => `${groupedAmount(counts.completed)} of ${groupedAmount(counts.total)}`,
  },
  {
    head: 'Needs an operator',
    isFigure: true,
    cell: ({ counts }) => counts.needsOperator > 0 && groupedAmount(counts.needsOperator),
  },
  { head: 'Submitted', cell: ({ createdAt }) => moment(Date.parse(createdAt)) },
];

/** `/batches`: the newest batches that somebody may see. */
export function batchListRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  app.get('/batches', accessOf(placeAccess('/batches')), async (request, reply) => {
    const { caller } = request;
    const { batches } = await listBatches(store, (batch) => maySee(caller, store, batch));
    const body = html`<h1>Batches</h1>
${maySubmitFiles(caller) && html`<p><a class="button" href="/batches/new">Submit a file</a></p>`}
${batches.length === 0 ? nothing('There are no batches yet.') : dataTable('Newest first', COLUMNS, batches)}`;
    return show(reply, viewOf(request, reply, gateway), { title: 'Batches', body });
  });
}
