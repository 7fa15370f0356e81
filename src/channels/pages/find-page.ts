import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Html, html } from '../../reports/html.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { optionalText, parsed } from '../http/documents.ts';
import { maySeePayout, payoutsSeenBy } from '../http/may-see.ts';
import { accessOf } from '../http/route-access.ts';
import { placeAccess, show, viewOf } from './layout.ts';
import { type Column, dataTable, moment, nothing, ROW } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';

/** More than are shown, since a few of them may still be outside the scope of the caller. */
const READ_MAX = 1_000;
const SHOWN_MAX = 100;

const findQuery = z.object({ text: optionalText });

const COLUMNS: readonly Column<PayoutRecord>[] = [
  ...[ROW.document, ROW.amount, ROW.from, ROW.to, ROW.state, ROW.why],
  { head: 'Since', cell: ({ stateSince }) => moment(stateSince) },
];

/** `/payouts?text=TEXT`: payouts in the caller's scope with this text in an id or their file's name, as `payouts list --text`. */
export function findRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  app.get('/payouts', accessOf(placeAccess('/payouts')), async (request, reply) => {
    const { text } = parsed(findQuery, request.query);
    const found =
      text === undefined
        ? []
        : await store.searchPayouts({ text, seenBy: payoutsSeenBy(request.caller) }, { limit: READ_MAX });
    const rows = found.filter((row) => maySeePayout(request.caller, row));
    const body = html`<h1>Find</h1>
<form class="filters" method="get" role="search">
<label>Document, reference, order, user, payee id or file <input name="text" type="search" maxlength="200" required value="${text}"></label><button>Find</button></form>
${text !== undefined && results(rows, found.length === READ_MAX)}`;
    return show(reply, viewOf(request, reply, gateway), { title: 'Find', body });
  });
}

function results(rows: readonly PayoutRecord[], isCut: boolean): Html {
  const isMore = isCut || rows.length > SHOWN_MAX;
  return html`${rows.length === 0 ? nothing('No payout matches.') : dataTable('Newest first', COLUMNS, rows.slice(0, SHOWN_MAX))}
${isMore && html`<p class="quiet">There may be more: a longer text finds fewer.</p>`}`;
}
