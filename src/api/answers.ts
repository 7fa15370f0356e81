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
import type { HttpAnswer, HttpFailure } from './transport.ts';

/**
 * The one place that judges what came back: an answer becomes its data or a `BankError`. Interface section 7 gives the codes and
 * leaves HTTP statuses open.
 */

export interface CallContext {
  /** Method and route template. */
  operation: string;
  /** POST, PUT or DELETE. */
  write: boolean;
  /** The token was near or past its end when the call was made: a 2002 may be about the token. */
  tokenNearEnd: boolean;
  /** Whether a 401 or 403 proves that nothing was executed. */
  authBeforeExecution: boolean;
}

/** Makes an answer what its call gives back, or throws the `BankError` it stands for. */
export type Judge<T> = (answer: HttpAnswer, call: CallContext) => T;

const RETRY_AFTER_MAX_MS = 5 * 60_000;
/** Statuses below 500 that ask to come again: time-out, too early, rate limit. */
const COME_AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);

/** Gives the data of a successful answer, read with `schema`; throws the `BankError` that any other answer stands for. */
export const dataOf =
  <T>(schema: z.ZodType<T>): Judge<T> =>
  (answer, call) =>
    openEnvelope(answer, schema, call);

/** Of a call that answers no data. */
export const noData = dataOf(z.unknown());

function openEnvelope<T>(answer: HttpAnswer, schema: z.ZodType<T>, call: CallContext): T {
  const { status } = answer;
  if (status >= 300 && status < 400)
    throw unknownOutcome(`HTTP ${status}; redirects are not followed`, false, answer, call);
  const parsed = readEnvelope(answer.body);
  const known = parsed !== undefined && isEnvelopeCode(parsed.code);
  if ((status === 401 || status === 403) && !known) throw unauthenticated(answer, call);
  if (parsed === undefined) throw unknownOutcome(`HTTP ${status} without an envelope`, asksAgain(status), answer, call);
  if (parsed.code !== 0) throw refusal(parsed.code, answer, call);
  // Envelope and status disagree; for a write the less certain of the two counts.
  if (call.write && status >= 400) throw unknownOutcome(`code 0 under HTTP ${status}`, false, answer, call);
  return payload(parsed.data, schema, answer, call);
}

/** `undefined` for a body that is no envelope: HTML, half an answer, a code that is no integer. */
export function readEnvelope(body: string | undefined): Envelope | undefined {
  const result = envelope.safeParse(readJson(body));
  return result.success ? result.data : undefined;
}

/** The body's JSON, `undefined` when it is none. */
export function readJson(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : parseJson(body);
  } catch {
    return undefined;
  }
}

/** The error of an exchange that brought no whole answer. */
export function exchangeError(failure: HttpFailure, operation: string): BankError {
  const message = `${operation}: ${failure.message}`;
  if (failure.sent) return new UnknownOutcomeError(message, { outcome: 'ambiguous', retryable: true, operation });
  return new NotSentError(message, { outcome: 'not-sent', retryable: true, operation, cause: failure.cause });
}

/**
 * Retry-After in milliseconds, at most 5 minutes. Its date form is measured against the answer's own Date header, so that
 * our clock plays no part.
 */
export function retryAfterMs(headers: HttpAnswer['headers']): number | undefined {
  const text = String(headers['retry-after'] ?? '').trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(String(headers.date ?? ''));
  return Number.isNaN(ms) || ms < 0 ? undefined : Math.min(ms, RETRY_AFTER_MAX_MS);
}

/** Whether an answer that says nothing else is worth another request. */
export const asksAgain = (status: number): boolean => status < 300 || status >= 500 || COME_AGAIN.has(status);

/** The error of an answer that says nothing about what became of the call; `what` holds no value of it. */
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
    // A gateway's 5xx can carry the body of another attempt: on a write it proves nothing.
    ...(write && status >= 500 ? { outcome: 'ambiguous' as const } : {}),
    ...(status === 429 || status === 503 ? { retryable: true } : {}),
  });
}

/** Data that breaks the schema may be half an answer: ambiguous on a write, asked again on a read. */
function payload<T>(data: unknown, schema: z.ZodType<T>, answer: HttpAnswer, call: CallContext): T {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  // Paths only: a message of the parser can quote a value.
  const paths = [...new Set(result.error.issues.map((issue) => issue.path.join('.') || 'data'))].slice(0, 5).join(', ');
  throw unknownOutcome(`code 0 with data outside the interface (${paths})`, true, answer, call);
}
