import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { counted } from '../../domain/display.ts';
import { html } from '../../reports/html.ts';
import { detailShown, type SerializedEntry } from '../../store/audit/entry.ts';
import { parsed } from '../http/documents.ts';
import { accessOf } from '../http/route-access.ts';
import { placeAccess, show, viewOf } from './layout.ts';
import { type Column, dataTable, moment, nothing } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';

const PAGE = 100;

const COLUMNS: readonly Column<SerializedEntry>[] = [
  { head: 'Entry', cell: ({ seq }) => `No. ${seq}` },
  { head: 'When', cell: ({ at }) => moment(at) },
  { head: 'Who', cell: ({ actor }) => actor },
  { head: 'What', cell: ({ action }) => action },
  { head: 'About', cell: ({ subject }) => html`<code>${subject}</code>` },
  { head: 'Detail', cell: ({ detail }) => detailText(detail) },
];

/** `outcome: approved · remark: as agreed` */
const detailText = (detail: string): string =>
  detailShown(JSON.parse(detail))
    .map(([member, value]) => `${member}: ${value}`)
    .join(' · ');

/** `/audit`: the log, the newest entry first. */
export function auditRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  const query = z.object({ before: z.coerce.number().int().min(0).optional() });
  app.get('/audit', accessOf(placeAccess('/audit')), async (request, reply) => {
    const { before } = parsed(query, request.query);
    const { size } = await store.auditTree();
    const to = Math.min(before ?? size, size);
    const from = Math.max(0, to - PAGE);
    const entries: SerializedEntry[] = [];
    for await (const page of store.auditLog({ from, to })) entries.push(...page);
    const body = html`<h1>Audit</h1>
<p>${counted(size, 'entry', 'entries')}. To check that nobody has changed them, run <code>payouts audit verify</code>.</p>
${entries.length === 0 ? nothing('There are no entries.') : dataTable('Newest first', COLUMNS, entries.reverse())}
${from > 0 && html`<p><a class="button" href="/audit?before=${from}">Older entries</a></p>`}`;
    return show(reply, viewOf(request, reply, gateway), { title: 'Audit', body });
  });
}
