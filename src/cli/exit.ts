import { constants } from 'node:os';
import type { Problem, ProblemKind } from '../domain/problem.ts';

/** Exit codes of `run` and `watch`; other commands use the ones that fit. Contract: docs/operations.md. */
export const EXIT = {
  completed: 0,
  internal: 1,
  usage: 2,
  invalidInput: 3,
  authentication: 4,
  exceptions: 5,
  stillOpen: 6,
  unreachable: 7,
  alreadyTaken: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const EXIT_OF: Readonly<Record<ProblemKind, ExitCode>> = {
  usage: EXIT.usage,
  'not-found': EXIT.usage,
  'wrong-method': EXIT.usage,
  conflict: EXIT.usage,
  'set-up': EXIT.usage,
  'invalid-input': EXIT.invalidInput,
  'already-taken': EXIT.alreadyTaken,
  unauthenticated: EXIT.authentication,
  forbidden: EXIT.usage,
  unsigned: EXIT.usage,
  'too-large': EXIT.usage,
  'too-slow': EXIT.usage,
  'too-many': EXIT.usage,
  incomplete: EXIT.usage,
  'unsupported-media': EXIT.usage,
  'bank-authentication': EXIT.authentication,
  refused: EXIT.exceptions,
  unreachable: EXIT.unreachable,
  interrupted: EXIT.interrupted,
  internal: EXIT.internal,
};

export const exitOf = ({ kind }: Pick<Problem, 'kind'>): ExitCode => EXIT_OF[kind];

/**
 * For a program that has started others: a signal that nobody listens to ends it by its 'exit', in which it ends them, too. Without
 * this, a terminal that is closed would leave a Temporal server behind.
 */
export function exitOnSignals(): void {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
}

const LINGER_MS = 2_000;

/**
 * For a program that has reported its end: nothing left over may keep the process alive. A worker that failed to start, say
 * because Temporal went away meanwhile, leaves its native core running, and the supervisor of the process waits for its exit.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}
