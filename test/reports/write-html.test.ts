import { describe, expect, test } from 'vitest';
import { hasUnprintable } from '../../src/domain/finding.ts';
import { INCIDENTS } from '../../src/domain/reconciliation.ts';
import { batchReport } from '../../src/reports/batch-report.ts';
import { COLUMNS } from '../../src/reports/report-columns.ts';
import { htmlEnd, htmlRows, htmlStart } from '../../src/reports/write-html.ts';
import { paidThroughAnExchange, record, sourceOf } from './records.ts';

async function pageOf(...of: Parameters<typeof sourceOf>): Promise<string> {
  const report = batchReport(sourceOf(...of));
  const rows: string[] = [];
  for (;;) {
    const next = await report.next();
    if (next.done === true) return [htmlStart(next.value), ...rows, htmlEnd()].join('');
    rows.push(htmlRows(next.value));
  }
}

test('shows the state, the counts, the amounts by state and every row with its reason and link', async () => {
  const rows = [record(1, 'completed', { amount: '1250.00' }), record(2, 'held', {}, 'fee-above-cap')];
  const html = await pageOf(rows);
  expect(html).toContain('<span class="badge open">open</span>');
  expect(html).toContain('1,250.00 of 1,260.00 paid');
  expect(html).toContain('the quoted fee is above the cap');
  for (const { reference } of rows) {
    const url = `http://127.0.0.1:8233/namespaces/default/workflows/payout%2F${reference}`;
    expect(html).toContain(`<a href="${url}" title="Open in the Temporal UI"><code>${reference}`);
  }
});

test('says as of when, who handed it over, and what is still open with who may act', async () => {
  const rows = [record(1, 'completed'), record(2, 'held', {}, 'fee-above-cap'), record(3, 'processing')];
  const html = await pageOf(rows);
  expect(html).toContain('As of <time datetime="2025-06-15T15:06:40.000Z">2025-06-15 15:06 UTC</time>');
  expect(html).toContain('by maria');
  const open = html.slice(html.indexOf('Still open, and why'), html.indexOf('<h2>Totals</h2>'));
  expect(open).toContain('1 payout held');
  expect(open).toContain('who acts: anybody but the maker, maria');
  expect(open).toContain('INV-2');
  expect(open).toContain('<strong>1 payout processing</strong>, 10.00 EUR: the bank has the order.');
});

test('shows dates, payee, account, fee, exchange, maker, approvers and returns of a row, with its totals', async () => {
  const { rows, facts } = paidThroughAnExchange();
  const html = await pageOf(rows, { facts });
  const text = html
    .replace(/<style>[\s\S]*<\/style>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
  for (const said of [
    ...['Ramirez', '***66', 'acc-eur', '1,000.00 EUR', 'fee 1.50 EUR'],
    ...['sold 1,085.20 USD', 'bought 1,001.50 EUR', 'rate 0.9229', 'quoted 1,085.00 USD', 'exchange fee 2.00 USD'],
    ...['taken 2026-05-12 14:30', 'due 2026-05-12', 'submitted 2026-05-12 14:31', 'settled 2026-05-12 14:31'],
    ...['maker maria', 'approved bob; carol (at the bank)', 'returned 4.00 EUR', 'Booked exchanges'],
  ])
    expect(text).toContain(said);
  expect(text).toContain('acc-usd USD 0 0.00 0.00 2.00 1,085.20 0.00 0.00');
});

test('shows every column of the report that is in no other one', async () => {
  const elsewhere = ['currency', 'fee_currency', 'reason_code', 'open_why', 'workflow_id', 'url'];
  const hidden = COLUMNS.filter(({ page }) => page === undefined).map(({ name }) => name);
  const ofExchange = ['sold_currency', 'bought_currency', 'fee_currency', 'bought_to'].map((it) => `exchange_${it}`);
  expect(hidden.sort()).toEqual([...elsewhere, ...ofExchange].sort());
});

test('needs no script and nothing from outside', async () => {
  const html = await pageOf([record(1, 'completed')]);
  expect(html).not.toMatch(/<script|<link|<img|@import|url\(/i);
  expect(html).toContain("default-src 'none'");
});

describe('what the file brought', () => {
  test.each([
    '"><script>alert(1)</script>\'',
    '</style><script>',
    '\\"; } body { display: none',
    'a\nb\u2028c',
    '\u202ec\u001b',
  ])('is escaped, in the page and in the margins of the paper: %j', async (hostile) => {
    const row = record(1, 'failed', {
      ...{ documentId: hostile, uid: hostile, orderId: hostile, by: hostile },
      reason: { code: hostile, message: hostile },
    });
    const instruction = { ...row.instruction, account_name: hostile, account_id: hostile };
    const html = await pageOf([{ ...row, instruction }], { batch: { file: hostile, by: hostile } });
    expect(html).not.toContain('<script');
    expect(html.match(/<\/style>/g)).toHaveLength(1);
    expect(hasUnprintable('id', html.replaceAll('\n', ' '))).toBe(false);
    const margins = html.slice(html.indexOf('@top-left'), html.indexOf('@top-right'));
    expect(margins).toMatch(/^@top-left \{ content: "[A-Za-z0-9 \\]*"; font: 8pt system-ui, sans-serif; \}\s*$/);
  });
});

test('links web addresses only', async () => {
  const source = sourceOf([record(1, 'completed')]);
  const report = batchReport({ ...source, workflowUrl: () => 'javascript:alert(1)' });
  const { value } = await report.next();
  expect(htmlRows(value as Parameters<typeof htmlRows>[0])).not.toContain('javascript:');
});

test('shows no whole number of an account of a payee, and no name when it is masked', async () => {
  expect(await pageOf([record(1, 'completed')])).not.toContain('99887766');
  const masked = await pageOf([record(1, 'completed')], { isMasked: true });
  expect(masked).not.toContain('Ramirez');
  expect(masked).toContain('R***');
  expect(masked).toContain('are masked');
});

test('shows incidents before everything else, and with their row', async () => {
  const paid = record(1, 'completed');
  expect(await pageOf([paid])).not.toContain('Incidents');
  const hostile = '<b>ord</b>';
  const acknowledged = { by: hostile, reason: hostile, at: 2 };
  const incidents = [
    { kind: 'second-order', reference: paid.reference, orderId: hostile, seenAt: 1, acknowledged } as const,
  ];
  const html = await pageOf([paid], { incidents });
  expect(html.indexOf('<h2>Incidents</h2>')).toBeLessThan(html.indexOf('class="tiles"'));
  expect(html).toContain(`Row 1: ${INCIDENTS['second-order'].says}`);
  expect(html).toContain('<span class="badge unpaid">second-order &lt;b&gt;ord&lt;/b&gt; acknowledged</span>');
  expect(html).not.toContain(hostile);
});
