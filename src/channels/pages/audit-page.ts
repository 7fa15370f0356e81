import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { counted } from '../../domain/display.ts';
import { type Html, html } from '../../reports/html.ts';
import { detailShown, type SerializedEntry } from '../../store/audit/entry.ts';
import { parsed } from '../http/documents.ts';
import { accessOf } from '../http/route-access.ts';
import { placeAccess, show, viewOf } from './layout.ts';
import { batchPath, type Column, dataTable, moment, nothing, payoutPath } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';

const PAGE = 100;

/** The document of a payout, or the file of a batch, with its page; by subject. */
type Named = ReadonlyMap<string, { name: string; path: string }>;

async function namedIn({ store }: PagesGateway, entries: readonly SerializedEntry[]): Promise<Named> {
  const subjects = [...new Set(entries.map(({ subject }) => subject))];
  const payouts = await store.payoutsOf(subjects);
  const known = new Set(payouts.map(({ reference }) => reference));
  const batches = await Promise.all(
    subjects.filter((it) => !known.has(it) && UUID.test(it)).map((it) => store.batch(it)),
  );
  return new Map([
    ...payouts.map((it) => [it.reference, { name: it.documentId, path: payoutPath(it.reference) }] as const),
    ...batches.flatMap((it) =>
      it === undefined ? [] : [[it.batchId, { name: it.file, path: batchPath(it.batchId) }] as const],
    ),
  ]);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const columns = (named: Named): readonly Column<SerializedEntry>[] => [
  { head: 'Entry', cell: ({ seq }) => `No. ${seq}` },
  { head: 'When', cell: ({ at }) => moment(at) },
  { head: 'Who', cell: ({ actor }) => actor },
  { head: 'What', cell: ({ action }) => action },
  {
    head: 'About',
    cell: ({ subject }) => {
      const { name, path } = named.get(subject) ?? {};
      return path === undefined ? html`<code>${subject}</code>` : html`<a href="${path}">${name}</a>`;
    },
  },
  { head: 'Detail', cell: ({ detail }) => detailText(detail) },
];

/** `outcome: approved · remark: as agreed`; ids and digests, which nobody reads, behind a click. */
function detailText(detail: string): Html {
  const members = detailShown(JSON.parse(detail));
  const textOf = (some: typeof members): string => some.map(([member, value]) => `${member}: ${value}`).join(' · ');
  const [ids, read] = [members.filter(([name]) => IDS.has(name)), members.filter(([name]) => !IDS.has(name))];
  return html`${textOf(read)}${ids.length > 0 && html`<details class="more quiet"><summary>Ids and digests</summary>${textOf(ids)}</details>`}`;
}

const IDS: ReadonlySet<string> = new Set([
  ...['credential', 'decisionId', 'digest', 'orderId', 'payee', 'policy', 'reference', 'sha256'],
]);

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
<p>${counted(size, 'entry', 'entries')}. To check that nobody has changed them, run <code>payouts audit verify</code>. <a href="/subscriptions">Receivers of events</a></p>
${entries.length === 0 ? nothing('There are no entries.') : dataTable('Newest first', columns(await namedIn(gateway, entries)), entries.reverse())}
${from > 0 && html`<p><a class="button" href="/audit?before=${from}">Older entries</a></p>`}`;
    return show(reply, viewOf(request, reply, gateway), { title: 'Audit', body });
  });
}
