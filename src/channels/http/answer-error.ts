import type { FastifyError, FastifyRequest } from 'fastify';
import { hasCode } from '../../domain/failures.ts';
import { Problem, type ProblemKind } from '../../domain/problem.ts';
import { problemOf } from '../../files/intake/problem-of.ts';

const STATUS_OF: Readonly<Record<ProblemKind, number>> = {
  usage: 400,
  'not-found': 404,
  conflict: 409,
  'set-up': 500,
  'invalid-input': 422,
  'already-taken': 409,
  unauthenticated: 401,
  forbidden: 403,
  unsigned: 401,
  'too-large': 413,
  'too-slow': 408,
  'too-many': 429,
  incomplete: 400,
  'unsupported-media': 415,
  'bank-authentication': 503,
  refused: 502,
  unreachable: 503,
  interrupted: 503,
  internal: 500,
};

/** The rest of the body is not awaited: the connection is closed with the answer. */
const UNREAD: ReadonlySet<ProblemKind> = new Set(['too-large', 'too-slow', 'incomplete']);

/** The answer for an error. The message of an internal error goes only to the log: it may contain more than a caller may know. */
export function answerOf(error: unknown): {
  status: number;
  headers: Readonly<Record<string, string>>;
  document: object;
} {
  if (isRefusedByServer(error)) {
    const code = CODE_OF_STATUS[error.statusCode] ?? 'bad-request';
    const refusal = new Problem('usage', code, 'The server cannot process this request.', {
      hint: 'GET /openapi.json lists the routes, and what they take.',
    });
    return { status: error.statusCode, headers: {}, document: refusal.toDocument() };
  }
  const problem = problemOf(error);
  const status = STATUS_OF[problem.kind];
  return { status, headers: headersOf(problem), document: (status === 500 ? veiled(problem) : problem).toDocument() };
}

/** The same for an error in a request, which may be that the client has gone away: nothing for the log. */
export const answerTo = ({ raw }: FastifyRequest, error: unknown): ReturnType<typeof answerOf> =>
  answerOf(raw.errored === error || (raw.socket.destroyed && isCutOff(error)) ? incomplete() : error);

const isCutOff = (error: unknown): boolean => hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE');

const incomplete = (): Problem =>
  new Problem('incomplete', 'body-incomplete', 'The request did not arrive completely.');

const veiled = ({ kind, code }: Problem): Problem =>
  new Problem(kind, code, 'An internal error occurred; the log of the gateway has the details.', {
    hint: 'The same request can be sent again.',
  });

const headersOf = ({ kind, retryAfterS }: Problem): Record<string, string> => ({
  ...(kind === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
  ...(UNREAD.has(kind) && { connection: 'close' }),
  ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
});

const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  404: 'no-such-route',
  413: 'too-large',
  414: 'address-too-long',
  415: 'media-type-unsupported',
};

function isRefusedByServer(error: unknown): error is FastifyError & { statusCode: number } {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500;
}
