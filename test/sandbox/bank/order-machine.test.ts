import { describe, expect, test } from 'vitest';
import { ORDER_STATUSES } from '../../../src/bank/schemas/order-status.ts';
import {
  DEFAULT_SETTLE_TIMES,
  ENDS,
  nextStep,
  type OrderState,
  type Outcome,
} from '../../../src/sandbox/bank/order-machine.ts';

const plain = { updated_at: 1_000n, needs_audit: 0n, outcome: 'complete', expired_at: null } as const;
const stepOf = ({ viaUnlisted, ...state }: Partial<OrderState> & { status: string; viaUnlisted?: boolean }) =>
  nextStep({ ...plain, ...state }, DEFAULT_SETTLE_TIMES, viaUnlisted);

describe('the order machine', () => {
  test.each([
    ['ACCEPTED', {}, 'SUBMITTING', 1_200],
    ['ACCEPTED', { needs_audit: 1n }, 'WAIT_FOR_AUDIT', 1_200],
    ['WAIT_FOR_AUDIT', { expired_at: 9_000n }, 'CANCELLING', 9_000],
    ['WAIT_FOR_AUDIT', { expired_at: 500n }, 'CANCELLING', 1_000],
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
  ] as const)('%s with %o goes to %s at %i', (status, state, to, at) => {
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
  ] as const)('%s with %o takes no step by the clock', (status, state) => {
    expect(stepOf({ status, ...state })).toBeUndefined();
  });

  test('reaches every status of the interface from ACCEPTED, by the clock or a decision', () => {
    const reached = new Set<string>(['ACCEPTED']);
    for (const status of reached) {
      if (status === 'WAIT_FOR_AUDIT') reached.add('APPROVING').add('REJECTING');
      for (const outcome of Object.keys(ENDS) as Outcome[]) {
        for (const needs_audit of [1n, 0n]) {
          const to = stepOf({ status, outcome, needs_audit, expired_at: 2_000n })?.to;
          if (to !== undefined && to !== 'refund') reached.add(to);
        }
      }
    }
    expect([...reached].sort()).toEqual([...ORDER_STATUSES].sort());
  });
});
