import { describe, expect, it } from 'vitest';
import { afterCall, callsNow, HEALTHY, type Health, sliceOf } from '../../src/domain/pace.ts';

describe('a limit of calls a second', () => {
  it.each([1, 3, 7, 50, 100, 1_234])('of %i is given out in slices that never hold more', (perSecond) => {
    const { calls, lengthMs } = sliceOf(perSecond);
    expect(calls).toBeGreaterThan(0);
    expect((calls * 1_000) / lengthMs).toBeLessThanOrEqual(perSecond);
    expect((calls * 1_000) / lengthMs).toBeGreaterThan(perSecond * 0.95);
  });
});

const answered = (health: Health, now: number): Health => afterCall(health, { isAnswered: true }, now);
const failed = (health: Health, now: number, quietMs?: number): Health =>
  afterCall(health, { isAnswered: false, quietMs }, now);
const failedInRow = (times: number): Health =>
  Array.from({ length: times }).reduce<Health>((health) => failed(health, 0), HEALTHY);

describe('a bank that comes back', () => {
  const down = failedInRow(5);

  it('is down after five calls in a row without an answer, and not before', () => {
    expect(callsNow(down, 20, 1)).toBe(1);
    const almost = failedInRow(4);
    expect(callsNow(almost, 20, 1)).toBe(20);
    expect(callsNow(answered(almost, 1), 20, 2)).toBe(20);
  });

  it('gets one call a slice at first and twice as many each second', () => {
    const back = answered(down, 10_000);
    expect([0, 999, 1_000, 2_000, 3_000, 4_000, 5_000].map((ms) => callsNow(back, 20, 10_000 + ms))).toEqual([
      1, 1, 2, 4, 8, 16, 20,
    ]);
    expect(callsNow(back, 20, 9_000)).toBe(1);
  });

  it('begins anew when it goes down once more', () => {
    let health = answered(down, 10_000);
    for (let n = 0; n < 5; n += 1) health = failed(health, 12_000);
    expect(callsNow(health, 20, 13_000)).toBe(1);
    expect(callsNow(answered(health, 14_000), 20, 14_500)).toBe(1);
  });
});

it.each([
  ['an outage', answered(failedInRow(5), 3_610_000)],
  ['too many calls', failed(HEALTHY, 3_605_000, 5_000)],
])('a clock that is put back by an hour after %s keeps calls few for seconds, not for the hour', (_what, health) => {
  expect(callsNow(health, 20, 10_000)).toBe(1);
  expect(callsNow(answered(health, 10_000), 20, 15_000)).toBe(20);
});

describe('a bank that has had too many calls', () => {
  const quiet = failed(HEALTHY, 10_000, 5_000);

  it('gets none until it wants them, despite the answers of calls under way, and then twice as many each five seconds', () => {
    const later = answered(failed(quiet, 10_500), 11_000);
    const down = Array.from({ length: 5 }).reduce<Health>((health) => failed(health, 10_100), quiet);
    for (const health of [quiet, later, answered(down, 11_000)]) {
      expect([10_000, 14_999, 15_000, 19_999, 20_000, 25_000, 60_000].map((now) => callsNow(health, 20, now))).toEqual([
        0, 0, 1, 1, 2, 4, 20,
      ]);
    }
  });

  it('is left alone for the longest that it has asked for', () => {
    const health = failed(failed(quiet, 11_000, 1_000), 12_000, 4_000);
    expect([15_500, 16_000].map((now) => callsNow(health, 20, now))).toEqual([0, 1]);
    expect(callsNow(failed(quiet, 11_000, 1_000), 20, 14_999)).toBe(0);
  });

  it('is not taken for one that is down, however many calls it refuses', () => {
    const refused = Array.from({ length: 20 }).reduce<Health>((health) => failed(health, 10_000, 5_000), HEALTHY);
    expect(callsNow(answered(refused, 15_001), 20, 20_000)).toBe(2);
  });

  it('is not waited for by a clock that was put back', () => {
    expect(callsNow(quiet, 20, 9_000)).toBe(1);
    expect(callsNow(failed(quiet, 9_000, 1_000), 20, 10_000)).toBe(1);
  });
});
