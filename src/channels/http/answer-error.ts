import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { hasCode } from '../../domain/failures.ts';
import { Problem, type ProblemKind } from '../../domain/problem.ts';
import { problemOf } from '../../files/intake/problem-of.ts';
import { type errorDocument, PROBLEM_TYPE } from './documents.ts';
import { overHttp, type Words, wordsFor } from './words.ts';

/** By kind: the HTTP status, and a title that says the same of every problem with this code. */
const STATUS_OF: Readonly<Record<ProblemKind, readonly [status: number, title: string]>> = {
  usage: [400, 'The request cannot be used'],
  'not-found': [404, 'Not found'],
  'wrong-method': [405, 'Method not allowed'],
  conflict: [409, 'Not possible in its present state'],
  'set-up': [500, 'Internal error'],
  'invalid-input': [422, 'The input is not accepted'],
  'already-taken': [409, 'Already taken'],
  unauthenticated: [401, 'Not authenticated'],
  forbidden: [403, 'Not allowed'],
  unsigned: [401, 'Not signed'],
  'too-large': [413, 'Too large'],
  'too-slow': [408, 'Too slow'],
  'too-many': [429, 'Too many requests'],
  incomplete: [400, 'Incomplete request'],
  'unsupported-media': [415, 'Unsupported media type'],
  'bank-authentication': [503, 'The bank is not available'],
  refused: [502, 'Refused by the bank'],
  unreachable: [503, 'A part is not available'],
  interrupted: [503, 'Interrupted'],
  internal: [500, 'Internal error'],
};

/** The rest of the body is not awaited: the connection is closed with the answer. */
const UNREAD: ReadonlySet<ProblemKind> = new Set(['too-large', 'too-slow', 'incomplete']);

/** Of which request an error is, and in whose words its hint is said. */
export interface AboutRequest {
  requestId: string;
  words: Words;
}

const OF_NO_REQUEST = (): AboutRequest => ({ requestId: randomUUID(), words: overHttp });

/** The answer for an error. The message of an internal error goes only to the log: it may contain more than a caller may know. */
export function answerOf(
  error: unknown,
  about: AboutRequest = OF_NO_REQUEST(),
): { status: number; headers: Readonly<Record<string, string>>; document: ProblemDocument } {
  if (isRefusedByServer(error)) {
    const [code, says] = OF_STATUS[error.statusCode] ?? ['bad-request', 'The server cannot process this request.'];
    const refusal = new Problem('usage', code, says, {
      hint: 'GET /openapi.json lists the routes, and what they take.',
    });
    const document = documentOf(refusal, { ...about, status: error.statusCode });
    return { status: error.statusCode, headers: { 'content-type': PROBLEM_TYPE }, document };
  }
  const problem = problemOf(error);
  const [status] = STATUS_OF[problem.kind];
  const headers = { 'content-type': PROBLEM_TYPE, ...headersOf(problem) };
  return { status, headers, document: documentOf(status === 500 ? veiled(problem) : problem, { ...about, status }) };
}

export type ProblemDocument = z.output<typeof errorDocument>;

/** As RFC 9457 has it, with the members of the error document of every channel. No path of this machine is in it. */
function documentOf(
  { kind, code, message, hint: given, batchId, findings }: Problem,
  { status, requestId, words }: AboutRequest & { status: number },
): ProblemDocument {
  const ours = words(given);
  const hint = words === overHttp && SETTING.test(ours) ? (status === 503 ? AGAIN : FOR_OPERATORS) : ours;
  const ofBatch = batchId === undefined ? {} : { batchId };
  return {
    type: `urn:durable-payouts:problem:${code}`,
    title: STATUS_OF[kind][1],
    status,
    detail: message,
    instance: `urn:uuid:${requestId}`,
    code,
    hint,
    ...ofBatch,
    requestId,
    schemaVersion: 1,
    error: { code, message, hint, ...ofBatch },
    findings: findings.map((finding) => ({ ...finding, message: words(finding.message) })),
  };
}

/** A setting of the gateway, which its callers cannot change. */
const SETTING = /\b(?:PAYOUTS|TEMPORAL)_[A-Z]/;
const FOR_OPERATORS = 'Who runs the gateway can change that.';
const AGAIN = 'Nothing is lost: send the same request again. The log of the gateway has the cause.';

/** The same for an error in a request, which may be that the client has gone away: nothing for the log. */
export const answerTo = (
  request: FastifyRequest,
  error: unknown,
  about: AboutRequest = aboutRequest(request),
): ReturnType<typeof answerOf> => {
  const { raw } = request;
  const isGone = raw.errored === error || (raw.socket.destroyed && isCutOff(error));
  return answerOf(isGone ? incomplete() : error, about);
};

export const aboutRequest = (request: FastifyRequest): AboutRequest => ({
  requestId: request.ids.requestId,
  words: wordsFor(request),
});

const isCutOff = (error: unknown): boolean => hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE');

const incomplete = (): Problem =>
  new Problem('incomplete', 'body-incomplete', 'The request did not arrive completely.', {
    hint: 'Send it again.',
  });

const veiled = ({ kind, code }: Problem): Problem =>
  new Problem(kind, code, 'An internal error occurred; the log of the gateway has the details.', {
    hint: 'The same request can be sent again.',
  });

const headersOf = ({ kind, retryAfterS }: Problem): Record<string, string> => ({
  ...(kind === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
  ...(UNREAD.has(kind) && { connection: 'close' }),
  ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
});

const OF_STATUS: Readonly<Record<number, readonly [code: string, says: string]>> = {
  404: ['no-such-route', 'There is no such route.'],
  405: ['method-not-allowed', 'This address does not take this method.'],
  413: ['too-large', 'The body is larger than this route takes.'],
  414: ['address-too-long', 'The address, or an id in it, is too long.'],
  415: ['media-type-unsupported', 'This route does not take a body of this Content-Type.'],
};

function isRefusedByServer(error: unknown): error is FastifyError & { statusCode: number } {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500;
}
