import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { AuthenticationError, BankError } from '../bank/errors.ts';
import { StoreMismatch, Superseded } from '../domain/claim.ts';
import { FAILURES, type FailureType, Misuse } from '../domain/failures.ts';
import type { Waits } from '../domain/policy.ts';
import { doublingPause } from '../domain/time.ts';
import { StoreUnreachableError } from '../store/store-errors.ts';

/** The only place that makes Temporal failures. Messages hold codes and operations, never values or text from the bank. */

/** Wraps every activity so that it throws the failure by which its workflow can distinguish errors. */
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
 * A lost claim is taken again by the workflow, not by a retry. A failed read of the bank is always retried, with any code:
 * its error says nothing about money, so it never ends a payout. (Refusals that matter before a send are obstacles.)
 */
function failureOf(error: unknown): unknown {
  if (error instanceof Superseded) return permanent(FAILURES.superseded, error, EXPECTED);
  if (error instanceof Misuse) return permanent(error.type, error);
  if (error instanceof StoreMismatch) return retried(FAILURES.wrongStore, error, ANOTHER_WORKER_MS);
  if (error instanceof AuthenticationError) return retried(FAILURES.authentication, error, error.retryAfterMs);
  if (error instanceof BankError) return retried(FAILURES.bankUnavailable, error, error.retryAfterMs);
  // Many fail at once where the store has no connection left: they must not come back at once.
  if (error instanceof StoreUnreachableError) return retried(STORE_UNREACHABLE, error, spread(STORE_PAUSE_MS));
  return error;
}

/** The name of the class, which Temporal would give it, too. */
const STORE_UNREACHABLE = 'StoreUnreachableError';
const STORE_PAUSE_MS = 10_000;

const spread = (mostMs: number): number => Math.round(mostMs / 10 + Math.random() * mostMs);

/** Logged as benign: a claim that another run has taken, and a poll that is not ready yet. */
const EXPECTED = ApplicationFailureCategory.BENIGN;

const permanent = (type: FailureType, { message }: Error, category?: typeof EXPECTED): ApplicationFailure =>
  ApplicationFailure.create({ type, message, nonRetryable: true, category });

const retried = (
  type: FailureType | typeof STORE_UNREACHABLE,
  { message }: { message: string },
  nextRetryDelay: number | undefined,
  category?: typeof EXPECTED,
): ApplicationFailure => ApplicationFailure.create({ type, message, nonRetryable: false, nextRetryDelay, category });

/** "Not ready yet": the server retries after a pause that doubles with each attempt. */
export function notYet(message: string, { pollMs, pollMaxMs }: Waits): ApplicationFailure {
  const pauseMs = doublingPause(activityInfo().attempt - 1, pollMs, pollMaxMs);
  const failure = retried(FAILURES.notYet, { message }, pauseMs, EXPECTED);
  // A poll is not an error; its stack would only fill the server's record of the last failure.
  failure.stack = '';
  return failure;
}
