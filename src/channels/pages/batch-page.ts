import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { counted, stateWords } from '../../domain/display.ts';
import { groupedAmount } from '../../domain/money.ts';
import { MESSAGES } from '../../domain/names.ts';
import {
  type BatchControl,
  batchState,
  countRows,
  isSettled,
  NEEDS_PEOPLE_STATES,
  needsAttention,
  SHOWN_STATES,
  type ShownState,
} from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { decidedText } from '../../reports/decided-text.ts';
import { ERP_FORMATS } from '../../reports/erp-formats.ts';
import { type Html, html } from '../../reports/html.ts';
import { mayBeUnpaid } from '../../reports/report-batch.ts';
import { stepContext } from '../../reports/report-source.ts';
import { type CurrencyTotal, currencyTotals } from '../../reports/report-sums.ts';
import { STATE_WORDS } from '../../reports/state-texts.ts';
import { type StepGroup, stepGroups } from '../../reports/step-groups.ts';
import type { BatchRecord, IncidentRecord, PayoutRecord, Store } from '../../store/store.ts';
import { ConcurrencyCounter, whenOver } from '../http/admission.ts';
import { BATCH_CONTROL, batchFileRoutes, controlBatch, REPORTS } from '../http/batch-routes.ts';
import type { Caller } from '../http/callers.ts';
import { parsed, storableText } from '../http/documents.ts';
import { mayControlBatch, maySubmitFiles, visibleBatchOf } from '../http/may-see.ts';
import { ANY_ROLE, accessOf } from '../http/route-access.ts';
import { mayDecideBatch } from './batch-decision-page.ts';
import { incidentNote } from './incidents-page.ts';
import { csrfField, show, type View, viewOf } from './layout.ts';
import { addressOf } from './page-links.ts';
import { payeeNamesOf } from './payee-names.ts';
import {
  batchBadge,
  batchPath,
  type Column,
  dataTable,
  factList,
  groupSections,
  moment,
  money,
  nothing,
  ROW,
  TOTALS,
  toColumn,
} from './pieces.ts';
import { recheck } from './provider-sign-in.ts';
import { callerSeen, type PagesGateway } from './sessions.ts';
import { byField, NO_DEFAULT } from './signed-forms.ts';

const ROWS_MAX = 100;
/** Up to this many rows are added up at every request, which takes milliseconds. */
const ADDED_MAX = 10_000;
/** Limit of rows read for next steps, each for those that wait for people and for the others. */
const STEPS_MAX = 500;
const WITH_REASONS = SHOWN_STATES.filter(
  (state) => !needsAttention(state) && state !== 'received' && state !== 'completed',
);

const pageQuery = z.object({
  state: z.union([z.literal('').transform(() => undefined), z.enum(SHOWN_STATES)]).optional(),
  after: z.coerce.number().int().min(0).default(0),
  before: z.coerce.number().int().min(1).optional(),
  decided: z.string().max(200).optional(),
});
const controlBody = z.object({
  control: z.enum(['pause', 'drain', 'resume', 'cancel']),
  by: storableText.optional(),
});

/** `/batches/ID`: its rows, its progress, its reports, and what can be done with it. */
export function batchRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  const streams = progressStreams();
  app.get('/batches/:id', accessOf(ANY_ROLE), async (request, reply) => {
    const { state, after, before, decided } = parsed(pageQuery, request.query);
    const batch = await visibleBatchOf(gateway, request);
    const { batchId } = batch;
    const states = state === undefined ? SHOWN_STATES : [state];
    const read = await store.rowPage(batchId, { states, after, before, limit: ROWS_MAX + 1 });
    const rows = before === undefined ? read.slice(0, ROWS_MAX) : read.slice(-ROWS_MAX);
    const isMore = read.length > ROWS_MAX;
    const view = viewOf(request, reply, gateway);
    const stepping = await steppingRows(store, batchId);
    const amounts = await store.amounts(batchId, ADDED_MAX + 1);
    const body = batchPage({
      view,
      batch,
      steps: stepGroups(stepping.rows, await stepContext(gateway, stepping.rows)),
      isCut: stepping.isCut,
      now: gateway.now(),
      decided: await decidedBy(gateway, request.caller, { batchId, id: decided }),
      byState: await store.stateCounts(batchId),
      totals: amounts.length > ADDED_MAX ? undefined : currencyTotals(amounts),
      rows,
      to: toColumn(request.caller, await payeeNamesOf(gateway, request.caller, rows)),
      state,
      next: isMore || before !== undefined ? (rows.at(-1)?.row ?? undefined) : undefined,
      previous: (before === undefined ? after > 0 : isMore) ? (rows[0]?.row ?? undefined) : undefined,
      incidents: await store.incidentsOf(rows.map(({ reference }) => reference)),
      mayDecide: mayDecideBatch(request.caller, batch),
      mayControl: await mayControlBatch(request.caller, store, batch),
      reports: await reportsOf(store, batch),
    });
    return show(reply, view, { title: batch.file, body });
  });
  // A client that asks only for the head of a stream would leave it running behind a connection that is closed.
  app.get('/batches/:id/live', { exposeHeadRoute: false, ...accessOf(ANY_ROLE) }, async (request, reply) => {
    const { batchId } = await visibleBatchOf(gateway, request);
    whenOver(reply, streams.enter(request.caller.name ?? request.address));
    const isLetIn = async (): Promise<boolean> => {
      await recheck(request, gateway);
      return callerSeen(request, gateway) !== undefined;
    };
    const events = progressOf({ store, closing: gateway.closing }, batchId, isLetIn);
    return reply.type('text/event-stream').send(Readable.from(events));
  });
  batchFileRoutes(app, gateway, '', 'attachment');
  app.post('/batches/:id/control', accessOf(BATCH_CONTROL), async (request, reply) => {
    const { control, by } = parsed(controlBody, request.body, 'form');
    const batch = await visibleBatchOf(gateway, request);
    await controlBatch(gateway, request.caller, batch, {
      update: MESSAGES[control],
      by: request.caller.name ?? by ?? 'gateway',
    });
    return reply.redirect(batchPath(batch.batchId), 303);
  });
}

/** Of the viewer's own signed decision with this id; undefined if there is none. */
async function decidedBy(
  gateway: PagesGateway,
  { name }: Caller,
  { batchId, id }: { batchId: string; id: string | undefined },
): Promise<string | undefined> {
  const { store } = gateway;
  const plans = id === undefined ? [] : await store.plansOf(batchId);
  const plan = plans.find((it) => it.id === id && it.subject === name);
  if (plan === undefined) return undefined;
  return decidedText(gateway, plan, await store.payoutsOf(await store.rowsOfPlan(plan.digest)));
}

/** Rows that wait for people, others that may have a reason, and those that a switch may stop; the first ones of the file. */
async function steppingRows(store: Store, batchId: string): Promise<{ rows: PayoutRecord[]; isCut: boolean }> {
  const rows: PayoutRecord[] = [];
  let isCut = false;
  const unstarted: ShownState[][] = (await store.switches()).length > 0 ? [['received']] : [];
  for (const states of [NEEDS_PEOPLE_STATES, WITH_REASONS, ...unstarted]) {
    const read = await store.rowPage(batchId, { states, after: 0, limit: STEPS_MAX + 1 });
    isCut ||= read.length > STEPS_MAX;
    rows.push(...read.slice(0, STEPS_MAX));
  }
  return { rows, isCut };
}

interface BatchPage {
  view: View;
  batch: BatchRecord;
  byState: ReadonlyMap<ShownState, number>;
  /** Undefined: too many rows to add up for every request. */
  totals: readonly CurrencyTotal[] | undefined;
  rows: readonly PayoutRecord[];
  to: Column<PayoutRecord>;
  /** Filter by state; undefined: all. */
  state: ShownState | undefined;
  /** Where the next page begins; undefined on the last one. */
  next: number | undefined;
  /** Where the page before ends; undefined on the first one. */
  previous: number | undefined;
  incidents: readonly IncidentRecord[];
  /** Next steps of rows that wait or ended unpaid. */
  steps: readonly StepGroup[];
  /** Not all rows were searched for steps. */
  isCut: boolean;
  /** Epoch ms. */
  now: number;
  /** What the viewer has just decided, and whose turn it is. */
  decided: string | undefined;
  mayDecide: boolean;
  mayControl: boolean;
  reports: readonly string[];
}

const columns = (to: Column<PayoutRecord>): readonly Column<PayoutRecord>[] => [
  ROW.document,
  { head: 'Row', isFigure: true, cell: ({ row }) => row },
  ...[ROW.state, ROW.amount, to, ROW.why],
];

function batchPage(page: BatchPage): Html {
  const { view, batch, byState, state, incidents, mayDecide, mayControl } = page;
  const counts = countRows(byState);
  const isOver = counts.open === 0;
  return html`<div${!isOver && html` data-live="${batchPath(batch.batchId)}/live"`}>
<div data-part="state"><h1>${batch.file} ${batchBadge(batchState(counts, batch.control))}</h1>
${incidents.map((it) =>
  incidentNote(
    it,
    view,
    page.rows.find(({ reference }) => reference === it.reference),
  ),
)}
${batch.controlReason !== null && html`<p class="attend">Paused automatically: ${batch.controlReason}</p>`}
<progress max="${counts.total}" value="${counts.total - counts.open - counts.needsOperator}" aria-label="Rows that have ended"></progress>
${tiles(counts)}</div>
${takeBack(page)}
${page.decided !== undefined && html`<p class="note" role="status">${page.decided}</p>`}
<div data-part="steps">${mayDecide && !isOver && html`<p><a class="button" href="${batchPath(batch.batchId)}/decide">Decide its rows together</a></p>`}
${counts.failed + counts.rejected + counts.cancelled + counts.returned > 0 && view.caller !== undefined && maySubmitFiles(view.caller) && html`<p><a class="button" href="${batchPath(batch.batchId)}/retry">Pay again what is unpaid</a></p>`}
${steps(page)}</div>
<div data-part="totals">${totals(page)}</div>
<div data-part="filter">${filter(byState, state)}</div>
<div data-part="rows">${rowsOf(page)}</div>
<div data-part="controls">${mayControl && !isOver && controls(view, batch)}</div>
<section data-part="about"><h2>About</h2>
${about(page)}</section>
</div>`;
}

function steps({ view: { caller }, steps: groups, isCut, now }: BatchPage): Html | false {
  if (caller === undefined || groups.length === 0) return false;
  return html`${groupSections(groups, { context: { caller, now }, isCut })}
${isCut && html`<p class="quiet">Not every row was examined: there are more of these kinds. The figures above count all of them.</p>`}`;
}

function tiles(counts: ReturnType<typeof countRows>): Html {
  const shown: [name: string, count: number][] = [
    ['Payouts', counts.total],
    ['Paid', counts.completed],
    ['Returned', counts.returned],
    ['Open', counts.open],
    ['Needs an operator', counts.needsOperator],
    ['Failed', counts.failed],
    ['Rejected', counts.rejected],
    ['Cancelled', counts.cancelled],
  ];
  return html`<dl class="tiles">${shown.map(([name, count]) => html`<div><dt>${name}</dt><dd>${groupedAmount(count)}</dd></div>`)}</dl>`;
}

const WITH_PAID: readonly Column<CurrencyTotal>[] = [
  ...TOTALS,
  { head: 'Paid', isFigure: true, cell: ({ completed, currency }) => money(completed, currency) },
];

const totals = ({ totals: shown }: BatchPage): Html =>
  shown === undefined
    ? html`<p class="quiet">The report has the totals by currency.</p>`
    : dataTable('Totals', WITH_PAID, shown);

function rowsOf({ batch: { batchId }, rows, to: payee, state, next, previous }: BatchPage): Html {
  if (rows.length === 0) return nothing('There are no rows in this state.');
  const to = (query: { before?: number; after?: number }): string => addressOf(batchPath(batchId), { state, ...query });
  return html`${dataTable(state === undefined ? 'Rows' : `Rows ${STATE_WORDS[state]}`, columns(payee), rows)}
<div class="actions" role="navigation" aria-label="More rows">
${previous !== undefined && html`<a class="button" rel="prev" href="${to({ before: previous })}">Previous rows</a>`}
${next !== undefined && html`<a class="button" rel="next" href="${to({ after: next })}">Next rows</a>`}
<a class="button" href="${addressOf('/payouts', { batch: batchId, state })}">Search, sort or export them</a></div>`;
}

const filter = (
  byState: BatchPage['byState'],
  shown: ShownState | undefined,
): Html => html`<form class="filters" method="get">
<label>Rows in state <select name="state"><option value="">all</option>${SHOWN_STATES.filter((state) =>
  byState.has(state),
).map(
  (state) =>
    html`<option value="${state}"${state === shown && html` selected`}>${stateWords(state)} (${groupedAmount(byState.get(state) ?? 0)})</option>`,
)}</select></label><button>Show</button></form>`;

/** While nothing of it is started yet. */
function takeBack({ view, batch, mayControl, now }: BatchPage): Html | false {
  const { batchId, by, control, heldUntil } = batch;
  if (heldUntil === null || heldUntil <= now || control !== 'running') return false;
  const seconds = Math.ceil((heldUntil - now) / 1_000);
  return html`<div class="attend"><p>Nothing has been sent. It starts in ${counted(seconds, 'second')}, at ${moment(heldUntil)}.</p>
${
  mayControl &&
  html`<form method="post" action="${batchPath(batchId)}/control">${csrfField(view)}${view.isTrial && html`<input type="hidden" name="by" value="${by ?? 'somebody'}">`}
<div class="actions"><button class="danger" name="control" value="cancel">Take back</button></div></form>`
}</div>`;
}

const CONTROLS: Readonly<
  Record<'pause' | 'drain' | 'resume' | 'cancel', [name: string, when: readonly BatchControl[]]>
> = {
  pause: ['Pause', ['running', 'draining']],
  drain: ['Drain', ['running']],
  resume: ['Resume', ['paused', 'draining']],
  cancel: ['Cancel the rest', ['running', 'paused', 'draining']],
};

function controls(view: View, { batchId, control }: BatchRecord): Html {
  const offered = Object.entries(CONTROLS).filter(([, [, when]]) => when.includes(control));
  return html`<section><h2>Control</h2>
<form method="post" action="${batchPath(batchId)}/control">${csrfField(view)}${NO_DEFAULT}
${view.isTrial && byField()}
<div class="actions">${offered.map(([name, [text]]) => html`<button name="control" value="${name}"${name === 'cancel' && html` class="danger" data-confirm="Cancel every payout of this batch that can still be stopped?"`}>${text}</button>`)}</div>
<p class="quiet">Pause: nothing more is sent. Drain: no further rows start, rows in progress finish. Cancel cannot be undone.</p>
</form></section>`;
}

/** Names of the files that there are now: a link to one that is not made would lead nowhere. */
async function reportsOf(store: Store, batch: BatchRecord): Promise<string[]> {
  const { batchId, message } = batch;
  const absent = [
    ...((await mayBeUnpaid(store, batchId)) ? [] : ['failed']),
    ...(message === null ? ['pain002'] : []),
    ...((await store.stateCounts(batchId)).get('completed') ? [] : ['camt054']),
  ];
  return [...REPORTS, ...ERP_FORMATS].filter((name) => !absent.includes(name));
}

/** Reports also available without payee names and account numbers. */
const MASKED = ['html', 'csv', 'json'] as const;

function about({ batch, reports }: BatchPage): Html {
  const { batchId, by, createdAt, endedAt, retryOf } = batch;
  return factList([
    ['Batch', html`<code>${batchId}</code>`],
    ['Maker', by],
    ['Submitted', moment(createdAt)],
    ['Ended', endedAt !== null && moment(endedAt)],
    ['Retry of', retryOf !== null && html`<a href="${batchPath(retryOf)}">${retryOf}</a>`],
    ['Reports', html`${reports.map((name) => html`<a href="${batchPath(batchId)}/reports/${name}">${name}</a> `)}`],
    [
      'Reports, masked',
      html`${MASKED.map((name) => html`<a href="${batchPath(batchId)}/reports/${name}?mask=true">${name}</a> `)}`,
    ],
  ]);
}

const POLL_MS = 1_000;
/** Rounds without a change after which something is sent, because proxies drop idle connections. */
const QUIET_POLLS = 15;
/** Browsers open six connections to a host over HTTP/1.1, and other requests need one. */
const STREAMS_OF_ONE = 5;
/** Each stream reads the store once a second. */
const STREAMS_OF_ALL = 200;

const progressStreams = (): ConcurrencyCounter =>
  new ConcurrencyCounter({ each: STREAMS_OF_ONE, all: STREAMS_OF_ALL }, () => {
    return new Problem('too-many', 'too-many-streams', 'Too many pages are being followed at once.', {
      hint: 'Close some of them, or reload this one to see its current state.',
      retryAfterS: 30,
    });
  });

/**
 * Server-sent events about a batch: `changed` after each change of its counts, `ended` when every row is settled. Ends with the
 * viewer's session (`isLetIn`), and when the gateway shuts down (`closing`), which does not wait for viewers.
 */
async function* progressOf(
  { store, closing }: { store: Store; closing: AbortSignal },
  batchId: string,
  isLetIn: () => Promise<boolean>,
): AsyncGenerator<string> {
  let before = '';
  for (let quiet = 0; !closing.aborted && (await isLetIn()); quiet += 1) {
    const byState = await store.stateCounts(batchId);
    const counts = JSON.stringify([...byState].sort());
    if (counts !== before) {
      yield 'event: changed\ndata:\n\n';
      quiet = 0;
    } else if (quiet % QUIET_POLLS === 0) yield ': nothing new\n\n';
    before = counts;
    if ([...byState.keys()].every(isSettled)) {
      yield 'event: ended\ndata:\n\n';
      return;
    }
    await pause(POLL_MS, undefined, { signal: closing }).catch(() => {});
  }
}
