import { setTimeout as timer } from 'node:timers/promises';
import { Problem } from '../domain/problem.ts';
import { interruptSignal } from './interrupt.ts';

/** How often Temporal is checked: without it, the store would still answer, but nothing would change. */
const PULSE_EVERY_MS = 5_000;

export type FollowEnd = 'at-rest' | 'time-out' | 'interrupted';

export interface Following {
  timeoutMs: number | undefined;
  everyMs?: number;
  /** Resolves if an embedded part of this process ends by itself. */
  failure?: Promise<Error>;
  /** Rejects if Temporal cannot be reached. */
  pulse?: () => Promise<unknown>;
}

/** Polls until there is nothing left to wait for. What is followed continues without being followed. */
export async function followUntil(
  isAtRest: () => Promise<boolean>,
  { timeoutMs = Number.POSITIVE_INFINITY, everyMs = 250, failure, pulse }: Following,
): Promise<FollowEnd> {
  const interrupted = interruptSignal();
  let failed: Error | undefined;
  void failure?.then((error) => {
    failed = error;
  });
  const until = performance.now() + timeoutMs;
  let pulseAt = performance.now() + PULSE_EVERY_MS;
  for (;;) {
    if (await isAtRest()) return 'at-rest';
    if (failed !== undefined) throw stackGone(failed);
    if (performance.now() >= pulseAt) {
      await pulse?.().catch((error: unknown) => {
        throw error instanceof Problem ? error : stackGone(error);
      });
      pulseAt = performance.now() + PULSE_EVERY_MS;
    }
    if (performance.now() >= until) return 'time-out';
    await timer(everyMs, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) return 'interrupted';
  }
}

function stackGone(cause: unknown): Problem {
  return new Problem('unreachable', 'temporal-unreachable', 'Temporal no longer answers.', {
    hint: 'Nothing is lost: run the same command again to follow it.',
    cause,
  });
}
