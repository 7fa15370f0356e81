import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { AuthenticationError, BankError } from '../api/errors.ts';
import { StoreMismatch, Superseded } from '../domain/claim.ts';
import { FAILURES, type FailureType, Misuse } from '../domain/failures.ts';

/** The only place that makes Temporal failures. Messages hold codes and operations, never values or text from the bank. */

/** Wraps every activity so that it throws the failure by which its workflow can tell errors apart. */
export function toFailures<Activities extends Record<string, (...args: never[]) => Promise<unknown>>>(
  activities: Activities,
): Activities {
  const entries = Object.entries(activities).map(([name, run]) => [
    name,
    (...args: never[]) =>
      run(...args).catch((error: unknown) => {
        throw failureOf(error);
      }),
  ]);
  return Object.fromEntries(entries) as Activities;
}

/** The next try may reach the right worker at once; growing pauses help only if there is one worker. */
const ANOTHER_WORKER_MS = 2_000;

/**
 * A lost claim is taken again by the workflow, not by a retry. A failed read of the bank is always retried, whatever the code:
 * its error says nothing about money, so it never ends a payout. (Refusals that matter before a send are obstacles.)
 */
function failureOf(error: unknown): unknown {
  if (error instanceof Superseded) {
    // Expected whenever another run took the claim, so logged as benign.
    const { message } = error;
    const category = ApplicationFailureCategory.BENIGN;
    return ApplicationFailure.create({ type: FAILURES.superseded, message, nonRetryable: true, category });
  }
  if (error instanceof Misuse) return permanent(error.type, error);
  if (error instanceof StoreMismatch) return retried(FAILURES.wrongStore, error, ANOTHER_WORKER_MS);
  if (error instanceof AuthenticationError) return retried(FAILURES.authentication, error, error.retryAfterMs);
  if (error instanceof BankError) return retried(FAILURES.bankUnavailable, error, error.retryAfterMs);
  return error;
}

const permanent = (type: FailureType, { message }: Error): ApplicationFailure =>
  ApplicationFailure.create({ type, message, nonRetryable: true });

const retried = (type: FailureType, { message }: Error, nextRetryDelay: number | undefined): ApplicationFailure =>
  ApplicationFailure.create({ type, message, nonRetryable: false, nextRetryDelay });

/** "Not ready yet": the server retries after `inMs`; logged as benign. */
export function notYet(message: string, inMs: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type: FAILURES.notYet,
    message,
    nonRetryable: false,
    nextRetryDelay: inMs,
    category: ApplicationFailureCategory.BENIGN,
  });
  // A poll is not an error; its stack would only fill the server's record of the last failure.
  failure.stack = '';
  return failure;
}
