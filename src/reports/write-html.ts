import { counted, groupedAmount, minuteOf, perMille, toneOf, totalsText } from '../domain/display.ts';
import { isEnd } from '../domain/payout-state.ts';
import type { BatchHead, BatchSummary } from './batch-report.ts';
import { COLUMNS, type Column, PAGE_COLUMNS, type PageColumn } from './columns.ts';
import { Html, html, type Part } from './html.ts';
import { PAGE_STYLE, pageMargins } from './page-style.ts';
import type {
  AccountMovements,
  ExchangeTotal,
  Movements,
  ReportedIncident,
  ReportedPayout,
  ReportedRefusal,
  StateTotal,
} from './report-document.ts';
import { acknowledgementText } from './report-document.ts';
import { STATES } from './state-texts.ts';
import type { StepGroup } from './step-groups.ts';

/**
 * The report as one page without scripts or external assets, light and dark, for screen readers and paper too: the part before
 * its rows.
 */
export function htmlStart({ head, steps }: BatchSummary): string {
  const { file, state, batchId, by, handedOverAt, asOf } = head;
  const margins = pageMargins(`${file}, ${state}`, `Batch ${batchId}, as of ${time(asOf)}`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${file}: ${state}</title>
<style>${new Html(PAGE_STYLE + margins)}</style>
</head>
<body>
<header>
<h1>${file} <span class="badge ${batchTone(head)}">${state}</span></h1>
<p class="quiet">As of <time datetime="${asOf}">${time(asOf)}</time>. Submitted ${time(handedOverAt)}${by !== null && ` by ${by}`}. Batch <code>${batchId}</code>.${head.masked && ' Payee names and account numbers are masked.'}</p>
</header>
<main>
${incidentList(head)}${countTiles(head)}
${section('Still open, and why', [...steps.filter((step) => !step.hasEnded).map(stepItem), ...movingItems(head, steps)])}${section('Ended unpaid, and why', steps.filter((step) => step.hasEnded).map(stepItem))}${refusedList(head)}<h2>Totals</h2>
${movementTable(head)}
${exchangeTable(head)}${amountChart(head)}
<h2 id="payouts">Payouts</h2>
<div class="scroll" role="region" aria-labelledby="payouts" tabindex="0">
<table class="payouts">
<thead><tr>${PAGE_COLUMNS.map((name) => html`<th scope="col"${figureOf(name)}>${name}</th>`)}</tr></thead>
<tbody>
`.markup;
}

export const htmlRows = (payouts: readonly ReportedPayout[]): string =>
  payouts.map((payout) => html`<tr>${CELLS.map((cell) => cell(payout))}</tr>\n`.markup).join('');

export const htmlEnd = (): string => '</tbody>\n</table>\n</div>\n</main>\n</body>\n</html>\n';

const time = (iso: string): string => minuteOf(Date.parse(iso));

function batchTone({ state }: BatchHead): string {
  if (state === 'completed') return 'paid';
  if (state === 'needs-operator' || state === 'paused') return 'attention';
  return state === 'open' || state === 'cancelling' ? 'open' : 'unpaid';
}

/** At the top, if there are any: nothing else in a report is as urgent. */
function incidentList({ incidents }: BatchHead): Html | undefined {
  if (incidents.length === 0) return undefined;
  const item = (incident: ReportedIncident): Html => {
    const { row, kind, message, orderId } = incident;
    return html`<li>Row ${row}: ${message} <code>${kind}</code> (order <code>${orderId}</code>; ${acknowledgementText(incident)})</li>
`;
  };
  return html`<section class="incidents" role="alert">
<h2>Incidents</h2>
<ul>
${incidents.map(item)}</ul>
</section>
`;
}

/** Rows of the file that did not become payouts, so that the row numbers add up. */
function refusedList({ refused }: BatchHead): Html | undefined {
  if (refused.length === 0) return undefined;
  const item = ({ row, line, findings }: ReportedRefusal): Html =>
    html`<li>Row ${row}, line ${line}: ${findings.map(({ rule, message }, n) => html`${n > 0 && '; '}<code>${rule}</code> ${message}`)}</li>
`;
  return html`<h2>Rows left out</h2>\n<ul>\n${refused.map(item)}</ul>\n`;
}

function countTiles({ counts }: BatchHead): Html {
  const tiles = [
    ['Payouts', counts.total, ''],
    ['Completed', counts.completed, 'paid'],
    ['Failed', counts.failed, 'unpaid'],
    ['Rejected', counts.rejected, 'unpaid'],
    ['Cancelled', counts.cancelled, 'unpaid'],
    ['Needs an operator', counts.needsOperator, 'attention'],
    ['Open', counts.open, 'open'],
  ] as const;
  const tile = ([label, count, tone]: (typeof tiles)[number]): Html =>
    html`<div class="tile ${count > 0 && tone}"><dt>${label}</dt><dd>${groupedAmount(count)}</dd></div>
`;
  return html`<dl class="tiles">\n${tiles.map(tile)}</dl>`;
}

const section = (title: string, items: readonly Html[]): Html | false =>
  items.length > 0 && html`<h2>${title}</h2>\n<ul class="steps">\n${items}</ul>\n`;

/** States of rows that wait for nobody: they are open and continue by themselves. */
function movingItems({ states }: BatchHead, steps: readonly StepGroup[]): Html[] {
  const told = new Set(steps.map(({ state }) => state));
  const moving = states.filter(({ state }) => !isEnd(state) && !told.has(state));
  return moving.map(
    ({ state, payouts, amount, currency }) =>
      html`<li><strong>${counted(payouts, 'payout')} ${state}</strong>, ${money(amount, currency)}: ${STATES[state].meaning}. ${STATES[state].byItself}</li>
`,
  );
}

function stepItem({ count, totals, state, kind, why, who, until, since, hasEnded, rows }: StepGroup): Html {
  const named = rows.map(({ documentId }) => documentId).join(', ');
  const more = count > rows.length && ` and ${groupedAmount(count - rows.length)} more`;
  const wait =
    !hasEnded && ` since ${minuteOf(since)}${until === null ? '' : `, until ${minuteOf(until)}`}; who acts: ${who}`;
  return html`<li><strong>${counted(count, 'payout')} ${state}</strong>, ${totalsText(totals)}: ${why} <code>${kind}</code>${wait} <span class="quiet">(${named}${more})</span></li>
`;
}

const MOVED = ['amount', 'completed', 'fees', 'sold', 'bought', 'returned'] as const;
const MOVED_HEADS = ['Payouts', 'Requested', 'Paid', 'Fees', 'Sold', 'Bought', 'Returned'] as const;

/** A line for each account and currency, and a total for each currency with several accounts. */
function movementTable({ accounts, currencies }: BatchHead): Html {
  const figures = (of: Movements): Html[] =>
    figureCells([groupedAmount(of.payouts), ...MOVED.map((name) => groupedAmount(of[name]))]);
  const line = (of: AccountMovements): Html =>
    html`<tr><th scope="row"><code>${of.accountId}</code></th><td>${of.currency}</td>${figures(of)}</tr>
`;
  const several = currencies.filter(({ currency }) => accounts.filter((it) => it.currency === currency).length > 1);
  const sum = (of: Movements): Html =>
    html`<tr class="sum"><th scope="row">All accounts</th><td>${of.currency}</td>${figures(of)}</tr>
`;
  return table('By account and currency', ['Account', 'Currency', ...MOVED_HEADS], 2, [
    ...accounts.map(line),
    ...several.map(sum),
  ]);
}

function exchangeTable({ exchanges }: BatchHead): Html | undefined {
  if (exchanges.length === 0) return undefined;
  const line = ({ accountId, soldCurrency, boughtCurrency, ...it }: ExchangeTotal): Html => {
    const cells = [
      groupedAmount(it.exchanges),
      money(it.sold, soldCurrency),
      money(it.quoted, soldCurrency),
      money(it.bought, boughtCurrency),
    ];
    return html`<tr><th scope="row"><code>${accountId}</code></th>${figureCells(cells)}</tr>
`;
  };
  const heads = ['Sold from', 'Exchanges', 'Sold', 'At the quotes', 'Bought'];
  return html`${table('Booked exchanges', heads, 1, exchanges.map(line))}\n`;
}

const FIGURE = html` class="figure"`;

const figureCells = (texts: readonly string[]): Html[] => texts.map((text) => html`<td${FIGURE}>${text}</td>`);

/** @param texts number of columns, from the left, that are not figures */
const table = (caption: string, heads: readonly string[], texts: number, lines: readonly Html[]): Html =>
  html`<div class="scroll"><table class="totals">
<caption>${caption}</caption>
<thead><tr>${heads.map((name, n) => html`<th scope="col"${n >= texts && FIGURE}>${name}</th>`)}</tr></thead>
<tbody>
${lines}</tbody>
</table></div>`;

/** A bar for each currency, divided by state; the same figures are below it as text. */
function amountChart({ totals, states }: BatchHead): Html {
  const byCurrency = Map.groupBy(states, ({ currency }) => currency);
  const bars = totals.map(({ currency, amount, completed }) => {
    const some = byCurrency.get(currency) ?? [];
    return html`<section class="currency">
<h3>${currency} <span class="quiet">${groupedAmount(completed)} of ${groupedAmount(amount)} paid</span></h3>
<div class="bar" aria-hidden="true">${some.map((total) => segment(total, amount))}</div>
<ul class="legend">${some.map(legendItem)}</ul>
</section>
`;
  });
  return html`<h2>Amount by state and currency</h2>\n<div class="chart">\n${bars}</div>`;
}

function segment({ state, amount }: StateTotal, whole: string): Html {
  const share = perMille(amount, whole);
  return html`<span class="${toneOf(state)}" style="flex-grow:${Math.max(share, 1)}"></span>`;
}

function legendItem({ state, payouts, amount }: StateTotal): Html {
  const figures = html`${groupedAmount(amount)} <span class="quiet">(${groupedAmount(payouts)})</span>`;
  return html`<li><span class="dot ${toneOf(state)}"></span>${state} <span class="figure">${figures}</span></li>`;
}

const money = (amount: string, currency: string): string => `${groupedAmount(amount)} ${currency}`;

const figureOf = (name: PageColumn): Html | false => name === 'Amount' && FIGURE;

/** Cells of a row: each has a line for every report column that is shown there and has a value. */
const CELLS: readonly ((payout: ReportedPayout) => Html)[] = PAGE_COLUMNS.map((name) => {
  const columns = COLUMNS.filter(({ page }) => page?.under === name);
  const lines = (payout: ReportedPayout): Part => columns.map((column) => lineOf(column, payout));
  if (name === 'Document') return (payout) => html`<th scope="row">${lines(payout)}</th>`;
  return (payout) => html`<td data-head="${name}"${figureOf(name)}>${lines(payout)}</td>`;
});

function lineOf({ of, page = { under: 'State' } }: Column, payout: ReportedPayout): Part {
  const value = page.text === undefined ? of(payout) : page.text(payout);
  if (value === null || value === '') return undefined;
  const label = page.label !== undefined && html`<span class="quiet">${page.label}</span> `;
  return html`<div>${label}${marked(page.as, value, payout)}</div>`;
}

function marked(as: NonNullable<Column['page']>['as'], text: string | number, { state, url }: ReportedPayout): Part {
  switch (as) {
    case 'code':
      return html`<code>${text}</code>`;
    case 'badge':
      return html`<span class="badge ${toneOf(state)}">${text}</span>`;
    case 'warning':
      return html`<span class="badge unpaid">${text}</span>`;
    case 'name':
    case 'figure':
      return html`<strong>${text}</strong>`;
    case 'link':
      return link(url, text);
    default:
      return text;
  }
}

/** Only web addresses become links. */
const link = (url: string, text: string | number): Html =>
  /^https?:\/\//.test(url)
    ? html`<a href="${url}" title="Open in the Temporal UI"><code>${text}</code></a>`
    : html`<code>${text}</code>`;
