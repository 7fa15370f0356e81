import rateLimit, { normalizeIP, type RateLimitPluginOptions } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { AuditEntry } from '../../store/store.ts';
import { bearerOf, type Caller, callerOf } from './callers.ts';
import { type Gateway, tokenAccess } from './gateway-app.ts';

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
 * although its client has gone away: a client that does not wait and asks again must not start it many times at once.
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
    request.caller = await counted(request, () =>
      callerOf(request, tokenAccess(gateway.config), gateway.now(), origins),
    );
  });
  limitConcurrency(app, gateway.config.gateway.atOnce);
  auditForbidden(app, gateway);
  await app.register(rateLimit, rateLimitOf(gateway.config.gateway.perMinute));
}

/**
 * Refused tokens, client secrets and sign-ins, counted by network. What is right is let in however often others of its network
 * were wrong: many people and programs share an address, and a token or passkey is found by no number of guesses.
 */

const MINUTE_MS = 60_000;
const FAILURES_A_MINUTE = 20;
/** Which the audit records one by one in a minute; of any more, together. */
const NETWORKS_MAX = 50;
const OTHERS = 'other networks';

/**
 * An IPv4 address, of an IPv6 address the /64: so much is given to one customer, who chooses freely among it. A wider part of
 * IPv4 belongs to strangers.
 */
const networkOf = ({ address }: FastifyRequest): string => normalizeIP(address);

const tooManyRequests = (ttlMs: number): Problem => {
  const retryAfterS = Math.ceil(ttlMs / 1_000);
  return new Problem('too-many', 'too-many-requests', 'There are too many requests per minute.', {
    hint: `Try again after ${retryAfterS} s.`,
    retryAfterS,
  });
};

/** Whose passkey it is, if the policy has it, and why it was refused. */
interface Refusal {
  name: string | undefined;
  why: string;
}

/** `sign-out`: a logout token that somebody sent in the name of the provider. */
type RefusedKind = 'sign-in' | 'sign-out';

/** Those of one network in one minute. */
interface Reported {
  network: string;
  what: RefusedKind;
  count: number;
  names: Set<string>;
  reasons: Set<string>;
}

class FailedAttempts {
  readonly #limit: ReturnType<FastifyInstance['createRateLimit']>;
  readonly #deps: Gateway;
  #reports = new Map<string, Reported>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: ReturnType<FastifyInstance['createRateLimit']>, deps: Gateway) {
    this.#limit = limit;
    this.#deps = deps;
  }

  /** Throws a `Problem` if the network has failed too often: for what costs more than a comparison. */
  async assertRoom(request: FastifyRequest): Promise<void> {
    const seen = await this.#limit(request, { increment: false });
    if (!seen.isAllowed && seen.remaining === 0) throw tooManyRequests(seen.ttl);
  }

  /** Counts one. Throws a `Problem` if these are too many. */
  async failed(request: FastifyRequest): Promise<void> {
    const seen = await this.#limit(request);
    if (!seen.isAllowed && seen.isExceeded) throw tooManyRequests(seen.ttl);
  }

  /** The same for what the audit records: once for each network and minute, with how many there were. */
  async refused(request: FastifyRequest, what: RefusedKind, { name, why }: Refusal): Promise<void> {
    const from = networkOf(request);
    const isKnown = this.#reports.has(`${what} ${from}`) || this.#reports.size < NETWORKS_MAX;
    const network = isKnown ? from : OTHERS;
    const key = `${what} ${network}`;
    const reported = this.#reports.get(key) ?? { network, what, count: 0, names: new Set(), reasons: new Set() };
    this.#reports.set(key, reported);
    reported.count += 1;
    reported.names.add(name ?? 'unknown');
    reported.reasons.add(why);
    this.#timer ??= setTimeout(() => void this.notify(), MINUTE_MS).unref();
    await this.failed(request);
  }

  /** Writes what the audit has not recorded yet. */
  async notify(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const reports = this.#reports;
    this.#reports = new Map();
    const { store, now, log } = this.#deps;
    for (const { network, what, count, names, reasons } of reports.values()) {
      const detail = { from: network, count: `${count}`, names: [...names].join(', '), why: [...reasons].join('; ') };
      const [only = ''] = names;
      const actor = names.size === 1 ? only : 'unknown';
      await store
        .audit({ at: now(), actor, action: `${what} refused`, subject: 'pages', detail })
        .catch((error: unknown) => log.error({ error }, `refusals of a ${what} could not be written to the audit log`));
    }
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    attempts: FailedAttempts;
  }
}

/** Counts them from now on, as `attempts` of the server. */
export async function countAttempts(app: FastifyInstance, deps: Gateway): Promise<void> {
  const made = Promise.withResolvers<ReturnType<FastifyInstance['createRateLimit']>>();
  // In a scope of its own: the limits of routes are registered where the routes are.
  await app.register(async (scope) => {
    await scope.register(rateLimit, { global: false });
    const options = { max: FAILURES_A_MINUTE, timeWindow: MINUTE_MS, keyGenerator: networkOf };
    made.resolve(scope.createRateLimit(options));
  });
  const attempts = new FailedAttempts(await made.promise, deps);
  app.decorate('attempts', attempts);
  app.addHook('onClose', () => attempts.notify());
}

/** The caller that `authenticate` finds. A wrong token counts as a failed attempt; a request without one has cost nothing. */
export async function counted(request: FastifyRequest, authenticate: () => Caller): Promise<Caller> {
  try {
    return authenticate();
  } catch (error) {
    const isWrong = error instanceof Problem && error.kind === 'unauthenticated' && bearerOf(request) !== undefined;
    if (isWrong) await request.server.attempts.failed(request);
    throw error;
  }
}

/** Refusals of signed decisions have their audit entry already. */
const KEPT_ELSEWHERE = 'decision-refused';

/**
 * Audits requests that the caller is not allowed to make, under the subject in the path: the first of a caller on a route at once,
 * those of the next minute together. Reading is not audited.
 */
export function auditForbidden(app: FastifyInstance, { store, now, log }: Gateway) {
  /** By caller and route: those that were not recorded yet. */
  const more = new Map<string, { entry: AuditEntry; count: number }>();
  let timer: NodeJS.Timeout | undefined;
  const write = (entry: AuditEntry): Promise<void> =>
    store
      .audit(entry)
      .catch((failure: unknown) => log.error({ error: failure }, 'a refusal could not be written to the audit log'));
  const reportMore = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const reported = [...more.values()].filter(({ count }) => count > 0);
    more.clear();
    for (const { entry, count } of reported) {
      await write({ ...entry, at: now(), detail: { ...entry.detail, count: `${count}` } });
    }
  };
  app.addHook('onClose', reportMore);
  app.addHook('onError', async ({ method, caller, params, routeOptions }, _reply, error: Error) => {
    if (method === 'GET' || method === 'HEAD' || caller?.name === undefined) return;
    if (!(error instanceof Problem) || error.kind !== 'forbidden' || error.code === KEPT_ELSEWHERE) return;
    const { reference, id } = params as { reference?: string; id?: string };
    const route = routeOptions.url ?? '';
    const detail = { route, why: error.message };
    const entry = { at: now(), actor: caller.name, action: 'refused', subject: reference ?? id ?? 'gateway', detail };
    const key = JSON.stringify([caller.name, route]);
    const before = more.get(key);
    more.set(key, { entry, count: before === undefined ? 0 : before.count + 1 });
    timer ??= setTimeout(() => void reportMore(), MINUTE_MS).unref();
    if (before === undefined) await write(entry);
  });
}

/** Runs once an answer has ended or its client has gone away, which it may have done while the request was checked. */
export function whenOver({ raw }: FastifyReply, run: () => void): void {
  if (raw.closed) run();
  else raw.once('close', run);
}
