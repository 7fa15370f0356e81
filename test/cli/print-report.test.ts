import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit.ts';
import { exitOfReport } from '../../src/cli/report-files.ts';
import { batchState, countRows, type PayoutState } from '../../src/domain/payout-state.ts';
import type { BatchReport } from '../../src/reports/report-document.ts';

function reportOf(states: PayoutState[]): Pick<BatchReport, 'counts' | 'incidents' | 'state'> {
  const counts = countRows(new Map(states.map((state) => [state, states.filter((other) => other === state).length])));
  return { state: batchState(counts, 'running'), counts, incidents: [] };
}

describe('the exit code of a report', () => {
  it('says that people must act where an incident is that nobody has acknowledged, however well the rows ended', () => {
    const message = 'the bank shows another order';
    const found = { row: 1, reference: 'ref', orderId: 'ord-9', kind: 'second-order', message, id: 'inc-1' } as const;
    const exitWith = (...incidents: BatchReport['incidents']): number =>
      exitOfReport({ ...reportOf(['completed']), incidents });
    const open = { ...found, acknowledged: null };
    const seenTo = { ...found, acknowledged: { by: 'alice', reason: 'called back', at: '2026-01-05T10:00:00.000Z' } };
    expect(exitWith(open)).toBe(EXIT.exceptions);
    expect(exitWith(seenTo, open)).toBe(EXIT.exceptions);
    expect(exitWith(seenTo)).toBe(EXIT.completed);
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
