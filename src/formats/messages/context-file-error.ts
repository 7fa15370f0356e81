import { Problem } from '../../domain/problem.ts';

/** A mapping file or payee directory that cannot be used (exit code 2). The text holds no account number and no name. */
export class ContextFileError extends Problem {
  /** `file`: path as given. */
  constructor(file: string, problem: string, hint: string) {
    super('set-up', 'context-file', `${file}: ${problem}.`, { hint });
  }
}
