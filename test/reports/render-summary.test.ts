import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import type { BatchSummary } from '../../src/reports/batch-report.ts';
import { renderSummary } from '../../src/reports/render-summary.ts';
import { batchSummary, record } from './records.ts';

/** Without colours, on any terminal of the test. */
const summaryOf = (report: BatchSummary): string => stripVTControlCharacters(renderSummary(report));

test('says why a batch was paused by itself', async () => {
  const batch = { control: 'paused', controlReason: 'canary: row 2 is failed (bank-failed)' } as const;
  const [, , why] = summaryOf(await batchSummary([record(1, 'received')], { batch })).split('\n');
  expect(why).toBe(batch.controlReason);
});

test('shows amounts by currency and state in aligned columns, and no reason that the steps below show', async () => {
  const report = await batchSummary([
    record(1, 'completed', { amount: '1250.00' }),
    record(2, 'completed'),
    record(3, 'held', { currency: 'JPY', amount: '500' }, 'fee-above-cap'),
  ]);
  expect(summaryOf(report)).toBe(
    [
      'payroll.csv: open, 2 of 3 payouts completed',
      'batch batch-1',
      '',
      '  currency  state      payouts    amount',
      '  EUR       completed        2  1,260.00',
      '  JPY       held             1       500',
      '',
    ].join('\n'),
  );
});

/** Each with a message of its own. */
const failed = (row: number): ReturnType<typeof record> => {
  const it = record(row, 'failed', {}, 'bank-failed');
  return { ...it, reason: { code: 'bank-failed', message: `the bank refused it, as ${row}` } };
};

test('names rows whose reasons differ, which the steps below only sum up', async () => {
  const rows = [record(1, 'held', {}, 'fee-above-cap'), record(2, 'held', {}, 'fee-above-cap'), failed(3), failed(4)];
  const summary = summaryOf(await batchSummary(rows));
  expect(summary).toMatch(/row 3 INV-3, failed: the bank refused it, as 3 .*\n {2}row 4 INV-4, failed: .* as 4 /);
  expect(summary).not.toContain('INV-1');
  expect(summary).not.toContain('more; the report lists all');
});

test('shows incidents above the rows that are not paid', async () => {
  const paid = record(1, 'completed');
  const incidents = [{ kind: 'second-order', reference: paid.reference, orderId: 'ord-\u001b7', seenAt: 1 } as const];
  const summary = summaryOf(await batchSummary([paid, failed(2), failed(3)], { incidents }));
  expect(summary).toMatch(
    /incidents: 1\n {2}row 1, order ord-\\u001b7: the payout is completed, .*\[second-order\] inc-ord-\\u001b7\n\n/,
  );
  expect(summary.indexOf('incidents: 1')).toBeLessThan(summary.indexOf('row 2'));
});

test('says who has acknowledged an incident, and counts those that are open', async () => {
  const paid = record(1, 'completed');
  const second = { kind: 'second-order', reference: paid.reference, seenAt: 1 } as const;
  const acknowledged = { by: 'alice', reason: 'called back', at: 2 };
  const incidents = [
    { ...second, orderId: 'ord-7', acknowledged },
    { ...second, orderId: 'ord-8' },
  ];
  const summary = summaryOf(await batchSummary([paid], { incidents }));
  expect(summary).toMatch(
    /incidents: 1 open of 2\n.*ord-7: .* acknowledged by alice: called back\n.*ord-8: .* inc-ord-8\n/,
  );
});

test('lists the first ten that are not paid and counts the others', async () => {
  const rows = Array.from({ length: 13 }, (_, index) => failed(index + 1));
  const summary = summaryOf(await batchSummary(rows));
  expect(summary.match(/ {2}row \d+/g)).toHaveLength(10);
  expect(summary).toContain('and 3 more');
});

test('shows control characters of an id instead of obeying them', async () => {
  const summary = summaryOf(await batchSummary([record(1, 'failed', { documentId: 'A\u001b[2J' })]));
  expect(summary).toContain('A\\u001b[2J');
});

test('colours for a terminal and not for NO_COLOR', async () => {
  const report = await batchSummary([record(1, 'completed')]);
  // The environment is the terminal's own: that of the process is shared with other files.
  const terminal = (env: Record<string, string>) =>
    Object.assign(new PassThrough(), {
      isTTY: true,
      getColorDepth: () => WriteStream.prototype.getColorDepth.call(process.stdout, { TERM: 'xterm-256color', ...env }),
    });
  vi.stubEnv('FORCE_COLOR', undefined);
  expect(renderSummary(report, { stream: terminal({}) })).toContain('\u001b[32m');
  expect(renderSummary(report, { stream: terminal({ NO_COLOR: '1' }) })).not.toContain('\u001b');
});

afterEach(() => {
  vi.unstubAllEnvs();
});
