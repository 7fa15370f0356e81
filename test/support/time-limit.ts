import { onTestFinished, vi } from 'vitest';

/** Timers below this many milliseconds are waits of a test or of a library, no limits. */
const LIMIT_MIN_MS = 10_000;

/** From here on the limits that this process sets by `setTimeout` can be seen and ended, until the test ends. */
export function watchLimits(): void {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
}

const limits = () => vi.mocked(setTimeout).mock.calls.filter(([, ms = 0]) => ms >= LIMIT_MIN_MS);

/** Every limit set so far, in milliseconds. */
export const limitsSet = (): (number | undefined)[] => limits().map(([, ms]) => ms);

/** Every limit set so far is over, by no clock: a slow machine reaches none earlier. */
export function limitsPass(): void {
  for (const [run, , ...args] of limits()) run(...args);
}
