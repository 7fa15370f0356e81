import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { depthAt, pauseAt } from '../../../src/activities/watch.ts';

const PACE = { listPollMs: 1_000, listPollMaxMs: 30_000 };
const HOUR_MS = 3_600_000;
const FULL_MS = 128_000;

/** Times at which an order opened with the first poll is read until it is so old; `everything`: of those, reads of all. */
function reads(untilMs: number): { times: number[]; everything: number } {
  const times: number[] = [];
  let everything = 0;
  for (let [before, now] = [0, 0]; now <= untilMs; ) {
    const depth = depthAt(PACE, before, now);
    if (now <= depth) times.push(now);
    if (depth === Number.POSITIVE_INFINITY) everything += 1;
    [before, now] = [now, now + pauseAt(PACE, now, now)];
  }
  return { times, everything };
}

describe('the pace of a watch', () => {
  it('reads an order a few times in each double of its age', () => {
    expect(reads(30_000).times).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28].map((s) => s * 1_000));
    expect(reads(HOUR_MS).times.length).toBeLessThan(60);
  });

  it('lets no order wait longer than a quarter of its age, or than from one read of everything to the next', () => {
    const { times, everything } = reads(HOUR_MS);
    for (const [n, at] of times.entries()) {
      const next = times[n + 1] ?? HOUR_MS;
      expect(next - at).toBeLessThanOrEqual(Math.max(1_000, Math.min(at / 4 + 1_000, FULL_MS)));
    }
    expect(everything).toBe(1 + Math.floor(HOUR_MS / FULL_MS));
  });

  it('reaches every order that is due, after any pauses', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 0, max: 240_000 }),
        (pauses, openedAt) => {
          let [before, now, readAtAge] = [0, 0, openedAt];
          for (const pause of pauses) {
            [before, now] = [now, now + pause];
            const age = now - openedAt;
            if (age < 0) continue;
            if (age <= depthAt(PACE, before, now)) readAtAge = now;
            // Since its last read, and the pause in which it would have been due.
            expect(now - readAtAge).toBeLessThanOrEqual(Math.max(1_000, Math.min(age / 4, FULL_MS)) + pause);
          }
        },
      ),
    );
  });

  it('never pauses longer than it may, so that a new order is seen soon', () => {
    for (const age of [0, 500, 5_000, 60_000, HOUR_MS]) {
      const pause = pauseAt(PACE, 12_345, age);
      expect(pause).toBeGreaterThan(0);
      expect(pause).toBeLessThanOrEqual(30_000);
    }
  });
});
