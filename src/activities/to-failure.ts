import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { AuthenticationError, BankError } from '../api/errors.ts';
import { FAILURES, type FailureType } from '../domain/failures.ts';

/** The only place that makes Temporal failures. Messages hold codes and operations, never values or the bank's text. */

/** A failure that no retry mends. */
export function permanentFailure(type: FailureType, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
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

/**
 * A failed read of the bank as a Temporal failure. Always retried, whatever the code: an error of a read says nothing
 * about money, so it never ends a payout. Refusals that mean something before a submit are obstacles (`assess.ts`).
 */
export function readFailure(error: unknown): unknown {
  if (!(error instanceof BankError)) return error;
  return ApplicationFailure.create({
    type: error instanceof AuthenticationError ? FAILURES.authentication : FAILURES.bankUnavailable,
    message: error.message,
    nonRetryable: false,
    nextRetryDelay: error.retryAfterMs,
  });
}

/** Runs bank reads and translates their failures. */
export async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw readFailure(error);
  }
}
