import { expect, test } from 'vitest';
import type { BatchReport } from '../../src/reports/batch-report.ts';
import { htmlReport } from '../../src/reports/write-html.ts';
import { record, reportOf } from './records.ts';

const pageOf = (report: BatchReport): string => [...htmlReport(report)].join('');

test('shows the state, the counts, the amounts by state and every row with its reason and link', async () => {
  const report = await reportOf([
    record(1, 'completed', { amount: '1250.00' }),
    record(2, 'held', {}, 'fee-above-cap'),
  ]);
  const html = pageOf(report);
  expect(html).toContain('<span class="badge open">open</span>');
  expect(html).toContain('1,250.00 of 1,260.00 paid');
  expect(html).toContain('the fee quoted is above the cap');
  for (const { url, reference } of report.payouts)
    expect(html).toContain(`<a href="${url}" title="Open in the Temporal UI"><code>${reference}`);
});

test('needs no script and nothing from outside', async () => {
  const html = pageOf(await reportOf([record(1, 'completed')]));
  expect(html).not.toMatch(/<script|<link|<img|@import|url\(/i);
  expect(html).toContain("default-src 'none'");
});

test('escapes what the file brought', async () => {
  const hostile = '"><script>alert(1)</script>\'';
  const html = pageOf(
    await reportOf(
      [
        record(1, 'failed', {
          documentId: hostile,
          uid: hostile,
          orderId: hostile,
          reason: { code: hostile, message: hostile },
        }),
      ],
      {
        batch: { file: hostile },
      },
    ),
  );
  expect(html).not.toContain('<script');
  expect(html).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;');
});

test('links web addresses only', async () => {
  const report = await reportOf([record(1, 'completed')]);
  const [payout] = report.payouts;
  if (payout === undefined) throw new Error('no payout');
  const html = pageOf({ ...report, payouts: [{ ...payout, url: 'javascript:alert(1)' }] });
  expect(html).not.toContain('javascript:');
});

test('holds no detail of a beneficiary', async () => {
  const html = pageOf(await reportOf([record(1, 'completed'), record(2, 'failed')]));
  expect(html).not.toContain('Ramirez');
  expect(html).not.toContain('99887766');
});

test('shows incidents before everything else, and with their row', async () => {
  const paid = record(1, 'completed');
  expect(pageOf(await reportOf([paid]))).not.toContain('Incidents');
  const hostile = '<b>ord</b>';
  const acknowledged = { by: hostile, reason: hostile, at: 2 };
  const incidents = [
    { kind: 'second-order', reference: paid.reference, orderId: hostile, seenAt: 1, acknowledged } as const,
  ];
  const html = pageOf(await reportOf([paid], { incidents }));
  expect(html.indexOf('<h2>Incidents</h2>')).toBeLessThan(html.indexOf('class="tiles"'));
  expect(html).toContain('Row 1: the payout is completed, and the bank shows another order under its reference');
  expect(html).toContain('<span class="badge unpaid">second-order &lt;b&gt;ord&lt;/b&gt; acknowledged</span>');
  expect(html).not.toContain(hostile);
});
