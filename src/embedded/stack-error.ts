/**
 * Why there is no stack to work with: `down` none is up and none may be booted, `already-up` one is up where a new one
 * was asked for, `busy` another process is booting or ending one, `port-taken`, `boot-failed`.
 */
export type StackProblem = 'down' | 'already-up' | 'busy' | 'port-taken' | 'boot-failed';

export class StackError extends Error {
  override readonly name = 'StackError';
  readonly problem: StackProblem;
  readonly hint: string;

  constructor(problem: StackProblem, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.problem = problem;
    this.hint = hint;
  }
}
