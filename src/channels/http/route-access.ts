import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acting, holdsAll, ROLES, type Role } from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import { type Caller, TOKEN_HINT } from './callers.ts';

/** Whom the policy lets use a route, once they are known. Without a policy, every admitted caller may. */
export interface CallerAccess {
  /** Of which a caller needs one. */
  roles: readonly Role[];
  /**
   * `each`: the route compares all that it shows, makes or changes with the scope of the caller; `whole`: only for callers whose
   * scope has no restriction; `none`: it has nothing that a scope restricts.
   */
  scope: 'each' | 'whole' | 'none';
}

/**
 * `open`: for everybody; it shows nothing of payouts, or its sender proves otherwise who they are. `client-secret`: who has
 * the secret of the card payment in the path may use it too, for this payment.
 */
export type RouteAccess = 'open' | CallerAccess | (CallerAccess & { or: 'client-secret' });

/** A route of the server, with its template. */
export interface GuardedRoute {
  method: string;
  url: string;
  access: RouteAccess;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required of every route. */
    access?: RouteAccess;
  }
}

/** Everybody sees what is theirs, or within their scope. */
export const ANY_ROLE: CallerAccess = { roles: ROLES, scope: 'each' };
export const OPEN = { config: { access: 'open' } } as const;

/** Options of a route. */
export const accessOf = <Access extends RouteAccess>(access: Access): { config: { access: Access } } => ({
  config: { access },
});

/**
 * Lets nobody use a route whom its access does not allow: after they are known, before a body is read. Throws an error for a route
 * that does not say whom it is for. Returns the routes, as they are added.
 */
export function guardRoutes(app: FastifyInstance): readonly GuardedRoute[] {
  const routes: GuardedRoute[] = [];
  app.addHook('onRoute', (route) => {
    const { url, method } = route;
    const access = route.config?.access;
    if (access === undefined) throw new Error(`${method} ${url} does not say who may use it`);
    route.config = { ...route.config, access };
    for (const each of [method].flat()) routes.push({ method: each, url, access });
  });
  app.addHook('preParsing', async (request) => {
    if (!request.is404) assertMayUse(request);
  });
  return routes;
}

/** Throws a `Problem` if the access of a route does not allow its caller to use it. */
export function assertMayUse(request: FastifyRequest): void {
  const { caller, cardAccess, routeOptions } = request;
  const { access } = routeOptions.config;
  if (access === 'open') return;
  if (access === undefined) throw new Error('a route without a rule was reached');
  const hasSecret = cardAccess !== undefined && cardAccess.caller === undefined;
  if ('or' in access && hasSecret) return;
  if (caller === undefined)
    throw new Problem('unauthenticated', 'token-refused', 'A bearer token is required.', {
      hint: TOKEN_HINT,
    });
  if (isAllowed(access, caller)) return;
  throw new Problem('forbidden', 'role-missing', 'Your role or scope in the policy does not allow you to do this.', {
    hint: hintOf(access),
  });
}

/** Whether the policy lets a caller use a route, as far as it does not depend on what they use it for. */
export const isAllowed = ({ roles, scope }: CallerAccess, { person }: Caller): boolean =>
  person === undefined ||
  acting(person).some(
    (it) => it.roles.some((role) => roles.includes(role)) && (scope !== 'whole' || holdsAll(it.scope)),
  );

const hintOf = ({ roles, scope }: CallerAccess): string =>
  `It requires the role ${roles.join(' or ')}${scope === 'whole' ? ', without a scope' : ''}.`;

/** Which origins may read the answers of a route. */
export interface Cors {
  origins: readonly string[];
  methods: string;
  headers: string;
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
  if (!allowOrigin(request, reply, cors.origins)) throw originRefused();
  return reply
    .code(204)
    .header('access-control-allow-methods', cors.methods)
    .header('access-control-allow-headers', cors.headers)
    .header('access-control-max-age', '600')
    .send();
}

export function originRefused(): Problem {
  return new Problem('forbidden', 'origin-refused', 'Requests from pages of this origin are refused.', {
    hint: 'Who runs the gateway says which origins are allowed.',
  });
}
