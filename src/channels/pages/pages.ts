import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import cookie from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import { ConfigError } from '../../platform/config/key.ts';
import type { Config } from '../../platform/config.ts';
import { OpenIdProvider } from '../../platform/openid.ts';
import { hindranceTexts } from '../../reports/hindrances.ts';
import { auditForbidden, limitConcurrency, rateLimitOf } from '../http/admission.ts';
import { answerTo } from '../http/answer-error.ts';
import { smallBody } from '../http/bodies.ts';
import type { Gateway } from '../http/gateway-app.ts';
import { seesAll } from '../http/may-see.ts';
import { OPEN } from '../http/route-access.ts';
import { asTheyAre } from '../http/words.ts';
import { accountRoutes } from './accounts-page.ts';
import { adviceRoutes } from './advice-page.ts';
import { auditRoutes } from './audit-page.ts';
import { batchDecisionRoutes } from './batch-decision-page.ts';
import { batchRoutes } from './batch-page.ts';
import { batchListRoutes } from './batches-page.ts';
import { cardRoutes } from './cards-page.ts';

import { cashRoutes } from './cash-page.ts';

import { displayRoutes } from './display-page.ts';

import { findRoutes } from './find-page.ts';
import { waitingRoutes, waitingText } from './inbox-page.ts';
import { incidentRoutes } from './incidents-page.ts';
import { errorPage, show, userInfoOf, viewOf } from './layout.ts';
import { moveRoutes } from './moves-page.ts';
import { overviewRoutes } from './overview-page.ts';
import { payeeRoutes } from './payees-page.ts';
import { payoutRoutes } from './payout-page.ts';
import { periodRoutes } from './period-page.ts';
import { providerRoutes, recheck } from './provider-sign-in.ts';
import { forReader, ZONE_COOKIE } from './reader.ts';
import { retryRoutes } from './retry-page.ts';
import {
  assertOpen,
  assertOwnPage,
  callerIn,
  cookieOptions,
  isOverTls,
  OneTime,
  type PagesGateway,
  Sessions,
} from './sessions.ts';
import { askToSignIn, passkeyRoutes, signInRoutes } from './sign-in-page.ts';
import { statementPageRoutes, statementUploadRoutes } from './statements-page.ts';
import { correctRoutes, PendingUploads, planRoutes, submitRoutes } from './submit-page.ts';
import { subscriptionRoutes } from './subscriptions-page.ts';
import { switchRoutes } from './switches-page.ts';

const OF_PLACES = [
  ...[waitingRoutes, findRoutes, payoutRoutes, adviceRoutes, batchListRoutes, batchRoutes, batchDecisionRoutes],
  ...[overviewRoutes, accountRoutes, cashRoutes, payeeRoutes, cardRoutes, moveRoutes, retryRoutes, displayRoutes],
  ...[incidentRoutes, statementPageRoutes, periodRoutes, switchRoutes, auditRoutes, subscriptionRoutes],
];

/** The pages for people: they show and do what the API and the command can do, and decide nothing themselves. */
export async function pages(app: FastifyInstance, served: Gateway): Promise<void> {
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  const { signIn } = served.config;
  const ours = {
    sessions: new Sessions(signIn),
    challenges: new OneTime<true>(CHALLENGE_MS),
    provider: providerOf(served.config, served.settings.policy?.origin),
    closing: closing.signal,
  };
  // Over the gateway, not a copy of it: its members are read as they are at each request.
  const gateway: PagesGateway = Object.assign(Object.create(served) as Gateway, ours);
  const { policy } = gateway.settings;
  // The OpenAPI page describes only the API.
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true };
  });
  await protect(app, gateway);
  auditForbidden(app, gateway);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', async (_request: unknown, body: Readable) =>
    Object.fromEntries(new URLSearchParams((await smallBody(body)).toString('utf8'))),
  );
  app.setErrorHandler((error, request, reply) => {
    const { status, document, headers } = answerTo(request, inWords(error), {
      ...request.ids,
      words: asTheyAre,
    });
    if (status >= 500) gateway.log.error({ error, route: request.routeOptions.url }, 'page failed');
    request.raw.resume();
    reply.headers(headers);
    if (request.headers.accept === 'application/json') return reply.code(status).send(document);
    return show(reply, viewOf(request, reply, gateway), { ...errorPage(request, document), status });
  });
  assetRoutes(app);
  missingPage(app);
  app.register(async (open) => {
    asksForTokens(open);
    if (policy?.origin === undefined) {
      open.get('/passkey', OPEN, () => {
        throw new Problem('not-found', 'no-passkeys', 'Passkeys need a policy that names the address of these pages.', {
          hint: 'Set "origin" in the policy and restart the gateway.',
        });
      });
      return;
    }
    signInRoutes(open, gateway);
    passkeyRoutes(open, gateway, policy.origin);
  });
  // No form of a page of ours leads to them.
  if (gateway.provider !== undefined) providerRoutes(app, gateway, gateway.provider);
  const uploads = new PendingUploads();
  app.addHook('onClose', () => uploads[Symbol.asyncDispose]());
  app.register(async (inner) => {
    inner.addHook('onRequest', async (request, reply) => {
      if (request.caller === undefined) return askToSignIn(request, reply);
    });
    // After the body is read, behind which the context of the request would be lost.
    inner.addHook('preHandler', ({ cookies }, _reply, done) => forReader(cookies[ZONE_COOKIE], done));
    inner.addHook('preHandler', async (request) => {
      request.hindrances = await hindranceTexts(gateway, { seesAll: seesAll(request.caller) });
      if (countsWaiting(request)) request.waiting = await waitingText(gateway, request.caller);
    });
    limitConcurrency(inner, gateway.config.gateway.atOnce);
    inner.register((scope) => submitRoutes(scope, gateway, uploads));
    inner.register((scope) => statementUploadRoutes(scope, gateway));
    inner.register(async (scope) => {
      asksForTokens(scope);
      planRoutes(scope, gateway, uploads);
      correctRoutes(scope, gateway, uploads);
      for (const routes of OF_PLACES) routes(scope, gateway);
    });
  });
}

/** Whether its answer is a page with a header; the inbox counts what it shows itself. */
const countsWaiting = ({ method, headers, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' && headers.accept?.includes('text/html') === true && routeOptions.url !== '/';

const CHALLENGE_MS = 5 * 60_000;

/** Undefined: people sign in with a passkey only. Throws a `ConfigError` if the policy has no address to lead back to. */
function providerOf({ signIn: { openId }, proxyFor }: Config, origin: string | undefined): OpenIdProvider | undefined {
  if (openId === undefined) return undefined;
  if (origin !== undefined) return new OpenIdProvider(openId, origin, proxyFor(openId.issuer));
  throw new ConfigError(
    'PAYOUTS_OIDC_ISSUER',
    'is set, but no policy names people and the address of the pages',
    'Set PAYOUTS_POLICY to a policy with origin.',
  );
}

/** For every page: under which host, by whom and how often it may be requested, and what a browser may do with it. */
async function protect(app: FastifyInstance, gateway: PagesGateway): Promise<void> {
  const { policy } = gateway.settings;
  const self = ["'self'"];
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: self,
        styleSrc: self,
        imgSrc: self,
        connectSrc: self,
        formAction: self,
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // Forms are checked by their Origin, which browsers omit under no-referrer.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: isOverTls(policy),
  });
  await app.register(cookie);
  app.addHook('onRequest', async (request) => {
    assertOpen(gateway);
    assertOwnPage(request, gateway);
    await recheck(request, gateway);
    const caller = callerIn(request, gateway);
    if (caller !== undefined) request.caller = caller;
  });
  await app.register(csrf, {
    cookieOpts: cookieOptions(policy),
    csrfOpts: { hmacKey: randomBytes(32).toString('hex') },
    getUserInfo: (request) => userInfoOf(request, gateway),
  });
  await app.register(rateLimit, rateLimitOf(gateway.config.gateway.perMinute));
}

/** Of a stale form, the plugin itself speaks of tokens. */
function inWords(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && `${error.code}`.startsWith('FST_CSRF_'))) return error;
  const hint = 'Open its page again and send it from there.';
  return new Problem('forbidden', 'form-refused', 'This form has expired.', { hint });
}

/** For every form; for one without a valid token, `csrfProtection` itself answers with an error. */
function asksForTokens(app: FastifyInstance): void {
  app.addHook('preHandler', (request, reply, done) => {
    if (request.method !== 'POST') done();
    else app.csrfProtection(request, reply, done);
  });
}

type Strategy = Parameters<FastifyInstance['addConstraintStrategy']>[0];
type Handler = Parameters<ReturnType<Strategy['storage']>['set']>[1];

/** Who reads an answer, by the `Accept` header: browsers ask for HTML, programs do not. */
const READER = 'reader';

/** For an address that is no route: a browser gets a page, a program the document of the API. */
function missingPage(app: FastifyInstance): void {
  app.addConstraintStrategy({
    name: READER,
    storage: () => {
      const handlers = new Map<unknown, Handler>();
      return {
        get: (reader) => handlers.get(reader) ?? null,
        set: (reader, handler) => void handlers.set(reader, handler),
      };
    },
    deriveConstraint: ({ headers }) => (headers.accept?.includes('text/html') === true ? 'person' : 'program'),
    validate: () => undefined,
  });
  app.get('/*', { constraints: { [READER]: 'person' }, ...OPEN }, () => {
    throw new Problem('not-found', 'no-such-page', 'There is no such page.', { hint: 'Check the address.' });
  });
}

const own = (name: string): string => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');

/** @simplewebauthn/browser, as shipped for pages without a build step. */
function webauthn(): string {
  const entry = createRequire(import.meta.url).resolve('@simplewebauthn/browser');
  return readFileSync(join(dirname(entry), '..', 'dist', 'bundle', 'index.umd.min.js'), 'utf8');
}

const SCRIPT = 'text/javascript; charset=utf-8';

function assetRoutes(app: FastifyInstance): void {
  const assets: readonly [name: string, type: string, text: string][] = [
    ['pages.css', 'text/css; charset=utf-8', own('pages.css')],
    ['icon.svg', 'image/svg+xml', own('icon.svg')],
    ['forms.js', SCRIPT, own('forms.js')],
    ['live.js', SCRIPT, own('live.js')],
    ['webauthn.js', SCRIPT, webauthn()],
  ];
  // All people behind one address need them before they are known, and they cost nothing.
  const served = { config: { ...OPEN.config, rateLimit: false } } as const;
  for (const [name, type, text] of assets) {
    app.get(`/assets/${name}`, served, (_request, reply) => reply.type(type).send(text));
  }
}
