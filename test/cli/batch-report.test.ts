import { describe, expect, it } from 'vitest';
import { exitOfReport } from '../../src/cli/batch-report.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { batchState, countStates, type PayoutState } from '../../src/domain/payout-state.ts';
import type { BatchReport } from '../../src/erp/report/batch-report.ts';

function reportOf(states: PayoutState[]): BatchReport {
  const counts = countStates(states);
  return {
    schemaVersion: 1,
    batchId: 'b',
    file: 'f.csv',
    state: batchState(counts, 'running'),
    control: 'running',
    controlReason: null,
    counts,
    totals: [],
    payouts: [],
    incidents: [],
    refused: [],
    reports: { csv: '/b.csv', json: '/b.json', html: '/b.html' },
  };
}

describe('the exit code of a report', () => {
  it('says that people must look where an incident is, however well the rows ended', () => {
    const message = 'the bank shows another order';
    const incident = { row: 1, reference: 'ref', orderId: 'ord-9', kind: 'second-order', message } as const;
    const report = { ...reportOf(['completed']), incidents: [incident] };
    expect(exitOfReport(report)).toBe(EXIT.exceptions);
  });

  it.each<[number, PayoutState[]]>([
    [EXIT.completed, ['completed', 'completed']],
    [EXIT.exceptions, ['completed', 'failed']],
    [EXIT.exceptions, ['completed', 'rejected']],
    [EXIT.exceptions, ['completed', 'cancelled']],
    [EXIT.exceptions, ['completed', 'needs-operator']],
    [EXIT.stillOpen, ['completed', 'processing']],
    [EXIT.stillOpen, ['failed', 'awaiting-bank-approval']],
  ])('is %i for %j', (exit, states) => {
    expect(exitOfReport(reportOf(states))).toBe(exit);
  });
});
