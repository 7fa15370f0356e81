import { Problem } from '../../domain/problem.ts';

/**
 * Why there is no stack: `down` none that will do is up and none may be booted, `already-up` one is up although a new one was
 * asked for, `busy` another process is booting or ending one, `copied` the home is a copy of one that is served, `port-taken`,
 * `boot-failed`, `temporal-lost` its server is sick or has ended, and cannot be replaced.
 */
type StackProblem = 'down' | 'already-up' | 'busy' | 'copied' | 'port-taken' | 'boot-failed' | 'temporal-lost';

const UNREACHABLE: ReadonlySet<StackProblem> = new Set(['boot-failed', 'temporal-lost']);

export class StackError extends Problem {
  constructor(problem: StackProblem, message: string, hint: string, cause?: unknown) {
    super(UNREACHABLE.has(problem) ? 'unreachable' : 'set-up', `stack-${problem}`, `${message}.`, { hint, cause });
  }
}
