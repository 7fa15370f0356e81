import { groupedAmount } from '../../domain/display.ts';
import {
  type BatchControl,
  batchState,
  countRows,
  PAYOUT_STATES,
  type PayoutState,
} from '../../domain/payout-state.ts';
import type { CurrencyTotal } from '../../reports/currency-totals.ts';
import { type Html, html } from '../../reports/html.ts';
import type { StepGroup } from '../../reports/step-groups.ts';
import type { BatchRecord, IncidentRecord, PayoutRecord } from '../../store/store.ts';
import { incidentNote } from './incidents-page.ts';
import { csrfField, type View } from './layout.ts';
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
} from './pieces.ts';
import { byField, NO_DEFAULT } from './signing.ts';

interface BatchPage {
  view: View;
  batch: BatchRecord;
  byState: ReadonlyMap<PayoutState, number>;
  /** Undefined: too many rows to add up for every request. */
  totals: readonly CurrencyTotal[] | undefined;
  rows: readonly PayoutRecord[];
  /** Filter by state; undefined: all. */
  state: PayoutState | undefined;
  /** Where the next page begins; undefined on the last one. */
  next: number | undefined;
  incidents: readonly IncidentRecord[];
  /** Next steps of rows that wait or ended unpaid. */
  steps: readonly StepGroup[];
  /** Not all rows were looked through for steps. */
  isCut: boolean;
  /** Epoch ms. */
  now: number;
  hasJustDecided: boolean;
  mayDecide: boolean;
  mayControl: boolean;
  reports: readonly string[];
}

const COLUMNS: readonly Column<PayoutRecord>[] = [
  ROW.document,
  { head: 'Row', isFigure: true, cell: ({ row }) => row },
  ...[ROW.state, ROW.amount, ROW.to, ROW.why],
];

export function batchPage(page: BatchPage): Html {
  const { view, batch, byState, state, incidents, mayDecide, mayControl } = page;
  const counts = countRows(byState);
  const isOver = counts.open === 0;
  return html`<div${!isOver && html` data-live="${batchPath(batch.batchId)}/live"`}>
<div data-part="standing"><h1>${batch.file} ${batchBadge(batchState(counts, batch.control))}</h1>
${incidents.map((it) => incidentNote(it, view))}
${batch.controlReason !== null && html`<p class="attend">Paused automatically: ${batch.controlReason}</p>`}
<progress max="${counts.total}" value="${counts.total - counts.open - counts.needsOperator}" aria-label="Rows that have ended"></progress>
${tiles(counts)}</div>
${page.hasJustDecided && html`<p class="note" role="status">Your decision counts for the rows that it covered.</p>`}
<div data-part="steps">${mayDecide && !isOver && html`<p><a class="button" href="${batchPath(batch.batchId)}/decide">Decide its rows together</a></p>`}
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

function rowsOf({ batch, rows, state, next }: BatchPage): Html {
  if (rows.length === 0) return nothing('There are no rows in this state.');
  const more = new URLSearchParams({ ...(state !== undefined && { state }), after: `${next ?? ''}` });
  return html`${dataTable(state === undefined ? 'Rows' : `Rows that are ${state}`, COLUMNS, rows)}
${next !== undefined && html`<p><a class="button" href="${batchPath(batch.batchId)}?${more.toString()}">Next rows</a></p>`}`;
}

const filter = (
  byState: BatchPage['byState'],
  shown: PayoutState | undefined,
): Html => html`<form class="filters" method="get">
<label>Rows in state <select name="state"><option value="">all</option>${PAYOUT_STATES.filter((state) =>
  byState.has(state),
).map(
  (state) =>
    html`<option value="${state}"${state === shown && html` selected`}>${state} (${groupedAmount(byState.get(state) ?? 0)})</option>`,
)}</select></label><button>Show</button></form>`;

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

/** Reports also available without payee names and account numbers. */
const MASKED = ['html', 'csv', 'json'] as const;

function about({ batch, reports }: BatchPage): Html {
  const { batchId, by, createdAt, endedAt, retryOf } = batch;
  return factList([
    ['Batch', html`<code>${batchId}</code>`],
    ['Maker', by],
    ['Taken', moment(createdAt)],
    ['Ended', endedAt !== null && moment(endedAt)],
    ['Retry of', retryOf !== null && html`<a href="${batchPath(retryOf)}">${retryOf}</a>`],
    ['Reports', html`${reports.map((name) => html`<a href="${batchPath(batchId)}/reports/${name}">${name}</a> `)}`],
    [
      'Reports, masked',
      html`${MASKED.map((name) => html`<a href="${batchPath(batchId)}/reports/${name}?mask=true">${name}</a> `)}`,
    ],
  ]);
}
