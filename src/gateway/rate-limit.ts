import type { RateLimitPluginOptions } from '@fastify/rate-limit';
import { Problem } from '../domain/problem.ts';

const MINUTE_MS = 60_000;

/** How often one caller may ask: by name, or by address where there is none. */
export const rateLimitOf = (max: number): RateLimitPluginOptions => ({
  max,
  timeWindow: MINUTE_MS,
  hook: 'preHandler',
  keyGenerator: ({ caller, ip }) => caller?.name ?? ip,
  errorResponseBuilder: (_request, { ttl }) => tooMany(ttl),
});

function tooMany(ttlMs: number): Problem {
  const retryAfterS = Math.ceil(ttlMs / 1_000);
  return new Problem('too-many', 'too-many-requests', 'There are too many requests per minute.', {
    hint: `Try again after ${retryAfterS} s.`,
    retryAfterS,
  });
}
