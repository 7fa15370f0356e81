import { describe, expect, it } from 'vitest';
import { healthAfter, outcomeOf, retryAfter, waitBeforeRetry } from '../../src/domain/events-out.ts';
import { DAY_MS } from '../../src/domain/time.ts';

describe('an answer of a receiver', () => {
  it.each([
    [200, 'taken'],
    [204, 'taken'],
    [301, 'unavailable'],
    [400, 'refused'],
    [401, 'unavailable'],
    [404, 'unavailable'],
    [410, 'gone'],
    [422, 'refused'],
    [429, 'unavailable'],
    [500, 'refused'],
    [503, 'unavailable'],
  ])('%i means %s', (status, kind) => expect(outcomeOf(status).kind).toBe(kind));

  it('may ask for patience, in seconds or until a date', () => {
    expect(retryAfter('120', 0)).toBe(120_000);
    expect(retryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 10_000)).toBe(50_000);
    expect(retryAfter('Thu, 01 Jan 1970 00:00:00 GMT', 10_000)).toBe(0);
    expect(retryAfter('soon', 0)).toBeUndefined();
    expect(outcomeOf(503, 7_000)).toEqual({ kind: 'unavailable', why: 'http-503', retryAfterMs: 7_000 });
  });
});

describe('the wait before another attempt', () => {
  it('doubles up to a quarter of an hour, with a part by chance', () => {
    expect([1, 2, 3, 20, 4_000].map((failures) => waitBeforeRetry(failures, 0))).toEqual([
      5_000, 10_000, 20_000, 900_000, 900_000,
    ]);
    expect(waitBeforeRetry(2, 1)).toBe(5_000);
  });

  it('is what the receiver asks for where that is longer, up to a day', () => {
    expect(waitBeforeRetry(1, 0, 3_600_000)).toBe(3_600_000);
    expect(waitBeforeRetry(1, 0, 1_000)).toBe(5_000);
    expect(waitBeforeRetry(1, 0, 9 * DAY_MS)).toBe(DAY_MS);
  });
});

describe('a subscription after a round', () => {
  const calm = { failures: 0, failingSince: null };
  const nothing = { hasTaken: false, halt: undefined, refusedWhy: undefined, isFull: false };
  const down = { ...nothing, halt: { kind: 'unavailable', why: 'http-503' } } as const;

  it('is as before when nothing was to be delivered, and well when something was taken', () => {
    expect(healthAfter({ failures: 3, failingSince: 5 }, nothing, 10, 0)).toEqual({});
    const well = { failures: 0, failingSince: null, why: null, nextTryAt: null };
    expect(healthAfter({ failures: 3, failingSince: 5 }, { ...nothing, hasTaken: true }, 10, 0)).toEqual(well);
  });

  it('counts from its first failure, and is parked three days later', () => {
    const first = healthAfter(calm, down, 1_000, 0);
    expect(first).toEqual({ failures: 1, failingSince: 1_000, why: 'http-503', nextTryAt: 6_000, parkedAt: null });
    const before = { failures: 9, failingSince: 1_000 };
    expect(healthAfter(before, down, 3 * DAY_MS + 999, 0)).toMatchObject({ failures: 10, parkedAt: null });
    expect(healthAfter(before, down, 3 * DAY_MS + 1_000, 0)).toMatchObject({ parkedAt: 3 * DAY_MS + 1_000 });
    expect(healthAfter(before, { ...down, hasTaken: true }, 4 * DAY_MS, 0)).toMatchObject({
      failures: 1,
      failingSince: 4 * DAY_MS,
      parkedAt: null,
    });
  });

  it('is parked at once when the receiver wants nothing more', () => {
    const gone = { ...nothing, halt: { kind: 'gone', why: 'http-410' } } as const;
    expect(healthAfter(calm, gone, 1_000, 0)).toMatchObject({ why: 'http-410', parkedAt: 1_000 });
  });

  it('goes on behind a refused event, and is parked for refusals when no further event is tried', () => {
    const refused = { ...nothing, refusedWhy: 'http-400' };
    const before = { failures: 9, failingSince: 1_000 };
    expect(healthAfter(before, refused, 4 * DAY_MS, 0)).toMatchObject({ nextTryAt: null, parkedAt: null });
    expect(healthAfter(before, { ...refused, isFull: true }, 4 * DAY_MS, 0)).toMatchObject({ parkedAt: 4 * DAY_MS });
  });
});
