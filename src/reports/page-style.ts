/** CSS of the HTML report; inline, so that the file can be mailed and archived. */
export const PAGE_STYLE = `
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
  .tiles { grid-template-columns: repeat(7, 1fr); gap: 2mm; }
  .tile { padding: 1mm 2mm; }
  .tile dt { white-space: nowrap; }
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
  .payouts { table-layout: fixed; }
  .payouts th, .payouts td, .payouts td.figure, .payouts td[data-head] {
    min-width: 0; white-space: normal; overflow-wrap: anywhere;
  }
  .payouts .badge { font-size: inherit; }
  .payouts thead th:nth-child(1) { width: 11%; }
  .payouts thead th:nth-child(2) { width: 13%; }
  .payouts thead th:nth-child(3) { width: 14%; }
  .payouts thead th:nth-child(4) { width: 9%; }
  .payouts thead th:nth-child(5) { width: 17%; }
  .payouts thead th:nth-child(6) { width: 8%; }
  .payouts thead th:nth-child(7) { width: 15%; }
  .payouts thead th:nth-child(8) { width: 13%; }
}
`;

/**
 * Margins of printed pages: landscape on any paper (A4, Letter), with title, standing and page number. Texts are escaped for CSS.
 */
export const pageMargins = (title: string, summary: string): string => `@page {
  size: landscape; margin: 14mm 10mm 12mm;
  @top-left { content: ${quoted(title)}; font: 8pt system-ui, sans-serif; }
  @top-right { content: ${quoted(summary)}; font: 8pt system-ui, sans-serif; }
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; }
}
`;

/** A CSS string in which everything except letters, digits and blanks is escaped. */
const quoted = (text: string): string =>
  `"${text.replace(/[^A-Za-z0-9 ]/gu, (char) => `\\${(char.codePointAt(0) ?? 0).toString(16)} `)}"`;
