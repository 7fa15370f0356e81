import { randomBytes, randomUUID } from 'node:crypto';
import type { ServerOptions as HttpOptions } from 'node:http';
import type { ServerOptions as HttpsOptions } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { z } from 'zod';
import { ipList } from '../../bank/webhooks/verifier.ts';
import { leadsHere } from '../../domain/loopback.ts';
import { Problem } from '../../domain/problem.ts';
import { ConfigError, type Secret } from '../../platform/config/key.ts';
import { portTaken } from '../../platform/embedded/ports.ts';
import type { Part } from '../../platform/embedded/stack.ts';
import { type CurrentSpan, duringSpan, spanOf, traceparentOf } from '../../platform/telemetry/current-span.ts';
import { readinessDocument, readinessOf } from '../../platform/telemetry/readiness.ts';
import type { RequestSpan, Tracing } from '../../platform/telemetry/tracing.ts';
import { mcpRoute } from '../mcp/mcp-route.ts';
import { pages } from '../pages/pages.ts';
import { admitCallers, countAttempts, counted, rateLimitOf } from './admission.ts';
import { answerOf, answerTo } from './answer-error.ts';
import { nameLimits, noRoute, tagAndCompress } from './answer-headers.ts';
import { batchRoutes } from './batch-routes.ts';
import { BODY_MS, removeAbandoned } from './bodies.ts';
import { type Access, type Caller, callerOf } from './callers.ts';
import { cardPageRoutes, cardRoutes, pageKey } from './card-routes.ts';
import { codecRoutes } from './codec-routes.ts';
import { answerSchemas, errorAnswers, parsed, readiness } from './documents.ts';
import { type Gateway, probesOf, tokenAccess, uploadsOf } from './gateway-app.ts';
import { intakeRoutes, payoutIntakeRoute, statementRoutes } from './intake-routes.ts';
import { describe } from './openapi.ts';
import { operationRoutes } from './operation-routes.ts';
import { type GuardedRoute, guardRoutes, OPEN } from './route-access.ts';
import { webhookRoutes } from './webhook-routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** For the routes under `/v1` and the pages. */
    caller: Caller;
  }
}

export interface ListenOn {
  host: string;
  /** 0: any free port. */
  port: number;
  /** By which the command names another port. */
  portOption?: string;
  /** Absent: plain HTTP. */
  transport?: GatewayTransport;
}

/** Enough for the largest file at 4 Mbit a second. */
const REQUEST_MS = 600_000;

/**
 * Starts the gateway. Throws a `ConfigError` if other machines could reach it without a token, or only in clear text, and a
 * `StackError` if the port is taken.
 */
export async function startGateway(
  gateway: Gateway,
  { host, port, portOption = '--port', transport = PLAIN }: ListenOn,
): Promise<Part & { url: string; routes: readonly GuardedRoute[] }> {
  assertTokenIfReachable(tokenAccess(gateway.config), host);
  assertEncrypted(transport, host);
  await removeAbandoned(uploadsOf(gateway.config), Date.now());
  const { app, routes } = await gatewayApp(gateway, transport, leadsHere(addressOf(host)));
  await app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw portTaken(port, portOption);
  });
  const bound = app.server.address() as AddressInfo;
  const scheme = transport.tls === undefined ? 'http' : 'https';
  return { url: `${addressOf(host, scheme)}:${bound.port}`, routes, close: () => app.close() };
}

/** Throws a `ConfigError` if other machines could reach the gateway without a token. */
export function assertTokenIfReachable({ tokens, needsToken }: Access, host: string): void {
  if (tokens.length > 0 || needsToken || leadsHere(addressOf(host))) return;
  throw new ConfigError(
    'PAYOUTS_GATEWAY_TOKEN',
    'is not set, but other machines would reach the gateway',
    'Set a token.',
  );
}

/** Each costs memory; more than all people and programs of a company have open. */
const CONNECTIONS_MAX = 5_000;

const NEITHER_GUESSED_NOR_KEPT = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

async function gatewayApp(
  gateway: Gateway,
  transport: GatewayTransport,
  isThisMachineOnly: boolean,
): Promise<{ app: FastifyInstance; routes: readonly GuardedRoute[] }> {
  const app: FastifyInstance = fastify({
    ...serverOptions(transport),
    logger: false,
    requestTimeout: REQUEST_MS,
    routerOptions: { maxParamLength: 200 },
    // For a malformed URL: the framework's own answer would repeat it.
    frameworkErrors: (error, _request, reply: FastifyReply) => {
      const { status, document, headers } = answerOf(error);
      reply
        .code(status)
        .headers({ ...NEITHER_GUESSED_NOR_KEPT, ...headers })
        .send(document);
    },
  });
  app.server.maxConnections = CONNECTIONS_MAX;
  app.decorateRequest('caller');
  identifyRequests(app, gateway.tracing);
  const routes = guardRoutes(app);
  // Schemas are only for the OpenAPI page: each route validates its own input.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (document) => JSON.stringify(document));
  app.setErrorHandler((error, request, reply) => {
    const { status, document, headers } = answerTo(request, error);
    if (status >= 500) gateway.log.error({ error, route: request.routeOptions.url }, 'request failed');
    // Reads the rest of the body, so that the client gets to read the answer.
    request.raw.resume();
    return reply.code(status).headers(headers).send(document);
  });
  app.setNotFoundHandler((request, reply) => {
    const { allow, problem } = noRoute(routes, request);
    if (allow.length > 0) reply.header('allow', allow.join(', '));
    const { status, document, headers } = answerTo(request, problem);
    return reply.code(status).headers(headers).send(document);
  });
  app.addHook('onSend', async (_request, reply) => void reply.headers(NEITHER_GUESSED_NOR_KEPT));
  nameLimits(app);
  answerProxiesOnly(app, transport);
  identifyClients(app, transport);
  // A client that has its answer but keeps sending would hold the connection.
  app.addHook('onResponse', async ({ raw }) => {
    if (!raw.complete) setTimeout(() => raw.destroy(), BODY_MS).unref();
  });
  logAnswers(app, gateway);
  await countAttempts(app, gateway);
  await describe(app, async (request) =>
    isThisMachineOnly
      ? { name: undefined }
      : await counted(request, () => callerOf(request, tokenAccess(gateway.config), gateway.now())),
  );
  healthRoutes(app, gateway);
  app.register(async (scope) => {
    await admitCallers(scope, gateway);
    // A misspelled filter would show everything, and a misspelled `mask` would show names.
    scope.addHook('preHandler', async ({ query, routeOptions }) => {
      if (routeOptions.schema?.querystring === undefined) parsed(z.strictObject({}), query);
    });
    tagAndCompress(scope);
    for (const add of [intakeRoutes, payoutIntakeRoute, statementRoutes, batchRoutes, cardRoutes, operationRoutes]) {
      scope.register(async (inner) => add(inner, gateway));
    }
  });
  app.register(async (scope) => {
    await scope.register(rateLimit, rateLimitOf(gateway.config.gateway.perMinute, pageKey));
    cardPageRoutes(scope, gateway);
  });
  for (const add of [codecRoutes, webhookRoutes, mcpRoute, pages]) app.register(async (scope) => add(scope, gateway));
  return { app, routes };
}

/** One line for each answer, without the actual URL, a body or a file name. */
function logAnswers(app: FastifyInstance, { log, answered }: Gateway): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, caller, routeOptions } = request;
    const { url: route } = routeOptions;
    const { statusCode: status } = reply;
    const ms = Math.round(reply.elapsedTime);
    log.info({ method, route, status, ms, caller: caller?.name }, 'answered');
    answered?.({ method, route: route ?? 'none', status, ms });
  });
}

export interface GatewayTransport {
  /** Certificate chain and key in PEM; undefined: plain HTTP. */
  tls: { cert: string; key: Secret } | undefined;
  /** Addresses and networks of proxies that terminate TLS in front of a gateway of plain HTTP. */
  proxies: readonly string[];
}

export const PLAIN: GatewayTransport = { tls: undefined, proxies: [] };

/** Throws a `ConfigError` if other machines would send tokens and payees in clear text. */
export function assertEncrypted({ tls, proxies }: { tls: unknown; proxies: readonly string[] }, host: string): void {
  if (tls !== undefined || proxies.length > 0 || leadsHere(addressOf(host))) return;
  throw new ConfigError(
    'PAYOUTS_GATEWAY_TLS_CERT',
    'is not set, but other machines would send tokens and payees to the gateway in clear text',
    'Set it with PAYOUTS_GATEWAY_TLS_KEY, or PAYOUTS_GATEWAY_TRUSTED_PROXY to the addresses of a proxy that speaks TLS.',
  );
}

const addressOf = (host: string, scheme = 'http'): string => `${scheme}://${host.includes(':') ? `[${host}]` : host}`;

const HEADERS_MS = 10_000;

/** A connection without a complete request head is closed after 10 to 15 seconds. */
const SLOW_CLIENTS = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: HEADERS_MS / 2 };

/** Options of the server; `https` is null for plain HTTP. */
function serverOptions({ tls }: GatewayTransport): { http: HttpOptions; https: HttpsOptions | null } {
  if (tls === undefined) return { http: SLOW_CLIENTS, https: null };
  const encrypted = {
    cert: tls.cert,
    key: tls.key.reveal(),
    minVersion: 'TLSv1.2',
    handshakeTimeout: HEADERS_MS,
  } as const;
  return { http: {}, https: { ...encrypted, ...SLOW_CLIENTS } };
}

/** If proxies are configured, only they and this machine are answered over plain HTTP. */
export function answerProxiesOnly(app: FastifyInstance, { tls, proxies }: GatewayTransport): void {
  if (tls !== undefined || proxies.length === 0) return;
  const isKnown = ipList([...proxies, '127.0.0.0/8', '::1']);
  app.addHook('onRequest', async ({ raw }) => {
    if (isKnown(raw.socket.remoteAddress ?? '')) return;
    throw new Problem('forbidden', 'not-through-proxy', 'This gateway accepts requests only through its proxy.', {
      hint: 'Use the https address of the proxy, or add this one to PAYOUTS_GATEWAY_TRUSTED_PROXY.',
    });
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the client: that of the connection or, behind a configured proxy, the one the proxy gives. */
    address: string;
  }
}

/**
 * Distinguishes clients behind a proxy, so that one of them cannot use up the limits of all. It is no proof of identity: see
 * `answerProxiesOnly`.
 */
export function identifyClients(app: FastifyInstance, { tls, proxies }: GatewayTransport): void {
  const isProxy = ipList(tls === undefined ? proxies : []);
  app.decorateRequest('address', '');
  app.addHook('onRequest', async (request) => {
    const { socket, headers } = request.raw;
    const from = socket.remoteAddress ?? '';
    // Each proxy appends the address it was called from; anything before the entries of our proxies may be forged.
    const named = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    const hops = [...named.map((hop) => hop.trim()).filter((hop) => isIP(hop) !== 0), from];
    request.address = hops.findLast((hop) => !isProxy(hop)) ?? from;
  });
}

const TAGS = ['health'];

/** For a supervisor of the gateway; they say nothing about payouts and require no token. */
function healthRoutes(app: FastifyInstance, gateway: Gateway): void {
  const alive = z.object({ status: z.literal('ok') });
  const response = answerSchemas({ 200: [alive, 'the process answers'], ...errorAnswers() });
  app.get(
    '/healthz',
    { schema: { operationId: 'isAlive', tags: TAGS, summary: 'Alive', security: [], response }, ...OPEN },
    async () => ({ status: 'ok' }),
  );

  const read = readinessOf(probesOf(gateway), gateway);
  const answers = answerSchemas({
    200: [readiness, 'files can be taken'],
    503: [readiness, 'a part is down'],
    ...errorAnswers(),
  });
  const schema = { operationId: 'isReady', tags: TAGS, summary: 'Ready', security: [], response: answers };
  app.get('/readyz', { schema, ...OPEN }, async (_request, reply) => {
    const [shown, notices] = await Promise.all([read(), gateway.notices()]);
    return reply.code(shown.ready ? 200 : 503).send(readinessDocument(shown, notices));
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Which request this is, for its sender, its answer and every line of the log. */
    ids: CurrentSpan & {
      /** UUID, made here: what a sender chooses may be anything. */
      requestId: string;
    };
  }
}

/** Asked every few seconds, and no part of anything. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * Gives every request its ids: the first thing that happens to it. They are of the sender's trace, or of a new one, and the
 * header `traceparent` of the answer names this request in it.
 */
function identifyRequests(app: FastifyInstance, tracing: Tracing | undefined): void {
  const spans = new WeakMap<object, RequestSpan>();
  app.decorateRequest('ids');
  app.addHook('onRequest', (request, reply, done) => {
    const sender = spanOf(request.headers.traceparent);
    const isProbe = PROBES.has(request.routeOptions.url ?? '');
    const span = isProbe ? undefined : tracing?.request(request.method, sender);
    if (span !== undefined) spans.set(request, span);
    request.ids = { ...(span?.ids ?? untraced(sender)), requestId: randomUUID() };
    reply.headers({ 'x-request-id': request.ids.requestId, traceparent: traceparentOf(request.ids) });
    duringSpan(request.ids, done);
  });
  // The context is lost where a body is read.
  app.addHook('preValidation', (request, _reply, done) => duringSpan(request.ids, done));
  app.addHook('onResponse', async (request, reply) =>
    spans.get(request)?.answered(request.routeOptions.url, reply.statusCode),
  );
}

/** Its span is sent nowhere. */
const untraced = (sender: CurrentSpan | undefined): CurrentSpan => ({
  traceId: sender?.traceId ?? randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  isSampled: false,
});
