import type { z } from 'zod';
import { type CallContext, dataOf, exchangeError } from './answers.ts';
import type { ReadOptions, SendOptions } from './bank.ts';
import { withDeadline } from './deadline.ts';
import { AuthenticationError, BankError, NotSentError } from './errors.ts';
import { type QueryValues, requestTarget } from './path.ts';
import type { Token, TokenSource } from './token.ts';
import { type HttpAnswer, HttpFailure, type HttpMethod, type Transport } from './transport.ts';

/** One endpoint and what fills it. */
export interface Route {
  /** Template of the path (interface section 4), e.g. `/v1/banking/accounts/{account_id}`. */
  path: string;
  ids?: Record<string, string>;
  query?: QueryValues;
}

export interface WriteRoute extends Route {
  method: Exclude<HttpMethod, 'GET'>;
  body?: object;
}

/** How a read and a write go out. Both fail with a `BankError` only. */
export interface Calls {
  /** GET, repeated with back-off inside the total limit while asking again makes sense. */
  read<T>(route: Route, schema: z.ZodType<T>, options?: ReadOptions): Promise<T>;
  /** POST, PUT or DELETE, sent at most once. */
  send<T>(route: WriteRoute, schema: z.ZodType<T>, options?: SendOptions): Promise<T>;
}

export interface CallsOptions {
  transport: Transport;
  tokens: TokenSource;
  basePath: string;
  /** Total time of a read with all its attempts, and of a write with its token; milliseconds. */
  limits: { readTotalMs: number; readAttemptMs: number; sendTotalMs: number };
  authBeforeExecution: boolean;
  clock: () => number;
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const BACKOFF_BASE_MS = 100;
const BACKOFF_MAX_MS = 2_000;

interface Attempt<T> {
  operation: string;
  method: HttpMethod;
  target: string;
  body: string | undefined;
  schema: z.ZodType<T>;
  beforeFirstByte: (() => void) | undefined;
}

export function createCalls(options: CallsOptions): Calls {
  const { transport, tokens, limits, clock } = options;

  async function attemptOnce<T>(attempt: Attempt<T>, signal: AbortSignal): Promise<T> {
    const { operation, method, target, body, beforeFirstByte } = attempt;
    const token = await tokenFor(operation, signal);
    const headers = { 'content-type': 'application/json', authorization: token.authorization };
    let answer: HttpAnswer;
    try {
      answer = await transport.exchange({ method, target, headers, body, beforeFirstByte, signal });
    } catch (error) {
      throw exchangeError(error as HttpFailure, operation);
    }
    const { authBeforeExecution } = options;
    const call: CallContext = {
      operation,
      write: method !== 'GET',
      tokenNearEnd: token.isNearEnd(),
      authBeforeExecution,
    };
    try {
      return dataOf(answer, attempt.schema, call);
    } catch (error) {
      if (error instanceof BankError && error.tokenSuspect) tokens.invalidate(token);
      throw error;
    }
  }

  async function tokenFor(operation: string, signal: AbortSignal): Promise<Token> {
    try {
      return await tokens.get(signal);
    } catch (error) {
      if (error instanceof BankError) throw error;
      throw exchangeError(new HttpFailure('no token in time', false), operation);
    }
  }

  function prepared<T>(
    method: HttpMethod,
    route: Route,
    schema: z.ZodType<T>,
  ): Omit<Attempt<T>, 'body' | 'beforeFirstByte'> {
    const operation = `${method} ${route.path}`;
    try {
      return {
        operation,
        method,
        target: options.basePath + requestTarget(route.path, route.ids, route.query),
        schema,
      };
    } catch (error) {
      throw new NotSentError(`${operation}: ${(error as RangeError).message}`, {
        outcome: 'not-sent',
        retryable: false,
        operation,
      });
    }
  }

  return {
    async read(route, schema, { signal } = {}) {
      const attempt = { ...prepared('GET', route, schema), body: undefined, beforeFirstByte: undefined };
      const endsAt = clock() + limits.readTotalMs;
      let tokenRepeat = true;
      for (let failures = 0; ; failures += 1) {
        const limitMs = Math.min(limits.readAttemptMs, endsAt - clock());
        try {
          return await withDeadline(limitMs, signal, (deadline) => attemptOnce(attempt, deadline));
        } catch (error) {
          if (!(error instanceof BankError)) throw error;
          if (error.tokenSuspect && tokenRepeat) {
            tokenRepeat = false; // the token was dropped; once more with a new one
            continue;
          }
          const waitMs = Math.max(backoffMs(failures), error.retryAfterMs ?? 0);
          const hopeless = !error.retryable || error instanceof AuthenticationError || signal?.aborted === true;
          if (hopeless || clock() + waitMs >= endsAt) throw error;
          await options.sleep(waitMs, signal).catch(() => {
            throw error;
          });
        }
      }
    },

    async send(route, schema, { signal, beforeFirstByte } = {}) {
      const body = route.body === undefined ? undefined : JSON.stringify(route.body);
      const attempt = { ...prepared(route.method, route, schema), body, beforeFirstByte };
      return withDeadline(limits.sendTotalMs, signal, (deadline) => attemptOnce(attempt, deadline));
    },
  };
}

/** Full jitter: many readers that failed together do not come back together. */
function backoffMs(failures: number): number {
  return Math.random() * Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** failures);
}
