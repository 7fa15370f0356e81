import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';

/** Which origins may read the answers of a route. */
export interface Cors {
  origins: readonly string[];
  methods: string;
  headers: string;
  /** Setting that names the origins. */
  setting: string;
}

/**
 * Lets only pages of these origins read the answer (CORS). Written here because @fastify/cors answers preflights for every path
 * of the gateway, and with 204 even for unknown origins.
 */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): boolean {
  const { origin } = request.headers;
  reply.header('vary', 'origin');
  if (origin === undefined || !origins.includes(origin)) return false;
  reply.header('access-control-allow-origin', origin);
  return true;
}

/** Answers a preflight. Throws a `Problem` for an unknown origin. */
export async function preflight(request: FastifyRequest, reply: FastifyReply, cors: Cors): Promise<FastifyReply> {
  if (!allowOrigin(request, reply, cors.origins)) throw originRefused(cors);
  return reply
    .code(204)
    .header('access-control-allow-methods', cors.methods)
    .header('access-control-allow-headers', cors.headers)
    .header('access-control-max-age', '600')
    .send();
}

export function originRefused({ setting }: Pick<Cors, 'setting'>): Problem {
  return new Problem('forbidden', 'origin-refused', 'Requests from pages of this origin are refused.', {
    hint: `${setting} names the allowed origins.`,
  });
}
