import type { RateLimitPluginOptions } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../domain/problem.ts';

const MINUTE_MS = 60_000;

/** Identifies an asker for limits. */
export type Asker = (request: FastifyRequest) => string;

/** By name, or by address without one. */
export const callerAsks: Asker = ({ caller, address }) => caller?.name ?? address;

/** Limit of requests per asker. */
export const rateLimitOf = (max: number, keyGenerator: Asker = callerAsks): RateLimitPluginOptions => ({
  max,
  timeWindow: MINUTE_MS,
  hook: 'preHandler',
  keyGenerator,
  errorResponseBuilder: (_request, { ttl }) => tooMany(ttl),
});

function tooMany(ttlMs: number): Problem {
  const retryAfterS = Math.ceil(ttlMs / 1_000);
  return new Problem('too-many', 'too-many-requests', 'There are too many requests per minute.', {
    hint: `Try again after ${retryAfterS} s.`,
    retryAfterS,
  });
}
