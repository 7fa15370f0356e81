import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import { bearerOf, type Caller } from './callers.ts';
import type { Gateway } from './gateway-app.ts';

/**
 * Refused tokens, client secrets and sign-ins, counted by network. What is right is let in however often others of its network
 * were wrong: many people and programs share an address, and a token or passkey is found by no number of guesses.
 */

export const MINUTE_MS = 60_000;
const FAILURES_A_MINUTE = 20;
/** Of which the audit tells one by one in a minute; of any more, together. */
const NETWORKS_TOLD = 50;
const OTHERS = 'other networks';

/**
 * An IPv4 address, of an IPv6 address the /64: so much is given to one customer, who chooses freely among it. A wider part of
 * IPv4 belongs to strangers.
 */
export const networkOf = ({ address }: Pick<FastifyRequest, 'address'>): string => normalizeIP(address);

export const tooManyRequests = (ttlMs: number): Problem => {
  const retryAfterS = Math.ceil(ttlMs / 1_000);
  return new Problem('too-many', 'too-many-requests', 'There are too many requests per minute.', {
    hint: `Try again after ${retryAfterS} s.`,
    retryAfterS,
  });
};

/** Who a refused sign-in says it is, if the policy knows the passkey, and why it was refused. */
interface RefusedSignIn {
  name: string | undefined;
  why: string;
}

/** The refused sign-ins of one network in one minute. */
interface Told {
  count: number;
  names: Set<string>;
  reasons: Set<string>;
}

class FailedAttempts {
  readonly #limit: ReturnType<FastifyInstance['createRateLimit']>;
  readonly #deps: Pick<Gateway, 'store' | 'now' | 'log'>;
  #told = new Map<string, Told>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: ReturnType<FastifyInstance['createRateLimit']>, deps: Pick<Gateway, 'store' | 'now' | 'log'>) {
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

  /** The same for a sign-in, of which the audit tells: once for each network and minute, with how many there were. */
  async signInRefused(request: FastifyRequest, { name, why }: RefusedSignIn): Promise<void> {
    const network = networkOf(request);
    const key = this.#told.has(network) || this.#told.size < NETWORKS_TOLD ? network : OTHERS;
    const told = this.#told.get(key) ?? { count: 0, names: new Set(), reasons: new Set() };
    this.#told.set(key, told);
    told.count += 1;
    told.names.add(name ?? 'unknown');
    told.reasons.add(why);
    this.#timer ??= setTimeout(() => void this.tell(), MINUTE_MS).unref();
    await this.failed(request);
  }

  /** Writes what the audit was not told yet. */
  async tell(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const told = this.#told;
    this.#told = new Map();
    const { store, now, log } = this.#deps;
    for (const [network, { count, names, reasons }] of told) {
      const detail = { from: network, count: `${count}`, names: [...names].join(', '), why: [...reasons].join('; ') };
      const [only = ''] = names;
      const actor = names.size === 1 ? only : 'unknown';
      await store
        .audit({ at: now(), actor, action: 'sign-in refused', subject: 'pages', detail })
        .catch((error: unknown) => log.error({ error }, 'refused sign-ins could not be written to the audit log'));
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
  app.addHook('onClose', () => attempts.tell());
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
