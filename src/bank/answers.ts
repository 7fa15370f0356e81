import { z } from 'zod';
import {
  AuthenticationError,
  type BankError,
  conditionOfCode,
  envelopeError,
  NotSentError,
  UnknownOutcomeError,
} from './errors.ts';
import { parseJson } from './json.ts';
import { type Envelope, envelope, isEnvelopeCode } from './schemas/envelope.ts';
import { AnswerTooLarge, type HttpAnswer, type HttpFailure } from './transport.ts';

/**
 * The one place that judges answers: each becomes its data or a `BankError`. Interface section 7 gives the codes and leaves HTTP
 * statuses open.
 */

export interface CallContext {
  /** Method and route template. */
  operation: string;
  /** POST, PUT or DELETE. */
  write: boolean;
  /** The token was near or past its end at the time of the call, so a 2002 may be about the token. */
  tokenNearEnd: boolean;
  /** Whether a 401 or 403 proves that nothing was executed. */
  authBeforeExecution: boolean;
}

/** Turns an answer into the result of its call, or throws the corresponding `BankError`. */
export type Judge<T> = (answer: HttpAnswer, call: CallContext) => T;

const RETRY_AFTER_MAX_MS = 5 * 60_000;
/** Statuses below 500 worth a retry: time-out, too early, rate limit. */
const COME_AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);

/** Judges by envelope: returns the data of a successful answer, parsed with `schema`, or throws the corresponding `BankError`. */
export const dataOf =
  <T>(schema: z.ZodType<T>): Judge<T> =>
  (answer, call) => {
    const { status } = answer;
    if (status >= 300 && status < 400)
      throw unknownOutcome(`HTTP ${status}; redirects are not followed`, false, answer, call);
    const parsed = readEnvelope(answer.body);
    const known = parsed !== undefined && isEnvelopeCode(parsed.code);
    if ((status === 401 || status === 403) && !known) throw unauthenticated(answer, call);
    if (parsed === undefined)
      throw unknownOutcome(`HTTP ${status} without an envelope`, asksAgain(status), answer, call);
    if (parsed.code !== 0) throw refusal(parsed.code, answer, call);
    // Envelope and status disagree: for a write, assume the less certain of the two.
    if (call.write && status >= 400) throw unknownOutcome(`code 0 under HTTP ${status}`, false, answer, call);
    return payload(parsed.data, schema, answer, call);
  };

export const noData = dataOf(z.unknown());

/** `undefined` for a body that is not an envelope: HTML, a truncated answer, a code that is not an integer. */
export function readEnvelope(body: string | undefined): Envelope | undefined {
  const result = envelope.safeParse(readJson(body));
  return result.success ? result.data : undefined;
}

/** The body parsed as JSON; `undefined` if it is not JSON. */
export function readJson(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : parseJson(body);
  } catch {
    return undefined;
  }
}

/** The error of an exchange without a complete answer. */
export function exchangeError(failure: HttpFailure, operation: string): BankError {
  const message = `${operation}: ${failure.message}`;
  const tooLarge = failure instanceof AnswerTooLarge;
  const details = { retryable: !tooLarge, operation, tooLarge };
  if (failure.sent) return new UnknownOutcomeError(message, { outcome: 'ambiguous', ...details });
  return new NotSentError(message, { outcome: 'not-sent', retryable: true, operation, cause: failure.cause });
}

/**
 * Retry-After in milliseconds, at most 5 minutes. A date is compared with the answer's own Date header, so that our clock does
 * not matter.
 */
export function retryAfterMs(headers: HttpAnswer['headers']): number | undefined {
  const text = String(headers['retry-after'] ?? '').trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(String(headers.date ?? ''));
  return Number.isNaN(ms) || ms < 0 ? undefined : Math.min(ms, RETRY_AFTER_MAX_MS);
}

/** Whether an otherwise uninformative answer is worth a retry. */
export const asksAgain = (status: number): boolean => status < 300 || status >= 500 || COME_AGAIN.has(status);

/** The error of an answer that leaves the effect of the call unknown; `what` must hold no value from it. */
export function unknownOutcome(
  what: string,
  retryable: boolean,
  answer: HttpAnswer,
  call: CallContext,
): UnknownOutcomeError {
  return new UnknownOutcomeError(`${call.operation} answered ${what}`, {
    outcome: 'ambiguous',
    retryable,
    operation: call.operation,
    httpStatus: answer.status,
    retryAfterMs: retryAfterMs(answer.headers),
  });
}

/** The error of a 401 or 403 without a known code. */
export function unauthenticated(answer: HttpAnswer, call: CallContext): AuthenticationError {
  return new AuthenticationError(`${call.operation} answered HTTP ${answer.status}`, {
    outcome: call.authBeforeExecution ? 'not-sent' : 'ambiguous',
    retryable: true,
    operation: call.operation,
    httpStatus: answer.status,
    tokenSuspect: true,
  });
}

/** The error of an envelope whose code is not 0. */
export function refusal(code: number, answer: HttpAnswer, { operation, write, tokenNearEnd }: CallContext): BankError {
  const { status, headers } = answer;
  const refusesToken = status === 401 || status === 403;
  return envelopeError(code, {
    operation,
    httpStatus: status,
    retryAfterMs: retryAfterMs(headers),
    tokenSuspect: conditionOfCode(code) === 'bad-request' && (tokenNearEnd || refusesToken),
    // A gateway's 5xx may carry the body of another attempt: for a write it proves nothing.
    ...(write && status >= 500 ? { outcome: 'ambiguous' as const } : {}),
    ...(status === 429 || status === 503 ? { retryable: true } : {}),
  });
}

/** Data that violates the schema may be a truncated answer: ambiguous for a write, retried for a read. */
function payload<T>(data: unknown, schema: z.ZodType<T>, answer: HttpAnswer, call: CallContext): T {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  // Paths only: the parser's messages may quote values.
  const paths = [...new Set(result.error.issues.map((issue) => issue.path.join('.') || 'data'))].slice(0, 5).join(', ');
  throw unknownOutcome(`code 0 with data outside the interface (${paths})`, true, answer, call);
}
