import { AuthenticationError, BankError } from '../../bank/errors.ts';
import { Problem } from '../../domain/problem.ts';
import { temporalProblem } from './temporal-problem.ts';

/** Any error as a `Problem` for people, the same in every channel. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const cause = { cause: error };
  if (error instanceof AuthenticationError) {
    const hint = 'Check PAYOUTS_API_KEY, PAYOUTS_API_SECRET and the PAYOUTS_AUTH_* keys.';
    return new Problem('bank-authentication', 'authentication-refused', 'The bank refused the API key.', {
      hint,
      ...cause,
    });
  }
  if (error instanceof BankError) {
    if (error.condition !== undefined) return new Problem('refused', 'bank-refused', error.message, cause);
    if (error.tooLarge) {
      const hint = 'The bank has answered. Ask it why this answer is so large.';
      return new Problem('refused', 'bank-answer-too-large', `${error.message}.`, { hint, ...cause });
    }
    const hint = 'Check PAYOUTS_API_URL. Nothing is lost: run the same command again.';
    return new Problem('unreachable', 'bank-unreachable', error.message, { hint, ...cause });
  }
  const known = temporalProblem(error) ?? fileProblem(error);
  if (known !== undefined) return known;
  const message = error instanceof Error ? error.message : String(error);
  return new Problem('internal', 'internal', message, { hint: 'PAYOUTS_LOG_LEVEL=debug shows more.', ...cause });
}

/** Errors caused by a path, its owner or its disk, not by our code. https://nodejs.org/api/errors.html#common-system-errors */
const CODES: readonly unknown[] = [
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENAMETOOLONG', 'ELOOP', 'ENOSPC', 'EDQUOT'],
];

/** An error of the file system as a problem; undefined for other errors. */
function fileProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  if (path === undefined || !CODES.includes(code)) return undefined;
  return new Problem('set-up', 'file-system', `${error.message}.`, {
    hint: "Check the path, its folder and their permissions. The product's own files are in PAYOUTS_HOME.",
    cause: error,
  });
}
