import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { AuthenticationError, BankError } from '../api/errors.ts';
import { FAILURES, type FailureType } from '../domain/failures.ts';

/** The only place that makes Temporal failures. Messages hold codes and operations, never values or the bank's text. */

/** A failure that no retry mends. */
export function permanentFailure(type: FailureType, message: string, ...details: unknown[]): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true, details });
}

/** "Not there yet": the server retries after `inMs`; logged as benign. */
export function notYet(message: string, inMs: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type: FAILURES.notYet,
    message,
    nonRetryable: false,
    nextRetryDelay: inMs,
    category: ApplicationFailureCategory.BENIGN,
  });
  // A poll is no error: its stack would only fill the server's record of the last failure.
  failure.stack = '';
  return failure;
}

/** A failed read of the bank as a Temporal failure: retried when asking again makes sense. */
export function readFailure(error: unknown): unknown {
  if (!(error instanceof BankError)) return error;
  if (error instanceof AuthenticationError) {
    // The key may be put right by an operator while payouts wait: retried, slowly, by the activity's own policy.
    return ApplicationFailure.create({ type: FAILURES.authentication, message: error.message, nonRetryable: false });
  }
  if (error.retryable || error.code === undefined) {
    return ApplicationFailure.create({
      type: FAILURES.bankUnavailable,
      message: error.message,
      nonRetryable: false,
      nextRetryDelay: error.retryAfterMs,
    });
  }
  return permanentFailure(FAILURES.bankRefused, error.message, error.code);
}

/** Runs bank reads and translates their failures. */
export async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw readFailure(error);
  }
}
