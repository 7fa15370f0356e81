/** Style of the HTML report, inside the page so that the file can be mailed and kept. */
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
.legend li { display: flex; align-items: center; gap: 0.45rem; }
.legend .figure { margin-left: auto; }
.dot { width: 0.6rem; height: 0.6rem; border-radius: 50%; }
.incidents { margin: 0 0 1.5rem; padding: 0.2rem 1rem; border: 2px solid var(--unpaid); border-radius: 0.6rem; }
.incidents h2 { margin-top: 0.6rem; color: var(--unpaid); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); }
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.5rem 0.75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--quiet); font-size: 0.8rem; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; }
tbody th, td:not(.reason) { white-space: nowrap; }
th.figure, td.figure { text-align: right; }
.reason { min-width: 14rem; }
.reason code { color: var(--quiet); }
@media print { body { background: none; padding: 0; } .scroll { overflow: visible; } a { color: inherit; } }
`;
