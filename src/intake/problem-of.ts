import { AuthenticationError, BankError } from '../api/errors.ts';
import { CHECK_TEMPORAL, Problem } from '../domain/problem.ts';

/** Every error as what people are told, whichever door they stand at. */
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
    const hint = 'Check PAYOUTS_API_URL. Nothing is lost: run the same command again.';
    return new Problem('unreachable', 'bank-unreachable', error.message, { hint, ...cause });
  }
  const message = error instanceof Error ? error.message : String(error);
  // Of Temporal's client; by its name, so that no door loads that package to tell of an error.
  if (error instanceof Error && error.name === 'ServiceError') {
    return new Problem('unreachable', 'temporal-unreachable', 'Temporal does not answer.', {
      hint: CHECK_TEMPORAL,
      ...cause,
    });
  }
  return new Problem('internal', 'internal', message, { hint: 'PAYOUTS_LOG_LEVEL=debug shows more.', ...cause });
}
