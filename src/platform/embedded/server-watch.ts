import { setTimeout as pause } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { GRPC } from '../temporal/grpc-status.ts';

export interface SickLimits {
  /** Milliseconds between two calls. */
  everyMs: number;
  /** A server is sick once so many calls in a row had no answer, the last one for `everyMs`. */
  unansweredMax: number;
}

export interface KeepLimits extends SickLimits {
  /** Replacements within `withinMs` after which another one would not help. */
  replacedMax: number;
  withinMs: number;
}

const NO_ANSWER = 'no answer';

/** Rejects if there is no answer within `limitMs`. */
export type Ask = (limitMs: number) => Promise<void>;

/**
 * Resolves with the reason once a server is sick, with undefined when `stopped`. Counts calls instead of time: whatever length of
 * time this process is suspended for, it has made at most one call more. An answer counts however late it comes, so that a slow
 * server on a busy machine is not sick.
 */
export async function untilSick(
  ask: Ask,
  { everyMs, unansweredMax }: SickLimits,
  stopped: AbortSignal,
): Promise<string | undefined> {
  let [unanswered, problem] = [0, NO_ANSWER];
  while (unanswered < unansweredMax) {
    unanswered += 1;
    ask(everyMs * unansweredMax).then(
      () => {
        unanswered = 0;
      },
      (error: Error) => {
        problem = error.message;
      },
    );
    try {
      await pause(everyMs, undefined, { signal: stopped });
    } catch {
      return undefined;
    }
  }
  return `${unansweredMax} calls in a row failed: ${problem}`;
}

/** Channels of a process share their connections otherwise, and with them how long one that failed is not tried again. */
export const OWN_CONNECTION = { 'grpc.use_local_subchannel_pool': 1 } as const;

/**
 * Asks a Temporal server for what it has to read from its database: the health service answers SERVING with a broken one. Over a
 * connection of its own, once, so that nothing but the server can be the reason for no answer.
 */
export async function askServer(address: string, namespace: string, limitMs: number): Promise<void> {
  const connection = Connection.lazy({ address, interceptors: [], channelArgs: OWN_CONNECTION });
  try {
    await connection.withDeadline(Date.now() + limitMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    throw isGrpcServiceError(error) ? new Error(answerOf(error), { cause: error }) : error;
  } finally {
    await connection.close();
  }
}

const answerOf = ({ code, details }: { code: number; details: string }): string =>
  code === GRPC.DEADLINE_EXCEEDED ? NO_ANSWER : details.slice(0, 200);
