import { hash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { GuardedRoute } from './route-access.ts';

const MINUTE_S = 60;

/** What @fastify/rate-limit writes: the limit of a minute, what is left of it, and the seconds until it begins anew. */
const COUNTED = { max: 'x-ratelimit-limit', left: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' } as const;

/** The limit of a caller, as https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ has it since revision 08. */
export function nameLimits(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    const [max, left, reset] = Object.values(COUNTED).map((name) => reply.getHeader(name));
    for (const name of Object.values(COUNTED)) reply.removeHeader(name);
    if (max === undefined) return;
    reply.header('ratelimit-policy', `"minute";q=${max};w=${MINUTE_S}`);
    reply.header('ratelimit', `"minute";r=${left};t=${reset}`);
  });
}

/** Below this, what is saved is less than the headers. */
const SMALL = 1_024;
const TEXTUAL = /^(?:application\/(?:json|jsonl|problem\+json|xml)|text\/)/;

/**
 * Answers of the API: a tag by which their reader may ask whether they have changed, and compressed for who takes that. A bearer
 * token is sent by no other page, so that nobody can have secrets compressed beside a guess of theirs.
 */
export function tagAndCompress(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!TEXTUAL.test(String(reply.getHeader('content-type') ?? ''))) return payload;
    if (typeof payload === 'string' && request.method === 'GET' && reply.statusCode === 200) {
      const tag = `W/"${hash('sha256', payload, 'base64url').slice(0, 22)}"`;
      reply.header('etag', tag);
      if (isKnown(request.headers['if-none-match'], tag)) {
        reply.code(304).removeHeader('content-type');
        return null;
      }
    }
    return compressed(request, reply, payload);
  });
}

const isKnown = (known: string | undefined, tag: string): boolean =>
  (known ?? '').split(',').some((it) => it.trim() === '*' || it.trim().replace(/^(?!W\/)/, 'W/') === tag);

function compressed(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const isLong = payload instanceof Readable || (typeof payload === 'string' && payload.length > SMALL);
  if (!isLong || reply.hasHeader('content-encoding')) return payload;
  const varies = [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', ');
  reply.header('vary', varies);
  if (!takesGzip(request.headers['accept-encoding'])) return payload;
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
  if (typeof payload === 'string') return gzipSync(payload);
  // What has been written is sent at once: a reader may be waiting for the next line.
  return pipeline(payload as Readable, createGzip({ flush: constants.Z_SYNC_FLUSH }), () => {});
}

/** https://www.rfc-editor.org/rfc/rfc9110#field.accept-encoding */
function takesGzip(accepted: string | string[] | undefined): boolean {
  const weights = [accepted ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((it) =>
      it
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q=/),
    );
  const [, weight = '1'] =
    weights.find(([coding]) => coding === 'gzip') ?? weights.find(([coding]) => coding === '*') ?? [];
  return weights.some(([coding]) => coding === 'gzip' || coding === '*') && Number(weight) > 0;
}

/** What answers where no route is: with the methods of the routes at this address, if there are any. */
export function noRoute(
  routes: readonly GuardedRoute[],
  request: FastifyRequest,
): { allow: string[]; problem: Problem } {
  const [path = ''] = request.url.split('?', 1);
  const found = routes.filter(({ url }) => !url.includes('*') && patternOf(url).test(path));
  const allow = [...new Set(found.map(({ method }) => method))].sort();
  const hint = 'GET /openapi.json lists the routes.';
  const problem =
    allow.length === 0
      ? new Problem('not-found', 'no-such-route', 'There is no such route.', { hint })
      : new Problem('wrong-method', 'method-not-allowed', `This address takes ${allow.join(', ')}.`, { hint });
  return { allow, problem };
}

const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);
