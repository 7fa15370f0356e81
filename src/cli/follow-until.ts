import { setTimeout as timer } from 'node:timers/promises';
import { Problem } from '../domain/problem.ts';
import { interruptSignal } from './interrupt.ts';

/** How often Temporal is checked: without it, the store would still answer, but nothing would change. */
const PULSE_EVERY_MS = 5_000;
/** So many checks in a row without success, and Temporal is gone. An embedded server that is sick is replaced well before. */
const PULSES_MAX = 24;

export type FollowEnd = 'at-rest' | 'time-out' | 'interrupted';

export interface Following {
  timeoutMs: number | undefined;
  everyMs?: number;
  pulseEveryMs?: number;
  /** Resolves if an embedded part of this process ends by itself. */
  failure?: Promise<Error>;
  /** Rejects if Temporal cannot be reached. */
  pulse?: () => Promise<unknown>;
}

/** Polls until there is nothing left to wait for. What is followed continues without being followed. */
export async function followUntil(
  isAtRest: () => Promise<boolean>,
  { timeoutMs = Number.POSITIVE_INFINITY, everyMs = 250, pulseEveryMs = PULSE_EVERY_MS, failure, pulse }: Following,
): Promise<FollowEnd> {
  const interrupted = interruptSignal();
  let failed: Error | undefined;
  void failure?.then((error) => {
    failed = error;
  });
  let [unanswered, problem]: [number, unknown] = [0, undefined];
  // Not awaited: a server that is stopped answers nothing for as long as it is.
  const beat = async (): Promise<void> => {
    unanswered += 1;
    try {
      await pulse?.();
      unanswered = 0;
    } catch (error) {
      if (error instanceof Problem) failed = error;
      problem = error;
    }
  };
  const until = performance.now() + timeoutMs;
  let pulseAt = performance.now() + pulseEveryMs;
  for (;;) {
    if (await isAtRest()) return 'at-rest';
    if (failed !== undefined) throw failed instanceof Problem ? failed : stackGone(failed);
    if (performance.now() >= pulseAt) {
      if (unanswered >= PULSES_MAX) throw stackGone(problem);
      void beat();
      pulseAt = performance.now() + pulseEveryMs;
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
