import { describe, expect, test } from 'vitest';
import { ORDER_STATUSES } from '../../../src/api/schemas/order-status.ts';
import { DEFAULT_SETTLE_TIMES, nextStep, type OrderState } from '../../../src/sandbox/bank/order-machine.ts';
import { ENDS, type Outcome } from '../../../src/sandbox/bank/sentinels.ts';

const plain = { since: 1_000, needsAudit: false, outcome: 'complete', expiredAt: null, viaUnlisted: false } as const;
const stepOf = (state: Partial<OrderState> & { status: string }) =>
  nextStep({ ...plain, ...state }, DEFAULT_SETTLE_TIMES);

describe('the order machine', () => {
  test.each([
    ['ACCEPTED', {}, 'SUBMITTING', 1_200],
    ['ACCEPTED', { needsAudit: true }, 'WAIT_FOR_AUDIT', 1_200],
    ['WAIT_FOR_AUDIT', { expiredAt: 9_000 }, 'CANCELLING', 9_000],
    ['WAIT_FOR_AUDIT', { expiredAt: 500 }, 'CANCELLING', 1_000],
    ['APPROVING', {}, 'APPROVED', 1_200],
    ['APPROVED', {}, 'SUBMITTING', 1_100],
    ['SUBMITTING', {}, 'SUBMITTED', 1_300],
    ['SUBMITTED', {}, 'COMPLETED', 2_000],
    ['SUBMITTED', { outcome: 'refund' }, 'COMPLETED', 2_000],
    ['SUBMITTED', { outcome: 'fail' }, 'FAILED', 2_000],
    ['SUBMITTED', { outcome: 'close' }, 'CLOSED', 2_000],
    ['COMPLETED', { outcome: 'refund' }, 'refund', 2_000],
    ['REJECTING', {}, 'REJECTED', 1_200],
    ['CANCELLING', {}, 'CANCELLED', 1_200],
    ['SUBMITTED', { viaUnlisted: true }, 'IN_CLEARING', 2_000],
    ['SUBMITTED', { viaUnlisted: true, outcome: 'fail' }, 'FAILED', 2_000],
    ['IN_CLEARING', {}, 'COMPLETED', 2_000],
  ] as const)('%s with %j goes to %s at %i', (status, state, to, at) => {
    expect(stepOf({ status, ...state })).toEqual({ to, at });
  });

  test.each([
    ['WAIT_FOR_AUDIT', {}],
    ['SUBMITTED', { outcome: 'stuck' }],
    ['COMPLETED', {}],
    ['REJECTED', {}],
    ['CANCELLED', {}],
    ['FAILED', {}],
    ['CLOSED', {}],
    ['A_STATUS_NOBODY_LISTED', {}],
  ] as const)('%s with %j takes no step by the clock', (status, state) => {
    expect(stepOf({ status, ...state })).toBeUndefined();
  });

  test('reaches every status of the interface from ACCEPTED, by the clock or a decision', () => {
    const reached = new Set<string>(['ACCEPTED']);
    for (const status of reached) {
      if (status === 'WAIT_FOR_AUDIT') reached.add('APPROVING').add('REJECTING');
      for (const outcome of Object.keys(ENDS) as Outcome[]) {
        for (const needsAudit of [true, false]) {
          const to = stepOf({ status, outcome, needsAudit, expiredAt: 2_000 })?.to;
          if (to !== undefined && to !== 'refund') reached.add(to);
        }
      }
    }
    expect([...reached].sort()).toEqual([...ORDER_STATUSES].sort());
  });
});
