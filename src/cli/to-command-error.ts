import { ServiceError } from '@temporalio/client';
import { AuthenticationError, BankError } from '../api/errors.ts';
import { ConfigError } from '../config/config-error.ts';
import { StackError } from '../embedded/stack-error.ts';
import { ContextFileError } from '../formats/messages/context-file-error.ts';
import { IntakeRefusal, type RefusalKind } from '../intake/intake-refusal.ts';
import { StoreFileError, StoreIdentityError } from '../store/errors.ts';
import { TemporalUnreachableError } from '../temporal/connection.ts';
import { NamespaceTakenError } from '../temporal/namespace-claim.ts';
import { CommandError, EXIT, type ExitCode } from './exit.ts';

const EXIT_OF_REFUSAL: Readonly<Record<RefusalKind, ExitCode>> = {
  unreadable: EXIT.usage,
  'maker-unknown': EXIT.usage,
  invalid: EXIT.invalidInput,
  'other-plan': EXIT.invalidInput,
  'already-taken': EXIT.alreadyTaken,
};

/** Every error as the end of a command: exit code, what happened, what to do. */
export function toCommandError(error: unknown, reports?: Readonly<Record<string, string>>): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof IntakeRefusal) {
    const { code, message, hint, batchId, findings } = error;
    const more = { hint, batchId, findings, reports, cause: error };
    return new CommandError(EXIT_OF_REFUSAL[error.kind], code, message, more);
  }
  if (error instanceof ContextFileError) {
    return new CommandError(EXIT.usage, 'context-file', `${error.message}.`, { hint: error.hint, cause: error });
  }
  if (error instanceof ConfigError) {
    return new CommandError(EXIT.usage, 'configuration', error.message, { hint: error.hint, cause: error });
  }
  if (error instanceof StoreIdentityError) {
    const hint = 'Use another PAYOUTS_HOME for another bank, key or Temporal.';
    return new CommandError(EXIT.usage, 'wrong-store', error.message, { hint, cause: error });
  }
  if (error instanceof NamespaceTakenError) {
    return new CommandError(EXIT.usage, 'namespace-taken', error.message, { cause: error });
  }
  if (error instanceof StoreFileError) {
    return new CommandError(EXIT.usage, error.problem, `${error.message}.`, { hint: error.hint, cause: error });
  }
  if (error instanceof StackError) {
    const { cause } = error;
    if (cause instanceof StoreIdentityError || cause instanceof NamespaceTakenError) return toCommandError(cause);
    const exit = error.problem === 'boot-failed' ? EXIT.unreachable : EXIT.usage;
    return new CommandError(exit, `stack-${error.problem}`, `${error.message}.`, { hint: error.hint, cause: error });
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
  if (error instanceof TemporalUnreachableError || error instanceof ServiceError) {
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
