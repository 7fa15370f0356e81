import { Problem } from '../../domain/problem.ts';

/** An unusable mapping file or payee directory (exit code 2). The text contains no account number and no name. */
export class ContextFileError extends Problem {
  /** @param file path as given */
  constructor(file: string, problem: string, hint: string) {
    super('set-up', 'context-file', `${file}: ${problem}.`, { hint });
  }
}
