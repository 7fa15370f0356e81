import { expect, it } from 'vitest';
import { payoutPriority, watchPriority } from '../../../src/platform/temporal/workflow-executions.ts';

it('gives each user a turn of their own, and haste a place before those', () => {
  expect(payoutPriority('u-1001')).toEqual({ priorityKey: 3, fairnessKey: 'u-1001' });
  expect(payoutPriority('u-1001', true)).toEqual({ priorityKey: 2, fairnessKey: 'u-1001' });
  expect(watchPriority('u-1001')).toEqual({ priorityKey: 1, fairnessKey: 'u-1001' });
});

it('names no user whose id the server would refuse: at most 64 bytes, however many characters', () => {
  expect(payoutPriority('u'.repeat(64))).toHaveProperty('fairnessKey');
  expect(payoutPriority('u'.repeat(65))).toEqual({ priorityKey: 3 });
  expect(payoutPriority('ü'.repeat(33))).toEqual({ priorityKey: 3 });
  expect(payoutPriority(undefined)).toEqual({ priorityKey: 3 });
});
