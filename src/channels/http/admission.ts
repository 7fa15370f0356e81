import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import { auditForbidden } from './audit-forbidden.ts';
import { callerOf } from './callers.ts';
import { counted, MINUTE_MS, networkOf, tooManyRequests } from './failed-attempts.ts';
import { accessOf, type Gateway } from './gateway-app.ts';
import { whenOver } from './when-over.ts';

/** As whose a request counts. */
export type CallerKey = (request: FastifyRequest) => string;

/** By name, or by network without one. */
export const callerKey: CallerKey = (request) => request.caller?.name ?? networkOf(request);

export const rateLimitOf = (max: number, keyGenerator: CallerKey = callerKey): RateLimitPluginOptions => ({
  max,
  timeWindow: MINUTE_MS,
  hook: 'preHandler',
  keyGenerator,
  errorResponseBuilder: (_request, { ttl }) => tooManyRequests(ttl),
});

/** Counts what is open concurrently, by caller. */
export class ConcurrencyCounter {
  readonly #open = new Map<string, number>();
  readonly #most: { each: number; all?: number };
  readonly #refusal: () => Problem;
  #all = 0;

  constructor(most: { each: number; all?: number }, refusal: () => Problem) {
    this.#most = most;
    this.#refusal = refusal;
  }

  /** Returns a function to call at the end. Throws the refusal if there is no room for one more. */
  enter(who: string): () => void {
    const { each, all = Number.POSITIVE_INFINITY } = this.#most;
    const count = (this.#open.get(who) ?? 0) + 1;
    if (count > each || this.#all >= all) throw this.#refusal();
    this.#open.set(who, count);
    this.#all += 1;
    return () => this.#leave(who);
  }

  #leave(who: string): void {
    const left = (this.#open.get(who) ?? 1) - 1;
    if (left === 0) this.#open.delete(who);
    else this.#open.set(who, left);
    this.#all -= 1;
  }
}

/**
 * Limits the concurrent requests of each caller; one too many is refused before its body is read. What is still worked on counts
 * although its client has gone away: whoever does not wait and asks again must not have it done many times at once.
 */
export function limitConcurrency(app: FastifyInstance, most: number, keyOf: CallerKey = callerKey): void {
  const open = new ConcurrencyCounter({ each: most }, tooManyAtOnce);
  const works = new WeakMap<FastifyRequest, unknown>();
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const work = handler.call(this, request, reply);
      works.set(request, work);
      return work;
    };
  });
  app.addHook('onRequest', async (request, reply) => {
    const leave = open.enter(keyOf(request));
    whenOver(reply, () => void Promise.allSettled([works.get(request)]).then(leave));
  });
}

const tooManyAtOnce = (): Problem =>
  new Problem('too-many', 'too-many-at-once', 'There are too many requests at once.', {
    hint: 'Wait until one of them is answered.',
    retryAfterS: 1,
  });

/**
 * Admits callers of the API or of the codec server: by token, each with a limit of requests, and with an entry in the audit for
 * what they may not do. `origins`: of pages elsewhere that may call too.
 */
export async function admitCallers(app: FastifyInstance, gateway: Gateway, origins?: readonly string[]): Promise<void> {
  app.addHook('onRequest', async (request) => {
    request.caller = await counted(request, () => callerOf(request, accessOf(gateway.config), gateway.now(), origins));
  });
  limitConcurrency(app, gateway.config.gateway.atOnce);
  auditForbidden(app, gateway);
  await app.register(rateLimit, rateLimitOf(gateway.config.gateway.perMinute));
}
