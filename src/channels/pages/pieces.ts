import { groupedAmount, type Tone, toneOf } from '../../domain/display.ts';
import type { Total } from '../../domain/money.ts';
import type { BatchState, PayoutState } from '../../domain/payout-state.ts';
import { type Html, html, type Part } from '../../reports/html.ts';

/** `2026-03-31 14:05:09 UTC` */
export function moment(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

export const money = (amount: string, currency: string): Html =>
  html`<span class="figure">${groupedAmount(amount)} ${currency}</span>`;

export const badge = (state: PayoutState): Html => html`<span class="badge ${toneOf(state)}">${state}</span>`;

const BATCH_TONE: Readonly<Record<BatchState, Tone>> = {
  open: 'open',
  paused: 'attention',
  cancelling: 'open',
  'needs-operator': 'attention',
  completed: 'paid',
  'completed-with-exceptions': 'unpaid',
  cancelled: 'unpaid',
};

export const batchBadge = (state: BatchState): Html => html`<span class="badge ${BATCH_TONE[state]}">${state}</span>`;

export const payoutPath = (reference: string): string => `/payouts/${encodeURIComponent(reference)}`;
export const batchPath = (batchId: string): string => `/batches/${encodeURIComponent(batchId)}`;

export interface Column<Row> {
  head: string;
  cell(row: Row): Part;
  isFigure?: boolean;
}

export const TOTALS: readonly Column<Total>[] = [
  { head: 'Currency', cell: ({ currency }) => currency },
  { head: 'Payouts', isFigure: true, cell: ({ count }) => groupedAmount(count) },
  { head: 'Amount', isFigure: true, cell: ({ amount, currency }) => money(amount, currency) },
];

/** A table that becomes a list of cards in a narrow window; its first column is the row's heading. */
export function dataTable<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  const figure = ({ isFigure }: Column<Row>): Part => isFigure === true && html` class="figure"`;
  const heads = columns.map((column) => html`<th scope="col"${figure(column)}>${column.head}</th>`);
  const cells = (row: Row): Html[] =>
    columns.map((column, n) =>
      n === 0
        ? html`<th scope="row">${column.cell(row)}</th>`
        : html`<td data-head="${column.head}"${figure(column)}>${column.cell(row)}</td>`,
    );
  return html`<table><caption>${caption}</caption><thead><tr>${heads}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row)}</tr>\n`)}</tbody></table>`;
}

/** Names and values; those without a value are left out. */
export const factList = (facts: readonly (readonly [name: string, value: Part])[]): Html =>
  html`<dl class="facts">${facts
    .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

export const nothing = (text: string): Html => html`<p class="empty">${text}</p>`;
