import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { iso, isoOrNull, stateWords } from '../../domain/display.ts';
import { SHOWN_STATES } from '../../domain/payout-state.ts';
import { laterDay } from '../../domain/time.ts';
import { type Html, html } from '../../reports/html.ts';
import { csvText } from '../../reports/write-csv.ts';
import {
  cursorBehind,
  isCursor,
  PAYOUT_ORDERS,
  type PayoutCursor,
  type PayoutOrder,
} from '../../store/payout-search.ts';
import type { PayoutRecord, PayoutSearch, Store } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { parsed } from '../http/documents.ts';
import { maySeePayout, payoutsSeenBy } from '../http/may-see.ts';
import { shortText } from '../http/operation.ts';
import { accessOf } from '../http/route-access.ts';
import { placeAccess, show, viewOf } from './layout.ts';
import { addressOf } from './page-links.ts';
import { type PayeeNames, payeeNamesOf } from './payee-names.ts';
import { type Column, dataTable, moment, nothing, ROW, toColumn } from './pieces.ts';
import { dayOf, startOf } from './reader.ts';
import type { PagesGateway } from './sessions.ts';

const SHOWN_MAX = 100;
const EXPORTED_AT_ONCE = 1_000;

/** An empty field of a form counts as absent. */
const filled = <Value extends z.ZodType>(value: Value) =>
  z
    .literal('')
    .transform(() => undefined)
    .or(value)
    .optional();
const day = filled(z.iso.date());

const findQuery = z.object({
  text: filled(shortText),
  state: filled(z.enum(SHOWN_STATES)),
  account: filled(shortText),
  currency: filled(shortText),
  uid: filled(shortText),
  batch: filled(shortText),
  returned: filled(z.literal('yes')),
  from: day,
  to: day,
  endedFrom: day,
  endedTo: day,
  order: filled(z.enum(PAYOUT_ORDERS)),
  after: filled(z.string().max(1_000)),
  before: filled(z.string().max(1_000)),
});
type Find = z.output<typeof findQuery>;

const startingOn = (date: string | undefined): number | undefined => (date === undefined ? date : startOf(date));
const endingOn = (date: string | undefined): number | undefined =>
  date === undefined ? date : startOf(laterDay(date, 1));

const searchOf = (asked: Find, caller: Caller): PayoutSearch => ({
  text: asked.text,
  states: asked.state && [asked.state],
  accountId: asked.account,
  currency: asked.currency?.toUpperCase(),
  uid: asked.uid,
  batchId: asked.batch,
  isReturned: asked.returned === 'yes',
  from: startingOn(asked.from),
  before: endingOn(asked.to),
  endedFrom: startingOn(asked.endedFrom),
  endedBefore: endingOn(asked.endedTo),
  seenBy: payoutsSeenBy(caller),
});

/** `/payouts`: payouts in the caller's scope, by filter, order and page; `/payouts.csv`: all of them as a table. */
export function findRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  app.get('/payouts', accessOf(placeAccess('/payouts')), async (request, reply) => {
    const { caller } = request;
    const asked = parsed(findQuery, request.query);
    const page = await pageOf(store, caller, asked);
    const names = await payeeNamesOf(gateway, caller, page.rows);
    const body = html`<h1>Payouts</h1>
${filters(asked)}
${results(asked, page, columns(caller, names))}`;
    return show(reply, viewOf(request, reply, gateway), { title: 'Find payouts', body });
  });
  app.get('/payouts.csv', accessOf(placeAccess('/payouts')), (request, reply) => {
    const asked = parsed(findQuery, request.query);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="payouts-${dayOf(gateway.now())}.csv"`)
      .send(Readable.from(exported(gateway, request.caller, asked)));
  });
}

interface Page {
  rows: readonly PayoutRecord[];
  /** Whether there are rows before and behind these. */
  hasBefore: boolean;
  hasMore: boolean;
}

/** Rows that are read for one page at most, of which those outside the caller's scope are left out. */
const READ_MAX = 5_000;

async function pageOf(store: Store, caller: Caller, asked: Find): Promise<Page> {
  const { order = 'newest' } = asked;
  const search = searchOf(asked, caller);
  const [after, before] = [cursorIn(asked.after, order), cursorIn(asked.before, order)];
  const found: PayoutRecord[] = [];
  let at = { after, before };
  for (let read = 0; read < READ_MAX && found.length <= SHOWN_MAX; ) {
    const rows = await store.searchPayouts(search, { order, ...at, limit: SHOWN_MAX + 1 });
    const seen = rows.filter((row) => maySeePayout(caller, row));
    if (before === undefined) found.push(...seen);
    else found.unshift(...seen);
    const last = before === undefined ? rows.at(-1) : rows[0];
    if (last === undefined || rows.length <= SHOWN_MAX) break;
    read += rows.length;
    at =
      before === undefined
        ? { after: cursorBehind(last, order), before }
        : { after, before: cursorBehind(last, order) };
  }
  const isMore = found.length > SHOWN_MAX;
  return before === undefined
    ? { rows: found.slice(0, SHOWN_MAX), hasBefore: after !== undefined, hasMore: isMore }
    : { rows: found.slice(-SHOWN_MAX), hasBefore: isMore, hasMore: true };
}

function cursorIn(text: string | undefined, order: PayoutOrder): PayoutCursor | undefined {
  if (text === undefined) return undefined;
  try {
    const given: unknown = JSON.parse(text);
    return isCursor(given, order) ? given : undefined;
  } catch {
    return undefined;
  }
}

const cursorText = (row: PayoutRecord | undefined, order: PayoutOrder): string | undefined =>
  row && JSON.stringify(cursorBehind(row, order));

const ORDERS: Readonly<Record<PayoutOrder, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  largest: 'Largest amount first',
  smallest: 'Smallest amount first',
};

function filters(asked: Find): Html {
  const { text, state, account, currency, uid, batch, returned, from, to, endedFrom, endedTo, order } = asked;
  const isFiltered = [account, currency, uid, returned, from, to, endedFrom, endedTo].some((it) => it !== undefined);
  const field = (name: string, label: string, value: string | undefined, type = 'text'): Html =>
    html`<label>${label} <input name="${name}" type="${type}" maxlength="200" value="${value}"></label>`;
  return html`<form method="get" role="search">${batch !== undefined && html`<input type="hidden" name="batch" value="${batch}">`}
<div class="filters">${field('text', 'Payee, amount, document, reference, order or file', text, 'search')}
<label>State <select name="state"><option value="">any</option>${SHOWN_STATES.map((it) => html`<option value="${it}"${it === state && html` selected`}>${stateWords(it)}</option>`)}</select></label>
<label>Order <select name="order">${PAYOUT_ORDERS.map((it) => html`<option value="${it}"${it === order && html` selected`}>${ORDERS[it]}</option>`)}</select></label>
<button class="main">Find</button></div>
<details class="more"${isFiltered && html` open`}><summary>More filters</summary>
<div class="filters">${field('account', 'Account', account)}${field('currency', 'Currency', currency)}${field('uid', 'User', uid)}
${field('from', 'Submitted from', from, 'date')}${field('to', 'Submitted to', to, 'date')}${field('endedFrom', 'Ended from', endedFrom, 'date')}${field('endedTo', 'Ended to', endedTo, 'date')}
<label class="inline"><input type="checkbox" name="returned" value="yes"${returned === 'yes' && html` checked`}> Money came back</label></div></details></form>`;
}

const columns = (caller: Caller, names: PayeeNames): readonly Column<PayoutRecord>[] => [
  ...[ROW.document, ROW.amount, ROW.from, toColumn(caller, names), ROW.state, ROW.why],
  { head: 'Since', cell: ({ stateSince }) => moment(stateSince) },
];

function results(asked: Find, { rows, hasBefore, hasMore }: Page, shown: readonly Column<PayoutRecord>[]): Html {
  const { after: _, before: __, ...search } = asked;
  const { order = 'newest' } = search;
  if (rows.length === 0)
    return html`${nothing('No payout matches.')}${hasBefore && html`<p class="actions"><a class="button" href="${addressOf('/payouts', search)}">First page</a></p>`}`;
  const link = (place: 'before' | 'after', row: PayoutRecord | undefined): string =>
    addressOf('/payouts', { ...search, [place]: cursorText(row, order) });
  return html`${dataTable(ORDERS[order], shown, rows)}
<div class="actions" role="navigation" aria-label="More rows">
${hasBefore && html`<a class="button" rel="prev" href="${link('before', rows[0])}">Previous page</a>`}
${hasMore && html`<a class="button" rel="next" href="${link('after', rows.at(-1))}">Next page</a>`}
<a class="button" href="${addressOf('/payouts.csv', search)}" download>All as CSV</a></div>`;
}

const CSV_HEAD = [
  ...['document', 'user', 'reference', 'batch', 'state', 'why', 'amount', 'currency', 'fee', 'fee_currency'],
  ...['account', 'payee', 'order', 'submitted', 'ended'],
];

/** Every row that matches, in the order asked for. Begins with the mark by which spreadsheets know UTF-8. */
async function* exported(gateway: PagesGateway, caller: Caller, asked: Find): AsyncGenerator<string> {
  const { order = 'newest' } = asked;
  const search = searchOf(asked, caller);
  yield `\ufeff${csvText([CSV_HEAD])}`;
  for (let after: PayoutCursor | undefined; ; ) {
    const read = await gateway.store.searchPayouts(search, { order, after, limit: EXPORTED_AT_ONCE });
    const rows = read.filter((row) => maySeePayout(caller, row));
    const names = await payeeNamesOf(gateway, caller, rows);
    if (rows.length > 0) yield csvText(rows.map((row) => csvLine(row, names)));
    const last = read.at(-1);
    if (last === undefined || read.length < EXPORTED_AT_ONCE) return;
    after = cursorBehind(last, order);
  }
}

function csvLine(row: PayoutRecord, names: PayeeNames): (string | null)[] {
  const { documentId, uid, reference, batchId, state, reason, instruction, fee, feeCurrency, orderId } = row;
  const { amount, currency, account_id: account } = instruction;
  return [
    ...[documentId, uid, reference, batchId, state, reason?.code ?? null, amount, currency, fee, feeCurrency],
    ...[account, names.get(reference) ?? '', orderId, iso(row.createdAt), isoOrNull(row.endedAt)],
  ];
}
