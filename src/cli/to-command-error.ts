import { ServiceError } from '@temporalio/client';
import { AuthenticationError, BankError } from '../api/errors.ts';
import { ConfigError } from '../config/config-error.ts';
import { StoreIdentityError } from '../store/errors.ts';
import { CommandError, EXIT } from './exit.ts';

/** Every error as the end of a command: exit code, what happened, what to do. */
export function toCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof ConfigError) {
    return new CommandError(EXIT.usage, 'configuration', error.message, { cause: error });
  }
  if (error instanceof StoreIdentityError) {
    return new CommandError(EXIT.usage, 'wrong-store', error.message, {
      hint: 'Use another PAYOUTS_HOME for another bank or namespace.',
      cause: error,
    });
  }
  if (error instanceof AuthenticationError) {
    return new CommandError(EXIT.authentication, 'authentication-refused', 'The bank refused the API key.', {
      hint: 'Check PAYOUTS_API_KEY, PAYOUTS_API_SECRET and the PAYOUTS_AUTH_* keys.',
      cause: error,
    });
  }
  if (error instanceof BankError && error.code === undefined) {
    return new CommandError(EXIT.unreachable, 'bank-unreachable', error.message, {
      hint: 'Check PAYOUTS_API_URL. Nothing is lost: run the same command again.',
      cause: error,
    });
  }
  if (error instanceof BankError) {
    return new CommandError(EXIT.exceptions, 'bank-refused', error.message, { cause: error });
  }
  if (error instanceof ServiceError || isConnectionError(error)) {
    return new CommandError(EXIT.unreachable, 'temporal-unreachable', 'Temporal does not answer.', {
      hint: 'Check TEMPORAL_ADDRESS. Nothing is lost: run the same command again.',
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CommandError(EXIT.internal, 'internal', message, {
    hint: 'PAYOUTS_LOG_LEVEL=debug shows more.',
    cause: error,
  });
}

function isConnectionError(error: unknown): boolean {
  return (
    error instanceof Error && /failed to connect before the deadline|ECONNREFUSED|UNAVAILABLE/i.test(error.message)
  );
}
