import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { AuthenticationError, BankError } from '../api/errors.ts';
import { Superseded, WrongWorld } from '../domain/claim.ts';
import { FAILURES, type FailureType } from '../domain/failures.ts';

/** The only place that makes Temporal failures. Messages hold codes and operations, never values or the bank's text. */

/** A failure that no retry mends. */
export function permanentFailure(type: FailureType, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}

/** Every activity, with what it throws as the failure that its workflow can tell apart. */
export function toFailures<Activities extends Record<string, (...args: never[]) => Promise<unknown>>>(
  activities: Activities,
): Activities {
  const entries = Object.entries(activities).map(([name, run]) => [
    name,
    (...args: never[]) =>
      run(...args).catch((error: unknown) => {
        throw claimFailure(error);
      }),
  ]);
  return Object.fromEntries(entries) as Activities;
}

/** The next try may come to another worker at once; pauses that grow would only help one that is alone. */
const ANOTHER_WORKER_MS = 2_000;

/** Another worker may have the right store; a claim that was lost is taken anew by the workflow, not by a retry. */
function claimFailure(error: unknown): unknown {
  if (error instanceof Superseded) return permanentFailure(FAILURES.superseded, error.message);
  if (!(error instanceof WrongWorld)) return error;
  return ApplicationFailure.create({
    type: FAILURES.wrongStore,
    message: error.message,
    nonRetryable: false,
    nextRetryDelay: ANOTHER_WORKER_MS,
  });
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
