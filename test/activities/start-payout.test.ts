import { expect, it } from 'vitest';
import { delayOf } from '../../src/activities/reconcile.ts';
import type { PayoutRecord } from '../../src/store/store.ts';
import { instruction } from '../store/samples.ts';

const DUE = Date.parse('2026-11-26T00:00:00Z');
const HOUR_MS = 3_600_000;

/** `offset`: how far the bank's clock is measured to be ahead of ours, which shows `now`. */
const delay = (now: number, offset?: number): number =>
  delayOf(
    {
      bank: { clock: { offset: () => offset } },
      settings: { calendar: undefined },
      now: () => now,
    } as Parameters<typeof delayOf>[0],
    { instruction: instruction('doc', { execute_on: '2026-11-26' }) } as PayoutRecord,
  );

it('a row is put off until its day', () => {
  expect(delay(DUE - HOUR_MS)).toBe(HOUR_MS);
  expect(delay(DUE + 1)).toBeLessThanOrEqual(0);
});

it('a clock that is behind puts it off no longer, and one that is ahead no shorter than it says itself', () => {
  expect(delay(DUE - 25 * HOUR_MS, 24 * HOUR_MS)).toBe(HOUR_MS);
  expect(delay(DUE - HOUR_MS, -24 * HOUR_MS)).toBe(HOUR_MS);
});
