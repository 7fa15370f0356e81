import { describe, expect, it } from 'vitest';
import { afterCall, callsNow, HEALTHY, sliceOf } from '../../src/domain/call-pace.ts';

describe('a limit of calls a second', () => {
  it.each([1, 3, 7, 50, 100, 1_234])('of %i is given out in slices that never hold more', (perSecond) => {
    const { calls, lengthMs } = sliceOf(perSecond);
    expect(calls).toBeGreaterThan(0);
    expect((calls * 1_000) / lengthMs).toBeLessThanOrEqual(perSecond);
    expect((calls * 1_000) / lengthMs).toBeGreaterThan(perSecond * 0.95);
  });
});

describe('a bank that comes back', () => {
  const down = Array(5)
    .fill(false)
    .reduce((health) => afterCall(health, false, 0), HEALTHY);

  it('is down after five calls in a row without an answer, and not before', () => {
    expect(callsNow(down, 20, 1)).toBe(1);
    const almost = Array(4)
      .fill(false)
      .reduce((health) => afterCall(health, false, 0), HEALTHY);
    expect(callsNow(almost, 20, 1)).toBe(20);
    expect(callsNow(afterCall(almost, true, 1), 20, 2)).toBe(20);
  });

  it('gets one call a slice at first and twice as many each second', () => {
    const back = afterCall(down, true, 10_000);
    expect([0, 999, 1_000, 2_000, 3_000, 4_000, 5_000].map((ms) => callsNow(back, 20, 10_000 + ms))).toEqual([
      1, 1, 2, 4, 8, 16, 20,
    ]);
    expect(callsNow(back, 20, 9_000)).toBe(1);
  });

  it('begins anew when it goes down once more', () => {
    let health = afterCall(down, true, 10_000);
    for (let n = 0; n < 5; n += 1) health = afterCall(health, false, 12_000);
    expect(callsNow(health, 20, 13_000)).toBe(1);
    expect(callsNow(afterCall(health, true, 14_000), 20, 14_500)).toBe(1);
  });
});
