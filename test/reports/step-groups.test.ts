import { describe, expect, it } from 'vitest';
import { stepGroupsText } from '../../src/reports/render-steps.ts';
import { stepGroups } from '../../src/reports/step-groups.ts';
import { record, TRIAL } from './records.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 4, 12, 12);

describe('rows by kind', () => {
  const rows = [
    record(1, 'completed'),
    record(2, 'processing'),
    record(3, 'failed', { stateSince: 1 }, 'bank-failed'),
    record(4, 'held', { stateSince: NOW - HOUR, amount: '1000.00' }, 'look-alike'),
    record(5, 'held', { stateSince: NOW, amount: '500.50' }, 'look-alike'),
    record(6, 'awaiting-approval', { stateSince: NOW - 2 * HOUR }, 'approval-required'),
  ];

  it('are those that people must act on first, the oldest wait first, with exact totals', () => {
    const groups = stepGroups(rows, TRIAL);
    expect(groups.map(({ kind, count, totals }) => [kind, count, totals[0]?.amount])).toEqual([
      ['approval-required', 1, '10.00'],
      ['look-alike', 2, '1500.50'],
      ['bank-failed', 1, '10.00'],
    ]);
    expect(groups[1]).toMatchObject({ since: NOW - HOUR, needsAttention: true });
  });

  it('of one batch are decided at once, and only those of the kind', () => {
    expect(stepGroups(rows, TRIAL)[1]?.commands[0]).toBe('payouts approve batch-1 --kind look-alike');
  });

  it('leave the row to be filled in where each is decided by itself, and name none of several', () => {
    const commandsOf = (...given: Parameters<typeof stepGroups>[0]) => stepGroups(given, TRIAL)[0]?.commands;
    const code = 'bank-approval-required';
    const inAudit = [1, 2].map((row) => record(row, 'awaiting-bank-approval', {}, code));
    expect(commandsOf(...inAudit)?.at(-1)).toBe('payouts cancel ID');
    const elsewhere = record(3, 'awaiting-bank-approval', { batchId: 'batch-2' }, code);
    expect(commandsOf(...inAudit, elsewhere)).toEqual(['payouts approve ID', 'payouts reject ID', 'payouts cancel ID']);
    const off = [1, 2].map((row) => record(row, 'held', { batchId: `batch-${row}` }, 'switched-off'));
    expect(commandsOf(...off)).toContain('payouts resume BATCH');
    expect(commandsOf(...off.slice(0, 1))).toContain('payouts resume batch-1');
  });

  it('are apart where something else is to be done about them, although no command helps', () => {
    const failed = [1, 2, 3].map((row) => record(row, 'failed', {}, 'bank-failed'));
    const [exchanged, contradicted] = failed.map(({ reference }) => new Set([reference]));
    const groups = stepGroups(failed, { ...TRIAL, exchanged, contradicted });
    expect(groups.map(({ count, todo }) => [count, todo])).toEqual([
      [1, expect.stringContaining('the money stays exchanged')],
      [1, expect.stringContaining('Do not pay it again')],
      [1, expect.stringContaining('payouts retry')],
    ]);
  });

  it('that are to be paid again are named in the command, which would pay others of the batch too', () => {
    const failed = [9, 3, 8, 7].map((row) => record(row, 'failed', {}, 'bank-failed'));
    const rejected = record(4, 'rejected', {}, 'bank-rejected');
    const [first] = stepGroups([...failed, rejected], TRIAL);
    expect(first?.commands).toEqual(['payouts retry batch-1 --rows 3,7-9']);
  });

  it('that are too many for one command have none', () => {
    const failed = Array.from({ length: 501 }, (_, index) => record(index + 1, 'failed', {}, 'bank-failed'));
    expect(stepGroups(failed.slice(1), TRIAL)[0]?.commands).toEqual(['payouts retry batch-1 --rows 2-501']);
    expect(stepGroups(failed, TRIAL)[0]?.commands).toEqual([]);
  });

  it.each([60, 80, 120, 200])('break no word and no command at %i columns', (width) => {
    const text = stepGroupsText(stepGroups(rows, TRIAL), { now: NOW, width });
    const wide = stepGroupsText(stepGroups(rows, TRIAL), { now: NOW, width: Number.POSITIVE_INFINITY });
    expect(text.split(/\s+/)).toEqual(wide.split(/\s+/));
    expect(text).toContain('2 payouts held [look-alike]: 1,500.50 EUR');
    const long = text.split('\n').filter((line) => line.length > width && !line.includes('payouts '));
    expect(long).toEqual([]);
  });
});
