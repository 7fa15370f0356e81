import { counted, minuteOf, perMille, toneOf, totalsText } from '../domain/display.ts';
import { groupedAmount } from '../domain/money.ts';
import { isEnd } from '../domain/payout-state.ts';
import type { BatchHead, BatchSummary } from './batch-report.ts';
import { Html, html, type Part } from './html.ts';
import { COLUMNS, type Column, PAGE_COLUMNS, type PageColumn } from './report-columns.ts';
import {
  type AccountMovements,
  acknowledgementText,
  type ExchangeTotal,
  type Movements,
  type ReportedIncident,
  type ReportedPayout,
  type ReportedRefusal,
  type StateTotal,
} from './report-document.ts';
import { STATES } from './state-texts.ts';
import type { StepGroup } from './step-groups.ts';

/** CSS of the HTML report; inline, so that the file can be mailed and archived. */
const PAGE_STYLE = `
:root {
  --back: #f6f7f9; --card: #ffffff; --text: #1b1f27; --quiet: #5b6472; --line: #dfe3e8; --link: #1d4ed8;
  --paid: #15803d; --paid-back: #dcfce7; --unpaid: #b42318; --unpaid-back: #fee4e2;
  --attention: #92500a; --attention-back: #fef0c7; --open: #1d5fa8; --open-back: #dbeafe;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1217; --card: #181c23; --text: #e8ebf0; --quiet: #9aa4b2; --line: #2b323c; --link: #8ab4ff;
    --paid: #4ade80; --paid-back: #10351f; --unpaid: #ff8a80; --unpaid-back: #431a17;
    --attention: #fbbf4d; --attention-back: #3d2c08; --open: #7cb8ff; --open-back: #122c4a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 90rem; padding: 2rem 1.5rem 4rem; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: break-word;
}
h1 { margin: 0; font-size: 1.6rem; overflow-wrap: anywhere; }
h2 { margin: 2.25rem 0 0.75rem; font-size: 1.1rem; }
h3 { margin: 0 0 0.5rem; font-size: 1rem; }
header p { margin: 0.25rem 0 1.5rem; }
code { font: 0.86em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
a { color: var(--link); }
.quiet { color: var(--quiet); font-weight: 400; }
.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.badge {
  display: inline-block; padding: 0.05rem 0.55rem; border-radius: 1rem; font-size: 0.82rem; font-weight: 600;
  white-space: nowrap;
}
h1 .badge { margin-left: 0.4rem; font-size: 0.95rem; vertical-align: middle; }
.badge.paid { color: var(--paid); background: var(--paid-back); }
.badge.unpaid { color: var(--unpaid); background: var(--unpaid-back); }
.badge.attention { color: var(--attention); background: var(--attention-back); }
.badge.open { color: var(--open); background: var(--open-back); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 0.75rem; margin: 0; }
.tile { padding: 0.7rem 0.9rem; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); }
.tile dt { color: var(--quiet); font-size: 0.82rem; }
.tile dd { margin: 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile.paid dd { color: var(--paid); }
.tile.unpaid dd { color: var(--unpaid); }
.tile.attention dd { color: var(--attention); }
.tile.open dd { color: var(--open); }
.chart { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 0.75rem; }
.currency { padding: 0.9rem 1rem; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); }
.bar { display: flex; gap: 2px; height: 0.8rem; border-radius: 0.4rem; overflow: hidden; background: var(--line); }
.bar span { min-width: 3px; flex-basis: 0; }
.bar .paid, .dot.paid { background: var(--paid); }
.bar .unpaid, .dot.unpaid { background: var(--unpaid); }
.bar .attention, .dot.attention { background: var(--attention); }
.bar .open, .dot.open { background: var(--open); }
.legend { display: grid; gap: 0.15rem; margin: 0.6rem 0 0; padding: 0; list-style: none; font-size: 0.88rem; }
.legend li { display: flex; flex-wrap: wrap; align-items: center; gap: 0.45rem; }
.legend .figure { margin-left: auto; }
.dot { width: 0.6rem; height: 0.6rem; border-radius: 50%; }
.incidents { margin: 0 0 1.5rem; padding: 0.2rem 1rem; border: 2px solid var(--unpaid); border-radius: 0.6rem; }
.incidents h2 { margin-top: 0.6rem; color: var(--unpaid); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); }
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
caption { padding: 0.6rem 0.75rem 0; font-weight: 600; text-align: left; }
th, td { padding: 0.5rem 0.75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--quiet); font-size: 0.8rem; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; }
th.figure, td.figure { text-align: right; }
.sum > * { font-weight: 600; }
.scroll + .scroll { margin-top: 0.75rem; }
.steps li { margin: 0.2rem 0; }
code { overflow-wrap: anywhere; }
.steps code, .payouts code { color: var(--quiet); }
.payouts td, .payouts th { min-width: 4.5rem; overflow-wrap: anywhere; }
.payouts td.figure { min-width: 9rem; overflow-wrap: normal; }
.payouts th { min-width: 6rem; }
.payouts td[data-head="Payee"] { min-width: 9rem; }
.payouts td[data-head="State"] { min-width: 9rem; }
.payouts td[data-head="Order"] { min-width: 7.5rem; }
.payouts td[data-head^="Dates"] { white-space: nowrap; }
.payouts .badge { white-space: normal; }
@media screen and (max-width: 40rem) {
  body { padding: 1rem 0.75rem 3rem; }
  h2 { margin-top: 1.5rem; }
  .tiles { grid-template-columns: repeat(3, 1fr); gap: 0.4rem; }
  .tile { padding: 0.4rem 0.6rem; }
  .tile dd { font-size: 1.15rem; }
  .chart { grid-template-columns: 1fr; }
  .scroll { overflow: visible; border: 0; background: none; }
  table, caption, tbody, tr { display: block; }
  caption { padding: 0 0 0.4rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { margin-bottom: 0.5rem; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); }
  .payouts td, .payouts th, .payouts td.figure, td, th, td.figure {
    display: grid; grid-template-columns: 6.5rem 1fr; min-width: 0; padding: 0.1rem 0; border: 0; text-align: left;
    white-space: normal; overflow-wrap: anywhere;
  }
  .payouts th, tbody th { display: block; }
  .payouts th div { display: inline; margin-right: 0.4rem; }
  td::before { content: attr(data-head); grid-row: 1 / span 20; color: var(--quiet); font-weight: 400; }
  td > * { grid-column: 2; }
  td:empty { display: none; }
}
@media print {
  :root {
    color-scheme: light;
    --back: #ffffff; --card: #ffffff; --text: #000000; --quiet: #4a4f57; --line: #b8bec6; --link: #000000;
    --paid: #14532d; --paid-back: #ffffff; --unpaid: #8f1d14; --unpaid-back: #ffffff;
    --attention: #6b3a06; --attention-back: #ffffff; --open: #17406f; --open-back: #ffffff;
  }
  html { font-size: 9pt; }
  body { max-width: none; padding: 0; font-size: 8.5pt; line-height: 1.4; }
  h1 { font-size: 14pt; }
  h2 { margin: 5mm 0 2mm; break-after: avoid; }
  header p { margin-bottom: 3mm; }
  .scroll, .tile, .currency { overflow: visible; border-radius: 0; }
  .scroll { border: 0; }
  .tiles { grid-template-columns: repeat(7, auto); gap: 1mm; }
  .tile { padding: 0.5mm 1.5mm; }
  .tile dt { font-size: 7pt; white-space: nowrap; }
  .tile dd { font-size: 12pt; }
  .tile, .currency, .incidents li, .steps li, .totals, tr { break-inside: avoid; }
  .chart { grid-template-columns: repeat(3, 1fr); gap: 2mm; }
  .bar, .dot { print-color-adjust: exact; }
  .badge { padding: 0; }
  a { color: inherit; text-decoration: none; }
  table { font-size: 7.5pt; line-height: 1.35; }
  thead { display: table-header-group; }
  thead th { font-size: 7.5pt; }
  caption { padding: 0 1.5mm; font-size: 8.5pt; }
  th, td { padding: 1mm 1.5mm; }
  .totals th, .totals td, .totals td.figure { padding: 0.5mm 1mm; white-space: normal; overflow-wrap: anywhere; }
  .payouts { table-layout: fixed; font-size: 7pt; }
  .payouts th, .payouts td, .payouts td.figure, .payouts td[data-head] {
    min-width: 0; padding: 0.1mm 1mm; white-space: normal; overflow-wrap: anywhere; line-height: 1.15;
  }
  .payouts .badge { font-size: inherit; }
  .payouts thead th:nth-child(1) { width: 20%; }
  .payouts thead th:nth-child(2) { width: 20%; }
  .payouts thead th:nth-child(3) { width: 14%; }
  .payouts thead th:nth-child(4) { width: 11%; }
  .payouts thead th:nth-child(5) { width: 16%; }
  .payouts thead th:nth-child(6) { width: 9%; }
  .payouts thead th:nth-child(7) { width: 10%; }
  /* Of paper people want what was paid to whom, a line each; ids of the bank are in the other files. */
  .payouts thead th:nth-child(8), .payouts td[data-head="Order"] { display: none; }
  .paid > th div:not(:nth-child(2)), .paid > td:not([data-head^="Dates"], [data-head="People"]) div:not(:first-child),
  .paid > td:is([data-head^="Dates"], [data-head="People"]) div:not(:last-child) { display: none; }
  .paid .quiet { display: none; }
}
`;

/**
 * Margins of printed pages: portrait on any paper (A4, Letter), with title, state and page number. Texts are escaped for CSS.
 */
const pageMargins = (title: string, summary: string): string => `@page {
  size: portrait; margin: 13mm 9mm 11mm;
  @top-left { content: ${quoted(title)}; font: 8pt system-ui, sans-serif; }
  @top-right { content: ${quoted(summary)}; font: 8pt system-ui, sans-serif; }
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; }
}
`;

/** A CSS string in which everything except letters, digits and blanks is escaped. */
const quoted = (text: string): string =>
  `"${text.replace(/[^A-Za-z0-9 ]/gu, (char) => `\\${(char.codePointAt(0) ?? 0).toString(16)} `)}"`;

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
  payouts
    .map((payout) => html`<tr${isPlain(payout) && PAID}>${CELLS.map((cell) => cell(payout))}</tr>\n`.markup)
    .join('');

const PAID = html` class="paid"`;

/** On paper it has one line. */
const isPlain = ({ state, returns, incidents }: ReportedPayout): boolean =>
  state === 'completed' && returns.length === 0 && incidents.length === 0;

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
    ['Returned', counts.returned, 'unpaid'],
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
  const reported = new Set(steps.map(({ state }) => state));
  const moving = states.filter(({ state }) => !isEnd(state) && !reported.has(state));
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
    figureCells([groupedAmount(of.payouts), ...MOVED.map((name) => groupedAmount(of[name]))], MOVED_HEADS);
  const line = (of: AccountMovements): Html =>
    html`<tr><th scope="row"><code>${of.accountId}</code></th><td data-head="Currency">${of.currency}</td>${figures(of)}</tr>
`;
  const several = currencies.filter(({ currency }) => accounts.filter((it) => it.currency === currency).length > 1);
  const sum = (of: Movements): Html =>
    html`<tr class="sum"><th scope="row">All accounts</th><td data-head="Currency">${of.currency}</td>${figures(of)}</tr>
`;
  return table('By account and currency', ['Account', 'Currency', ...MOVED_HEADS], 2, [
    ...accounts.map(line),
    ...several.map(sum),
  ]);
}

function exchangeTable({ exchanges }: BatchHead): Html | undefined {
  if (exchanges.length === 0) return undefined;
  const heads = ['Sold from', 'Exchanges', 'Sold', 'At the quotes', 'Bought'];
  const line = ({ accountId, soldCurrency, boughtCurrency, ...it }: ExchangeTotal): Html => {
    const cells = [
      groupedAmount(it.exchanges),
      money(it.sold, soldCurrency),
      money(it.quoted, soldCurrency),
      money(it.bought, boughtCurrency),
    ];
    return html`<tr><th scope="row"><code>${accountId}</code></th>${figureCells(cells, heads.slice(1))}</tr>
`;
  };
  return html`${table('Booked exchanges', heads, 1, exchanges.map(line))}\n`;
}

const FIGURE = html` class="figure"`;

/** `heads`: of their columns, which a phone shows beside each. */
const figureCells = (texts: readonly string[], heads: readonly string[]): Html[] =>
  texts.map((text, n) => html`<td${FIGURE} data-head="${heads[n]}">${text}</td>`);

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
