import htmlOf from 'escape-html';
import { isEnd } from '../domain/payout-state.ts';
import { visible } from '../rules/finding.ts';
import type { BatchHead, BatchSummary } from './batch-report.ts';
import { COLUMNS, type Column, PAGE_COLUMNS, type PageColumn } from './columns.ts';
import { acknowledgementText, counted, groupedAmount, minuteOf, perMille, toneOf } from './display.ts';
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
import { STATES } from './state-texts.ts';
import type { StepGroup } from './step-groups.ts';

/**
 * The report as one page without scripts or external assets, light and dark, for screen readers and paper too: the part before
 * its rows.
 */
export function htmlStart({ head, steps }: BatchSummary): string {
  const { file, state, batchId, by, handedOverAt, asOf } = head;
  const margins = pageMargins(`${file}, ${state}`, `Batch ${batchId}, as of ${time(asOf)}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(`${file}: ${state}`)}</title>
<style>${PAGE_STYLE}${margins}</style>
</head>
<body>
<header>
<h1>${escapeHtml(file)} <span class="badge ${batchTone(head)}">${escapeHtml(state)}</span></h1>
<p class="quiet">As of <time datetime="${asOf}">${time(asOf)}</time>. Submitted ${time(handedOverAt)}${by === null ? '' : ` by ${escapeHtml(by)}`}. Batch <code>${escapeHtml(batchId)}</code>.${head.masked ? ' Payee names and account numbers are masked.' : ''}</p>
</header>
<main>
${incidentList(head)}${countTiles(head)}
${section('Still open, and why', [...steps.filter((step) => !step.hasEnded).map(stepItem), ...movingItems(head, steps)])}${section('Ended unpaid, and why', steps.filter((step) => step.hasEnded).map(stepItem))}${refusedList(head)}<h2>Totals</h2>
${movementTable(head)}
${exchangeTable(head)}${amountChart(head)}
<h2 id="payouts">Payouts</h2>
<div class="scroll" role="region" aria-labelledby="payouts" tabindex="0">
<table class="payouts">
<thead><tr>${PAGE_COLUMNS.map((name) => `<th scope="col"${figureOf(name)}>${name}</th>`).join('')}</tr></thead>
<tbody>
`;
}

/** Some rows of the page. */
export const htmlRows = (payouts: readonly ReportedPayout[]): string =>
  payouts.map((payout) => `<tr>${CELLS.map((cell) => cell(payout)).join('')}</tr>\n`).join('');

export const htmlEnd = (): string => '</tbody>\n</table>\n</div>\n</main>\n</body>\n</html>\n';

/** As on the web pages: what is invisible or changes the text direction is shown by its code. */
const escapeHtml = (text: string): string => htmlOf(visible(text));

const time = (iso: string): string => minuteOf(Date.parse(iso));

function batchTone({ state }: BatchHead): string {
  if (state === 'completed') return 'paid';
  if (state === 'needs-operator' || state === 'paused') return 'attention';
  return state === 'open' || state === 'cancelling' ? 'open' : 'unpaid';
}

/** At the top, if there are any: nothing else in a report is as urgent. */
function incidentList({ incidents }: BatchHead): string {
  if (incidents.length === 0) return '';
  const item = (incident: ReportedIncident): string => {
    const { row, kind, message, orderId } = incident;
    return `<li>Row ${row}: ${escapeHtml(message)} <code>${escapeHtml(kind)}</code> (order <code>${escapeHtml(orderId)}</code>; ${escapeHtml(acknowledgementText(incident))})</li>`;
  };
  return `<section class="incidents" role="alert">
<h2>Incidents</h2>
<ul>
${incidents.map(item).join('\n')}
</ul>
</section>
`;
}

/** Rows of the file that did not become payouts, so that the row numbers add up. */
function refusedList({ refused }: BatchHead): string {
  if (refused.length === 0) return '';
  const item = ({ row, line, findings }: ReportedRefusal): string =>
    `<li>Row ${row}, line ${line}: ${findings.map(({ rule, message }) => `<code>${escapeHtml(rule)}</code> ${escapeHtml(message)}`).join('; ')}</li>`;
  return `<h2>Rows left out</h2>\n<ul>\n${refused.map(item).join('\n')}\n</ul>\n`;
}

function countTiles({ counts }: BatchHead): string {
  const tiles = [
    ['Payouts', counts.total, ''],
    ['Completed', counts.completed, 'paid'],
    ['Failed', counts.failed, 'unpaid'],
    ['Rejected', counts.rejected, 'unpaid'],
    ['Cancelled', counts.cancelled, 'unpaid'],
    ['Needs an operator', counts.needsOperator, 'attention'],
    ['Open', counts.open, 'open'],
  ] as const;
  const tile = ([label, count, tone]: (typeof tiles)[number]): string =>
    `<div class="tile ${count === 0 ? '' : tone}"><dt>${label}</dt><dd>${groupedAmount(`${count}`)}</dd></div>`;
  return `<dl class="tiles">\n${tiles.map(tile).join('\n')}\n</dl>`;
}

const section = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `<h2>${title}</h2>\n<ul class="steps">\n${items.join('\n')}\n</ul>\n`;

/** States of rows that wait for nobody: they are open and continue by themselves. */
function movingItems({ states }: BatchHead, steps: readonly StepGroup[]): string[] {
  const told = new Set(steps.map(({ state }) => state));
  const moving = states.filter(({ state }) => !isEnd(state) && !told.has(state));
  return moving.map(
    ({ state, payouts, amount, currency }) =>
      `<li><strong>${counted(payouts, 'payout')} ${state}</strong>, ${money(amount, currency)}: ${STATES[state].meaning}. ${STATES[state].byItself}</li>`,
  );
}

function stepItem({ count, totals, state, kind, why, who, until, since, hasEnded, rows }: StepGroup): string {
  const sums = totals.map(({ currency, amount }) => money(amount, currency)).join(', ');
  const named = rows.map(({ documentId }) => escapeHtml(documentId)).join(', ');
  const more = count > rows.length ? ` and ${groupedAmount(`${count - rows.length}`)} more` : '';
  const wait = hasEnded
    ? ''
    : ` since ${minuteOf(since)}${until === null ? '' : `, until ${minuteOf(until)}`}; who acts: ${escapeHtml(who)}`;
  return `<li><strong>${counted(count, 'payout')} ${escapeHtml(state)}</strong>, ${sums}: ${escapeHtml(why)} <code>${escapeHtml(kind)}</code>${wait} <span class="quiet">(${named}${more})</span></li>`;
}

const MOVED = ['amount', 'completed', 'fees', 'sold', 'bought', 'returned'] as const;
const MOVED_HEADS = ['Payouts', 'Requested', 'Paid', 'Fees', 'Sold', 'Bought', 'Returned'] as const;

/** A line for each account and currency, and a total for each currency with several accounts. */
function movementTable({ accounts, currencies }: BatchHead): string {
  const figures = (of: Movements): string =>
    [groupedAmount(`${of.payouts}`), ...MOVED.map((name) => groupedAmount(of[name]))]
      .map((text) => `<td class="figure">${escapeHtml(text)}</td>`)
      .join('');
  const line = (of: AccountMovements): string =>
    `<tr><th scope="row"><code>${escapeHtml(of.accountId)}</code></th><td>${escapeHtml(of.currency)}</td>${figures(of)}</tr>`;
  const several = currencies.filter(({ currency }) => accounts.filter((it) => it.currency === currency).length > 1);
  const sum = (of: Movements): string =>
    `<tr class="sum"><th scope="row">All accounts</th><td>${escapeHtml(of.currency)}</td>${figures(of)}</tr>`;
  return table('By account and currency', ['Account', 'Currency', ...MOVED_HEADS], 2, [
    ...accounts.map(line),
    ...several.map(sum),
  ]);
}

function exchangeTable({ exchanges }: BatchHead): string {
  if (exchanges.length === 0) return '';
  const line = ({ accountId, soldCurrency, boughtCurrency, ...it }: ExchangeTotal): string => {
    const cells = [
      groupedAmount(`${it.exchanges}`),
      money(it.sold, soldCurrency),
      money(it.quoted, soldCurrency),
      money(it.bought, boughtCurrency),
    ];
    return `<tr><th scope="row"><code>${escapeHtml(accountId)}</code></th>${cells.map((text) => `<td class="figure">${text}</td>`).join('')}</tr>`;
  };
  const heads = ['Sold from', 'Exchanges', 'Sold', 'At the quotes', 'Bought'];
  return `${table('Booked exchanges', heads, 1, exchanges.map(line))}\n`;
}

/** @param texts number of columns, from the left, that are not figures */
const table = (caption: string, heads: readonly string[], texts: number, lines: readonly string[]): string =>
  `<div class="scroll"><table class="totals">
<caption>${caption}</caption>
<thead><tr>${heads.map((name, n) => `<th scope="col"${n < texts ? '' : ' class="figure"'}>${name}</th>`).join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table></div>`;

/** A bar for each currency, divided by state; the same figures are below it as text. */
function amountChart({ totals, states }: BatchHead): string {
  const byCurrency = Map.groupBy(states, ({ currency }) => currency);
  const bars = totals.map(({ currency, amount, completed }) => {
    const some = byCurrency.get(currency) ?? [];
    return `<section class="currency">
<h3>${escapeHtml(currency)} <span class="quiet">${groupedAmount(completed)} of ${groupedAmount(amount)} paid</span></h3>
<div class="bar" aria-hidden="true">${some.map((total) => segment(total, amount)).join('')}</div>
<ul class="legend">${some.map(legendItem).join('')}</ul>
</section>`;
  });
  return `<h2>Amount by state and currency</h2>\n<div class="chart">\n${bars.join('\n')}\n</div>`;
}

function segment({ state, amount }: StateTotal, whole: string): string {
  const share = perMille(amount, whole);
  return `<span class="${toneOf(state)}" style="flex-grow:${Math.max(share, 1)}"></span>`;
}

function legendItem({ state, payouts, amount }: StateTotal): string {
  const figures = `${groupedAmount(amount)} <span class="quiet">(${groupedAmount(`${payouts}`)})</span>`;
  return `<li><span class="dot ${toneOf(state)}"></span>${escapeHtml(state)} <span class="figure">${figures}</span></li>`;
}

const money = (amount: string, currency: string): string =>
  `${groupedAmount(escapeHtml(amount))} ${escapeHtml(currency)}`;

const figureOf = (name: PageColumn): string => (name === 'Amount' ? ' class="figure"' : '');

/** Cells of a row: each has a line for every report column that is shown there and has a value. */
const CELLS: readonly ((payout: ReportedPayout) => string)[] = PAGE_COLUMNS.map((name) => {
  const columns = COLUMNS.filter(({ page }) => page?.under === name);
  const lines = (payout: ReportedPayout): string => columns.map((column) => lineOf(column, payout)).join('');
  if (name === 'Document') return (payout) => `<th scope="row">${lines(payout)}</th>`;
  const start = `<td data-head="${name}"${figureOf(name)}>`;
  return (payout) => `${start}${lines(payout)}</td>`;
});

function lineOf({ of, page = { under: 'State' } }: Column, payout: ReportedPayout): string {
  const value = page.text === undefined ? of(payout) : page.text(payout);
  if (value === null || value === '') return '';
  const label = page.label === undefined ? '' : `<span class="quiet">${page.label}</span> `;
  return `<div>${label}${marked(page.as, escapeHtml(`${value}`), payout)}</div>`;
}

/** @param text HTML */
function marked(as: NonNullable<Column['page']>['as'], text: string, { state, url }: ReportedPayout): string {
  switch (as) {
    case 'code':
      return `<code>${text}</code>`;
    case 'badge':
      return `<span class="badge ${toneOf(state)}">${text}</span>`;
    case 'warning':
      return `<span class="badge unpaid">${text}</span>`;
    case 'name':
    case 'figure':
      return `<strong>${text}</strong>`;
    case 'link':
      return link(url, text);
    default:
      return text;
  }
}

/** Only web addresses become links. */
const link = (url: string, text: string): string =>
  /^https?:\/\//.test(url)
    ? `<a href="${escapeHtml(url)}" title="Open in the Temporal UI"><code>${text}</code></a>`
    : `<code>${text}</code>`;
