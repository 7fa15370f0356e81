import { expect, it } from 'vitest';
import { type ClosedRuns, closedAgain, NO_CLOSED_RUNS } from '../../src/domain/claim.ts';

const PROCESSING = { state: 'processing', orderId: 'o-1' } as const;

const closed = (before: ClosedRuns, row: Parameters<typeof closedAgain>[1], now = 0): ClosedRuns =>
  closedAgain(before, row, { now, firstPauseMs: 1_000 });

it('a payout that is closed where it was closed before is counted, each time with twice the pause', () => {
  const first = closed(NO_CLOSED_RUNS, PROCESSING, 10);
  expect(first).toEqual({ count: 1, closedState: 'processing o-1', nextRestartAt: 1_010 });
  const second = closed(first, PROCESSING, 2_000);
  expect(second).toMatchObject({ count: 2, nextRestartAt: 4_000 });
  expect(closed(second, PROCESSING)).toMatchObject({ count: 3, nextRestartAt: 4_000 });
});

it('another state or an order that was not known is progress', () => {
  const before = closed(closed(NO_CLOSED_RUNS, { state: 'submitting', orderId: null }), {
    state: 'submitting',
    orderId: null,
  });
  expect(before.count).toBe(2);
  expect(closed(before, { state: 'submitting', orderId: 'o-1' }).count).toBe(1);
  expect(closed(before, { state: 'processing', orderId: null }).count).toBe(1);
});
