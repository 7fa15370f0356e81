import type { BankCondition } from '../domain/submission.ts';
import { doublingPause } from '../domain/time.ts';
import { type CallContext, exchangeError, type Judge } from './answers.ts';
import type { Admission } from './call-budget.ts';
import type { ReadOptions, SendOptions } from './call-options.ts';
import { withDeadline } from './deadline.ts';
import { AuthenticationError, BankError, type KnownOutcome, NotSentError, UnknownOutcomeError } from './errors.ts';
import { type QueryValues, requestTarget } from './path.ts';
import { TOKEN_REPEATED, type TokenSource } from './token.ts';
import { HttpFailure, type HttpMethod, type Transport } from './transport.ts';

/** An endpoint and its parameters. */
interface Route {
  /** Path template (interface section 4), e.g. `/v1/banking/accounts/{account_id}`. */
  path: string;
  ids?: Record<string, string>;
  query?: QueryValues;
}

interface WriteRoute extends Route {
  method: Exclude<HttpMethod, 'GET'>;
  body?: object;
}

/** Makes reads and writes; both fail only with a `BankError`. */
export interface Calls {
  /** GET, retried with back-off within the total limit while that makes sense. */
  read<T>(route: Route, judge: Judge<T>, options?: ReadOptions): Promise<T>;
  /** POST, PUT or DELETE, sent at most once. */
  send<T>(route: WriteRoute, judge: Judge<T>, options?: SendOptions): Promise<T>;
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
  /**
   * Called at the start of every attempt with its operation (`GET /v1/banking/accounts/{account_id}`: method and route template);
   * must not throw.
   */
  onCall?: ((operation: string) => CallObserver | undefined) | undefined;
  /** Admits each attempt before it connects; absent: at once. */
  admission?: Admission | undefined;
}

type CallResult = 'ok' | 'authentication' | KnownOutcome;

/** Observer of one attempt of a call; never sees its values. */
export interface CallObserver {
  /** Added to the request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Called when the attempt is judged; `ms` includes obtaining a token, `status` is the HTTP status of the answer, if there was
   * one. Must not throw.
   */
  ended(result: CallResult, ms: number, status?: number): void;
}

/** A send is already recorded, and its sender allows itself 5 s to its first byte. */
const SEND_WAIT_MS = 3_000;
const BACKOFF_BASE_MS = 100;
const BACKOFF_MAX_MS = 2_000;

interface Attempt<T> {
  operation: string;
  method: HttpMethod;
  target: string;
  body?: string | undefined;
  judge: Judge<T>;
  goesFirst?: boolean | undefined;
  beforeFirstByte?: (() => void) | undefined;
  headers?: CallObserver['headers'];
}

export function createCalls(options: CallsOptions): Calls {
  const { limits, basePath } = options;
  return {
    async read(route, judge, { signal, goesFirst } = {}) {
      const attempt = { ...prepared('GET', basePath, route), judge, goesFirst };
      return readRepeatedly(options, signal, (deadline) => attemptOnce(options, attempt, deadline));
    },

    async send(route, judge, { signal, beforeFirstByte } = {}) {
      const body = route.body === undefined ? undefined : JSON.stringify(route.body);
      const attempt = { ...prepared(route.method, basePath, route), judge, body, beforeFirstByte };
      return withDeadline(limits.sendTotalMs, signal, (deadline) => attemptOnce(options, attempt, deadline));
    },
  };
}

/** An id that no call can name is one that the bank does not show. */
const NOT_THERE: Readonly<Record<string, BankCondition>> = {
  account_id: 'account-not-found',
  beneficiary_id: 'beneficiary-not-found',
  order_id: 'order-not-found',
};

/** Fills the route; an id that cannot be a path segment sends nothing, and no repetition would. */
function prepared(
  method: HttpMethod,
  basePath: string,
  route: Route,
): Pick<Attempt<never>, 'operation' | 'method' | 'target'> {
  const operation = `${method} ${route.path}`;
  try {
    return { operation, method, target: basePath + requestTarget(route.path, route.ids, route.query) };
  } catch (error) {
    const message = `${operation}: ${(error as RangeError).message}`;
    const condition = Object.keys(route.ids ?? {}).flatMap((name) => NOT_THERE[name] ?? [])[0];
    throw new NotSentError(message, { outcome: 'not-sent', retryable: false, operation, condition });
  }
}

async function attemptOnce<T>(options: CallsOptions, attempt: Attempt<T>, signal: AbortSignal): Promise<T> {
  const { clock, onCall, admission } = options;
  await admitted(admission, attempt, signal);
  const begunAt = clock();
  const observer = onCall?.(attempt.operation);
  let status: number | undefined;
  const judge: Judge<T> = (answer, call) => {
    status = answer.status;
    return attempt.judge(answer, call);
  };
  const observed = (result: CallResult): void => observer?.ended(result, clock() - begunAt, status);
  try {
    const answer = await exchangeOnce(options, { ...attempt, judge, headers: observer?.headers }, signal);
    admission?.ended({ isAnswered: true });
    observed('ok');
    return answer;
  } catch (error) {
    admission?.ended({ isAnswered: isAnswered(error), quietMs: quietMs(error) });
    observed(resultOf(error));
    throw error;
  }
}

/** Throws `NotSentError` for a call that is not admitted in time. */
async function admitted(
  admission: Admission | undefined,
  { method, operation, goesFirst = false }: Pick<Attempt<never>, 'method' | 'operation' | 'goesFirst'>,
  signal: AbortSignal,
): Promise<void> {
  if (admission === undefined) return;
  const isSend = method !== 'GET';
  const until = isSend ? AbortSignal.any([signal, AbortSignal.timeout(SEND_WAIT_MS)]) : signal;
  try {
    await admission.admit({ goesFirst: isSend || goesFirst, signal: until });
  } catch (cause) {
    const message = `${operation}: the limit of calls left no room in time`;
    throw new NotSentError(message, { outcome: 'not-sent', retryable: true, operation, cause });
  }
}

/**
 * Whether the bank judged the call. A gateway in front of it that is overloaded, or cannot reach it, has not; nor has a page of its
 * maintenance, under whatever status.
 */
function isAnswered(error: unknown): boolean {
  if (!(error instanceof BankError) || error instanceof UnknownOutcomeError || error.httpStatus === undefined)
    return false;
  return error.httpStatus < 500 && error.httpStatus !== HTTP_TOO_MANY;
}

const HTTP_TOO_MANY = 429;

/** A 429 concerns the caller, not the call: it holds for every call of this process. */
const quietMs = (error: unknown): number | undefined =>
  error instanceof BankError && error.httpStatus === HTTP_TOO_MANY ? error.retryAfterMs : undefined;

function resultOf(error: unknown): CallResult {
  if (error instanceof AuthenticationError) return 'authentication';
  return error instanceof BankError ? error.outcome : 'ambiguous';
}

/** Obtains a token, makes one exchange and judges it. Drops a suspect token before throwing. */
async function exchangeOnce<T>(options: CallsOptions, attempt: Attempt<T>, signal: AbortSignal): Promise<T> {
  const { operation, judge, ...request } = attempt;
  const token = await options.tokens.get(signal).catch((error: unknown) => {
    throw error instanceof BankError ? error : exchangeError(new HttpFailure('no token in time', false), operation);
  });
  const own = { 'content-type': 'application/json', authorization: token.authorization };
  // What a cache keeps of a list says nothing about what it lacks now.
  const fresh: Record<string, string> = request.method === 'GET' ? { 'cache-control': 'no-cache' } : {};
  const headers = { ...request.headers, ...own, ...fresh };
  const answer = await options.transport.exchange({ ...request, headers, signal }).catch((error: unknown) => {
    throw exchangeError(error as HttpFailure, operation);
  });
  const call: CallContext = {
    operation,
    write: request.method !== 'GET',
    tokenNearEnd: token.isNearEnd(),
    authBeforeExecution: options.authBeforeExecution,
  };
  try {
    return judge(answer, call);
  } catch (error) {
    if (error instanceof BankError && error.tokenSuspect) {
      options.tokens.invalidate(token);
      if (token.isRepeated === true) error.message += `; ${TOKEN_REPEATED}`;
    }
    throw error;
  }
}

async function readRepeatedly<T>(
  { limits, clock, sleep }: CallsOptions,
  signal: AbortSignal | undefined,
  attempt: (deadline: AbortSignal) => Promise<T>,
): Promise<T> {
  const endsAt = clock() + limits.readTotalMs;
  let tokenRepeat = true;
  for (let failures = 0; ; failures += 1) {
    const limitMs = Math.min(limits.readAttemptMs, endsAt - clock());
    try {
      return await withDeadline(limitMs, signal, attempt);
    } catch (error) {
      if (!(error instanceof BankError)) throw error;
      if (error.tokenSuspect && tokenRepeat) {
        tokenRepeat = false; // the token was dropped; once more with a new one
        continue;
      }
      const waitMs = Math.max(backoffMs(failures), error.retryAfterMs ?? 0);
      const hopeless = !error.retryable || error instanceof AuthenticationError || signal?.aborted === true;
      if (hopeless || clock() + waitMs >= endsAt) throw error;
      await sleep(waitMs, signal).catch(() => {
        throw error;
      });
    }
  }
}

/** Full jitter: readers that failed together do not retry together. */
function backoffMs(failures: number): number {
  return Math.random() * doublingPause(failures, BACKOFF_BASE_MS, BACKOFF_MAX_MS);
}
