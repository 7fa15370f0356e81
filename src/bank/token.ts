import { z } from 'zod';
import type { BankCondition } from '../domain/submission.ts';
import { asksAgain, readEnvelope, readJson, retryAfterMs } from './answers.ts';
import { orAborted, withDeadline } from './deadline.ts';
import { AuthenticationError, type BankErrorDetails, conditionOfCode, NotSentError } from './errors.ts';
import type { HttpAnswer, HttpFailure, HttpRequest, Transport } from './transport.ts';

/** The bank's token. Not by an OAuth package: `/v1/auth` is no OAuth grant. */

/** Settings for the parts of `/v1/auth` that the interface does not show (section 5). */
export interface AuthOptions {
  /** `POST` (default): the filled template is the JSON body. `GET`: no body, its members are sent as headers. */
  method?: 'POST' | 'GET';
  /** JSON object with `{key}` and `{secret}`; default `{"api_key":"{key}","api_secret":"{secret}"}`. */
  body?: string;
  /** Member of the answer's data, or of its top level, that holds the token; default: `access_token`, then `token`. */
  tokenField?: string;
  /** Word before the token in the Authorization header, e.g. `Bearer`; default none. */
  prefix?: string;
}

interface Token {
  /** Value of the Authorization header. Never logged. */
  readonly authorization: string;
  /** True from the token's refresh point on, and in its last minute. */
  isNearEnd(): boolean;
  /** The bank has refused it before, and `/v1/auth` answered it again. */
  readonly isRepeated?: boolean;
}

export interface TokenSource {
  /** The current token, or a new one from its refresh point on. All waiters share one request. */
  get(signal: AbortSignal): Promise<Token>;
  /** Drops this token if it is still the current one, so that many refusals of one token cost one refresh. */
  invalidate(token: Token): void;
  invalidateCurrent(): void;
}

const AUTH_PATH = '/v1/auth';
const DEFAULT_BODY = '{"api_key":"{key}","api_secret":"{secret}"}';
/** Life of a token without a usable `expired_in`: short, as a needless refresh costs only one call. */
const DEFAULT_LIFE_MS = 300_000;
const REFRESH_AT = 0.8;
const LAST_MINUTE_MS = 60_000;
/** Conditions that say nothing about the key. */
const TRANSIENT: ReadonlySet<BankCondition> = new Set(['internal-error', 'in-progress']);

/** For the message of a refusal: `src/domain/causes.ts` knows it by this. */
export const TOKEN_REPEATED = '/v1/auth answers again the token that the bank has refused';

interface HeldToken extends Token {
  refreshAt: number;
}

interface TokenSourceOptions extends AuthOptions {
  apiKey: string;
  apiSecret: string;
  transport: Transport;
  /** Monotonic milliseconds. */
  clock: () => number;
  /** Total limit of one token request, milliseconds. */
  limitMs: number;
  /** Path of the base URL, prefixed to every route. */
  basePath: string;
}

export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { clock } = options;
  const request = tokenRequest(options);
  let current: HeldToken | undefined;
  let flight: Promise<HeldToken> | undefined;
  /** The token that was refused last. It is used all the same if it is answered again: the refusal may have been about the call. */
  let suspected: string | undefined;

  function refreshOnce(): Promise<HeldToken> {
    flight ??= requestToken(options, request)
      .then((token) => {
        current = { ...token, isRepeated: token.authorization === suspected };
        return current;
      })
      .finally(() => {
        flight = undefined;
      });
    return flight;
  }

  return {
    async get(signal) {
      if (current !== undefined && clock() < current.refreshAt) return current;
      const refreshed = refreshOnce();
      refreshed.catch(() => {}); // every waiter may have left
      return orAborted(refreshed, signal);
    },
    invalidate(token) {
      suspected = token.authorization;
      if (current === token) current = undefined;
    },
    invalidateCurrent() {
      current = undefined;
    },
  };
}

type TokenRequest = Omit<HttpRequest, 'signal'>;

function tokenRequest(options: TokenSourceOptions): TokenRequest {
  const { method = 'POST', body = DEFAULT_BODY, apiKey, apiSecret } = options;
  const credentials = fillTemplate(body, apiKey, apiSecret);
  const fresh = { 'content-type': 'application/json', 'cache-control': 'no-cache' };
  const headers = { ...fresh, ...(method === 'GET' ? credentials : {}) };
  const target = options.basePath + AUTH_PATH;
  return { method, target, headers, body: method === 'POST' ? JSON.stringify(credentials) : undefined };
}

async function requestToken(
  options: TokenSourceOptions,
  request: TokenRequest,
): Promise<Omit<HeldToken, 'isRepeated'>> {
  const { transport, clock, limitMs, prefix } = options;
  const operation = `${request.method} ${AUTH_PATH}`;
  // Count the life from before the request: the bank's count starts later.
  const askedAt = clock();
  const exchange = withDeadline(limitMs, undefined, (signal) => transport.exchange({ ...request, signal }));
  const answer = await exchange.catch((error: HttpFailure) => {
    // Whether or not the token request left, the call that needs the token has not.
    throw new NotSentError(`${operation}: ${error.message}`, { outcome: 'not-sent', retryable: true, operation });
  });
  const { token, lifeMs } = readToken(answer, operation, options.tokenField);
  const refreshAt = askedAt + lifeMs * REFRESH_AT;
  const nearEndAt = Math.min(refreshAt, askedAt + lifeMs - LAST_MINUTE_MS);
  const authorization = prefix ? `${prefix.trim()} ${token}` : token;
  return { authorization, refreshAt, isNearEnd: () => clock() >= nearEndAt };
}

/** The template's members with key and secret filled in; values are JSON-escaped, so that none can break out of the template. */
function fillTemplate(template: string, key: string, secret: string): Record<string, string> {
  const values: Record<string, string> = { key, secret };
  const escaped = template.replace(/\{(key|secret)\}/g, (_match, name: string) =>
    JSON.stringify(values[name]).slice(1, -1),
  );
  try {
    return JSON.parse(escaped);
  } catch {
    throw new TypeError('the body of the token request is not a JSON template'); // no cause: it would quote the secret
  }
}

function readToken(answer: HttpAnswer, operation: string, tokenField?: string): { token: string; lifeMs: number } {
  const json = readJson(answer.body);
  const code = readEnvelope(answer.body)?.code;
  const { status } = answer;
  const details = {
    outcome: 'not-sent',
    operation,
    code,
    httpStatus: status,
    retryAfterMs: retryAfterMs(answer.headers),
  } as const;
  if (refusesKey(status, code)) throw refused(`refused the key (HTTP ${status}, code ${code ?? 'none'})`, details);
  if (status >= 300 || !isObject(json) || (code ?? 0) !== 0) {
    const retryable = code !== undefined || asksAgain(status);
    throw new NotSentError(`${operation} gave no token (HTTP ${status})`, { ...details, retryable });
  }
  const places = [json.data, json].filter(isObject);
  const names = tokenField === undefined ? ['access_token', 'token'] : [tokenField];
  const token = names
    .flatMap((name) => places.map((place) => place[name]))
    .find((value) => typeof value === 'string' && value !== '');
  if (typeof token !== 'string') throw refused('answered without a token in the expected member', details);
  if (!/^[\x20-\x7e]+$/.test(token)) throw refused('answered a token that a header cannot carry', details);
  return { token, lifeMs: lifeOf(places) };
}

function refusesKey(status: number, code: number | undefined): boolean {
  if (status === 401 || status === 403) return true;
  if (status >= 400 && asksAgain(status)) return false; // a rate limit is about us, not about the key
  return code !== undefined && code !== 0 && !TRANSIENT.has(conditionOfCode(code));
}

function refused(what: string, details: Omit<BankErrorDetails, 'retryable'>): AuthenticationError {
  return new AuthenticationError(`${details.operation} ${what}`, { ...details, retryable: false });
}

const tokenLife = z.object({ expired_in: z.coerce.number().positive().optional() });

/** Token life in milliseconds from `expired_in` (seconds, interface section 5). */
function lifeOf(places: Record<string, unknown>[]): number {
  for (const place of places) {
    const { data } = tokenLife.safeParse(place);
    if (data?.expired_in !== undefined) return data.expired_in * 1000;
  }
  return DEFAULT_LIFE_MS;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
