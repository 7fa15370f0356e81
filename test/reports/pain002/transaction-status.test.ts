import { describe, expect, test } from 'vitest';
import type { ClaimedFacts } from '../../../src/domain/bank-message.ts';
import { END_STATES, PAYOUT_STATES, type PayoutState } from '../../../src/domain/payout-state.ts';
import type { JudgedStage } from '../../../src/reports/pain002/status-report.ts';
import { groupStatus, stageOf, transactionStatus } from '../../../src/reports/pain002/status-report.ts';
import { original, payout } from './answers.ts';

const STAGES: readonly JudgedStage[] = ['validated', 'sent', 'final'];
const FORWARD = ['ACCP', 'PDNG', 'ACSP', 'ACSC', 'RJCT'];
const facts: ClaimedFacts[] = PAYOUT_STATES.map((state) => payout(state));

describe('the status of a transaction', () => {
  test.each([
    ['completed', ['ACCP', 'ACSP', 'ACSC']],
    ['processing', ['ACCP', 'ACSP', 'ACSP']],
    ['resolving', ['PDNG', 'PDNG', 'PDNG']],
    ['needs-operator', ['PDNG', 'PDNG', 'PDNG']],
    ['awaiting-bank-approval', ['PDNG', 'PDNG', 'PDNG']],
    ['scheduled', ['ACCP', 'ACCP', 'ACCP']],
    ['failed', ['RJCT', 'RJCT', 'RJCT']],
    ['rejected', ['RJCT', 'RJCT', 'RJCT']],
    ['cancelled', ['RJCT', 'RJCT', 'RJCT']],
  ] satisfies [PayoutState, string[]][])('%s is %j', (state, expected) => {
    expect(STAGES.map((stage) => transactionStatus(payout(state), stage))).toEqual(expected);
  });

  test('of a row refused before it was claimed is RJCT at every stage', () => {
    for (const stage of STAGES) expect(transactionStatus({ original: original(), findings: [] }, stage)).toBe('RJCT');
  });

  test('only moves forward from stage to stage', () => {
    for (const one of facts) {
      const ranks = STAGES.map((stage) => FORWARD.indexOf(transactionStatus(one, stage)));
      expect([one.state, ranks]).toEqual([one.state, ranks.toSorted((a, b) => a - b)]);
    }
  });

  test('is RJCT for proven ends without money alone, and ACSC for completed alone', () => {
    for (const one of facts) {
      const status = transactionStatus(one, 'final');
      expect(status === 'RJCT').toBe(END_STATES.some((end) => end === one.state && end !== 'completed'));
      expect(status === 'ACSC').toBe(one.state === 'completed');
    }
  });
});

test.each([
  [['ACSC'], 'ACSC'],
  [['RJCT'], 'RJCT'],
  [['PDNG'], 'PDNG'],
  [['ACSC', 'RJCT'], 'PART'],
  [['ACSC', 'PDNG'], 'PART'],
  [['ACCP', 'RJCT', 'PDNG'], 'PART'],
  [['ACSC', 'ACSP', 'ACCP'], 'ACCP'],
  [['ACSP', 'ACSC'], 'ACSP'],
] as const)('transactions that are %j make the group %s', (present, expected) => {
  expect(groupStatus(present)).toBe(expected);
  expect(groupStatus(present.toReversed())).toBe(expected);
});

test.each([
  [{ received: 3 }, 'validated'],
  [{ processing: 2, scheduled: 1 }, 'validated'],
  [{ processing: 2, submitting: 1 }, 'validated'],
  [{ processing: 2, completed: 1, failed: 1 }, 'sent'],
  [{ resolving: 1, 'awaiting-bank-approval': 1, 'needs-operator': 4 }, 'sent'],
  [{ completed: 1, 'needs-operator': 1, cancelled: 3, processing: 0 }, 'final'],
  [{}, 'final'],
])('a batch of %j is at %s', (rows, stage) => {
  expect(stageOf(new Map(Object.entries(rows) as [PayoutState, number][]))).toBe(stage);
});
