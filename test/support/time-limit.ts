import { onTestFinished, vi } from 'vitest';
import type { Script } from './scripted-bank.ts';

/** The shortest limit of a client that has the product's own, in milliseconds; nothing else waits for so long. */
const LIMIT_MIN_MS = 10_000;

/** From here on `limitsPass` can end the limits of this test's clients. */
export function watchLimits(): void {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
}

/**
 * Every limit that runs is over now, by no clock: a slow machine reaches none earlier. As a script: the bank has read the
 * request, and is silent until then.
 */
export const limitsPass: Script = () => {
  for (const [run, ms = 0] of vi.mocked(setTimeout).mock.calls) if (ms >= LIMIT_MIN_MS) run();
};
