import escapeHtml from 'escape-html';
import {
  type BatchReport,
  type ReportedIncident,
  type ReportedPayout,
  type ReportedRefusal,
  type StateTotal,
  totalsByState,
} from './batch-report.ts';
import { groupedAmount, incidentsText, perMille, returnedText, standingOf, toneOf } from './display.ts';
import { PAGE_STYLE } from './page-style.ts';

/**
 * The report as one page: no script, no outside asset, light and dark, made for a screen reader as well. It shows
 * references, ids and amounts, and no detail of a beneficiary.
 */
export function* htmlReport(report: BatchReport): Generator<string> {
  const title = `${report.file}: ${report.state}`;
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>${escapeHtml(report.file)} <span class="badge ${batchTone(report)}">${escapeHtml(report.state)}</span></h1>
<p class="quiet">Batch <code>${escapeHtml(report.batchId)}</code></p>
</header>
<main>
${incidentList(report)}${countTiles(report)}
${refusedList(report)}
${amountChart(report)}
`;
  yield* payoutTable(report);
  yield '</main>\n</body>\n</html>\n';
}

function batchTone({ state }: BatchReport): string {
  if (state === 'completed') return 'paid';
  if (state === 'needs-operator' || state === 'paused') return 'attention';
  return state === 'open' || state === 'cancelling' ? 'open' : 'unpaid';
}

/** First of all on the page, where there are any: nothing else in a report is as urgent. */
function incidentList({ incidents }: BatchReport): string {
  if (incidents.length === 0) return '';
  const item = (incident: ReportedIncident): string => {
    const { row, kind, message, orderId } = incident;
    return `<li>Row ${row}: ${escapeHtml(message)} <code>${escapeHtml(kind)}</code> (order <code>${escapeHtml(orderId)}</code>; ${escapeHtml(standingOf(incident))})</li>`;
  };
  return `<section class="incidents" role="alert">
<h2>Incidents</h2>
<ul>
${incidents.map(item).join('\n')}
</ul>
</section>
`;
}

/** Rows of the file that are no payouts: whoever counts them misses none. */
function refusedList({ refused }: BatchReport): string {
  if (refused.length === 0) return '';
  const item = ({ row, line, findings }: ReportedRefusal): string =>
    `<li>Row ${row}, line ${line}: ${findings.map(({ rule, message }) => `<code>${escapeHtml(rule)}</code> ${escapeHtml(message)}`).join('; ')}</li>`;
  return `<h2>Left out of the file</h2>\n<ul>\n${refused.map(item).join('\n')}\n</ul>\n`;
}

function countTiles({ counts }: BatchReport): string {
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
    `<div class="tile ${count === 0 ? '' : tone}"><dt>${label}</dt><dd>${count}</dd></div>`;
  return `<dl class="tiles">\n${tiles.map(tile).join('\n')}\n</dl>`;
}

/** One bar a currency, cut by state; the same figures stand below it as text. */
function amountChart(report: BatchReport): string {
  const byCurrency = Map.groupBy(totalsByState(report.payouts), ({ currency }) => currency);
  const bars = report.totals.map(({ currency, amount, completed }) => {
    const states = byCurrency.get(currency) ?? [];
    return `<section class="currency">
<h3>${escapeHtml(currency)} <span class="quiet">${groupedAmount(completed)} of ${groupedAmount(amount)} paid</span></h3>
<div class="bar" aria-hidden="true">${states.map((total) => segment(total, amount)).join('')}</div>
<ul class="legend">${states.map(legendItem).join('')}</ul>
</section>`;
  });
  return `<h2>Amount by state and currency</h2>\n<div class="chart">\n${bars.join('\n')}\n</div>`;
}

function segment({ state, amount }: StateTotal, whole: string): string {
  const share = perMille(amount, whole);
  return `<span class="${toneOf(state)}" style="flex-grow:${Math.max(share, 1)}"></span>`;
}

function legendItem({ state, payouts, amount }: StateTotal): string {
  const figures = `${groupedAmount(amount)} <span class="quiet">(${payouts})</span>`;
  return `<li><span class="dot ${toneOf(state)}"></span>${escapeHtml(state)} <span class="figure">${figures}</span></li>`;
}

/** A column of the table of payouts. `cell`: HTML. */
interface Column {
  head: string;
  /** `scope`: it names the row. */
  is?: 'figure' | 'reason' | 'scope';
  cell(payout: ReportedPayout, incidents: readonly ReportedIncident[]): string;
}

const COLUMNS: readonly Column[] = [
  { head: 'Row', is: 'figure', cell: ({ row }) => `${row}` },
  { head: 'Document', is: 'scope', cell: ({ id }) => escapeHtml(id) },
  { head: 'User', cell: ({ uid }) => escapeHtml(uid) },
  { head: 'State', cell: ({ state }) => `<span class="badge ${toneOf(state)}">${escapeHtml(state)}</span>` },
  { head: 'Amount', is: 'figure', cell: ({ amount, currency }) => money(amount, currency) },
  { head: 'Fee', is: 'figure', cell: ({ fee, feeCurrency }) => (fee === null ? '' : money(fee, feeCurrency ?? '')) },
  { head: 'Reason', is: 'reason', cell: reasonCell },
  { head: 'Bank order', cell: ({ orderId }) => (orderId === null ? '' : `<code>${escapeHtml(orderId)}</code>`) },
  { head: 'Reference', cell: ({ url, reference }) => link(url, reference) },
];

const money = (amount: string, currency: string): string =>
  `${groupedAmount(escapeHtml(amount))} ${escapeHtml(currency)}`;

function* payoutTable({ payouts, incidents }: BatchReport): Generator<string> {
  const ofPayout = Map.groupBy(incidents, ({ reference }) => reference);
  const heads = COLUMNS.map(
    ({ head, is }) => `<th scope="col"${is === 'figure' ? ' class="figure"' : ''}>${head}</th>`,
  );
  yield `<h2 id="payouts">Payouts</h2>
<div class="scroll" role="region" aria-labelledby="payouts" tabindex="0">
<table>
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
`;
  for (const payout of payouts) yield `${payoutRow(payout, ofPayout.get(payout.reference) ?? [])}\n`;
  yield '</tbody>\n</table>\n</div>\n';
}

function payoutRow(payout: ReportedPayout, incidents: readonly ReportedIncident[]): string {
  const cells = COLUMNS.map(({ is, cell }) => {
    const shown = cell(payout, incidents);
    if (is === 'scope') return `<th scope="row">${shown}</th>`;
    return `<td${is === undefined ? '' : ` class="${is}"`}>${shown}</td>`;
  });
  return `<tr>${cells.join('')}</tr>`;
}

function reasonCell(payout: ReportedPayout, incidents: readonly ReportedIncident[]): string {
  const reason =
    payout.reason === null ? '' : `${escapeHtml(payout.reason.message)} <code>${escapeHtml(payout.reason.code)}</code>`;
  const returned = returnedText(payout);
  const parts = [
    reason,
    returned === '' ? '' : `<span class="badge attention">returned ${escapeHtml(returned)}</span>`,
    incidents.length === 0 ? '' : `<span class="badge unpaid">${escapeHtml(incidentsText(incidents))}</span>`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** Only web addresses become links. */
function link(url: string, reference: string): string {
  const text = `<code>${escapeHtml(reference)}</code>`;
  return /^https?:\/\//.test(url) ? `<a href="${escapeHtml(url)}" title="Open in the Temporal UI">${text}</a>` : text;
}
