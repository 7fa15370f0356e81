import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Policy } from '../../domain/authority.ts';
import { causeInWords } from '../../domain/causes.ts';
import { endsSignIn, personOfClaims } from '../../domain/sign-in.ts';
import { problemOf } from '../../files/intake/problem-of.ts';
import {
  BACK_CHANNEL_PATH,
  type BegunSignIn,
  CALLBACK_PATH,
  NotVouched,
  type OpenIdProvider,
  type Vouched,
} from '../../platform/openid.ts';
import { html } from '../../reports/html.ts';
import { parsed } from '../http/documents.ts';
import { OPEN } from '../http/route-access.ts';
import { show, viewOf } from './layout.ts';
import {
  cookieOptions,
  hostOnly,
  keepToken,
  OneTime,
  type PagesGateway,
  policyIn,
  type Session,
  tokenOf,
} from './sessions.ts';
import { auditPages, nextField, ownPath, STALE, signInPage } from './sign-in-page.ts';

/** Time to sign in at the provider, with whatever it asks for. */
const LIFE_MS = 10 * 60_000;

interface Begun extends BegunSignIn {
  next: string | undefined;
}

/** `/sign-in/provider` and where the provider leads back to: a session for a person whose account the policy names. */
export function providerRoutes(app: FastifyInstance, gateway: PagesGateway, provider: OpenIdProvider): void {
  const begun = new OneTime<Begun>(LIFE_MS);
  app.get('/sign-in/provider', OPEN, async (request, reply) => {
    const { next } = parsed(z.object({ next: nextField }), request.query);
    try {
      const it = await provider.begin();
      keepBegun(reply, policyIn(gateway), begun.issue({ ...it.begun, next }, gateway.now()));
      return reply.redirect(it.url, 303);
    } catch (error) {
      return unreachable(request, reply, gateway, { error, next });
    }
  });
  app.get(CALLBACK_PATH, OPEN, async (request, reply) => {
    const policy = policyIn(gateway);
    const mine = begun.use(request.cookies[cookieName(policy)] ?? '', gateway.now());
    reply.clearCookie(cookieName(policy), laxCookie(policy));
    // What comes now costs the provider two requests.
    await request.server.attempts.assertRoom(request);
    try {
      if (mine === undefined) throw new NotVouched(STALE);
      const by = await provider.complete(new URL(request.url, policy.origin).search, mine);
      return await letIn(request, reply, gateway, { by, next: mine.next, provider });
    } catch (error) {
      if (!(error instanceof NotVouched)) return unreachable(request, reply, gateway, { error, next: mine?.next });
      return refuse(request, reply, gateway, { why: error.message, next: mine?.next });
    }
  });
  backChannelRoute(app, gateway, provider);
}

const notice = z.object({ logout_token: z.string() });

/** Where the provider posts a logout token: its sessions end here and at every other gateway, which read it in the store. */
function backChannelRoute(app: FastifyInstance, gateway: PagesGateway, provider: OpenIdProvider): void {
  // What is right is let in however often others of its network were wrong.
  const options = { config: { ...OPEN.config, rateLimit: false } } as const;
  app.post(BACK_CHANNEL_PATH, options, async (request, reply) => {
    const { store, sessions } = gateway;
    const now = gateway.now();
    reply.header('cache-control', 'no-store');
    try {
      const { data } = notice.safeParse(request.body);
      if (data === undefined) throw new NotVouched('there is no logout token');
      const signOut = await provider.signOutOf(data.logout_token, now);
      const isOver = ({ vouched }: Session) => vouched !== undefined && endsSignIn(signOut, vouched.by.signIn);
      // First: a provider may not send it again to a gateway whose store does not answer.
      const closed = sessions.closeThose(isOver, now);
      if (!(await store.recordSignOut(signOut, now))) throw new NotVouched('it was sent before');
      for (const { name } of closed) await auditPages(gateway, name, 'signed out', LEFT);
      return await reply.send();
    } catch (error) {
      if (!(error instanceof NotVouched)) {
        warn(gateway, error, 'a sign-out at the provider could not be verified');
        return reply.code(503).send({ error: 'temporarily_unavailable' });
      }
      await request.server.attempts.refused(request, 'sign-out', { name: undefined, why: error.message });
      return reply.code(400).send({ error: 'invalid_request', error_description: error.message });
    }
  });
}

const LEFT = { why: 'signed out at the provider' };

async function letIn(
  request: FastifyRequest,
  reply: FastifyReply,
  gateway: PagesGateway,
  { by, next, provider }: { by: Vouched; next: string | undefined; provider: OpenIdProvider },
): Promise<FastifyReply> {
  const policy = policyIn(gateway);
  const found = personOfClaims(policy, by.claims, provider.settings);
  if ('refused' in found) return refuse(request, reply, gateway, { ...found, why: found.refused, next });
  const { person, identity, roles, group } = found;
  const now = gateway.now();
  const vouched = { by, roles, group, ...termOf(provider, now) };
  keepToken(reply, policy, gateway.sessions.open({ name: person.name, credential: identity, vouched }, now));
  await auditPages(gateway, person.name, 'signed in', { provider: provider.host });
  const to = ownPath(next, policy);
  // Not a redirect: browsers keep a strict cookie from what another site has led to, and that site is the provider.
  reply.header('refresh', `0; url=${to}`);
  const body = html`<section class="narrow">
<h1>Signed in</h1>
<p>You are signed in as ${person.name}. <a href="${to}">Continue</a></p>
</section>`;
  return show(reply, viewOf(request, reply, gateway), { title: 'Signed in', body });
}

async function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  gateway: PagesGateway,
  { why, identity, next }: { why: string; identity?: string; next: string | undefined },
): Promise<FastifyReply> {
  await request.server.attempts.refused(request, 'sign-in', { name: undefined, why });
  return signInPage(reply, viewOf(request, reply, gateway), gateway, { next, why, identity });
}

/** The log has the cause, for those who can mend it. */
function unreachable(
  request: FastifyRequest,
  reply: FastifyReply,
  gateway: PagesGateway,
  { error, next }: { error: unknown; next: string | undefined },
): FastifyReply {
  warn(gateway, error);
  const why = 'the sign-in provider cannot be used at the moment';
  return signInPage(reply, viewOf(request, reply, gateway), gateway, { next, why, status: 503 });
}

function warn({ log }: PagesGateway, error: unknown, so = 'nobody can sign in through the provider'): void {
  const { message, hint } = causeInWords(error, 'sign-in') ?? problemOf(error);
  log.warn({ why: `${message} ${hint}` }, so);
}

/** When the provider is asked again, and until when its word counts: one outage in between signs nobody out. */
const termOf = ({ settings: { recheckMs } }: OpenIdProvider, now: number) => ({
  dueAt: now + recheckMs / 2,
  until: now + recheckMs,
});

/**
 * Ends the session that a request is in if its holder has signed out at the provider. Asks the provider again, in time, and ends
 * it too if they no longer have an account there, or if its word is too old and it does not answer.
 */
export async function recheck(request: FastifyRequest, gateway: PagesGateway): Promise<void> {
  const { policy } = gateway.settings;
  const { provider, sessions } = gateway;
  const token = policy && tokenOf(request, policy);
  const session = token === undefined ? undefined : sessions.find(token, gateway.now());
  const { vouched } = session ?? {};
  if (token === undefined || session === undefined || vouched === undefined || provider === undefined) return;
  const { signIn } = vouched.by;
  if ((await gateway.store.signOutsOf(signIn)).some((it) => endsSignIn(it, signIn))) {
    return endSession(gateway, token, session, LEFT.why);
  }
  const isOver = gateway.now() > vouched.until;
  if (vouched.by.refreshToken === undefined ? !isOver : gateway.now() < vouched.dueAt && !isOver) return;
  vouched.asking ??= askAgain(gateway, provider, token, session).finally(() => {
    vouched.asking = undefined;
  });
  await vouched.asking;
}

function endSession(gateway: PagesGateway, token: string, { name }: Session, why: string): Promise<void> {
  gateway.sessions.close(token);
  return auditPages(gateway, name, 'signed out', { why });
}

/** Between two tries at a provider that does not answer. */
const PAUSE_MS = 30_000;

async function askAgain(
  gateway: PagesGateway,
  provider: OpenIdProvider,
  token: string,
  session: Session,
): Promise<void> {
  const { name, credential, vouched } = session;
  if (vouched === undefined) return;
  const end = (why: string) => endSession(gateway, token, session, why);
  if (vouched.by.refreshToken === undefined) return end('the word of the provider has grown old');
  try {
    const by = await provider.renew(vouched.by);
    const found = personOfClaims(policyIn(gateway), by.claims, provider.settings);
    if ('refused' in found) return await end(found.refused);
    if (found.person.name !== name || found.identity !== credential) return await end('the account is now another one');
    Object.assign(vouched, { by, roles: found.roles, ...termOf(provider, gateway.now()) });
  } catch (error) {
    if (error instanceof NotVouched) return end(error.message);
    warn(gateway, error);
    if (gateway.now() > vouched.until) return end('the provider did not answer in time');
    vouched.dueAt = gateway.now() + PAUSE_MS;
  }
}

const cookieName = (policy: Policy): string => hostOnly(policy, 'payouts-sign-in');

/** Sent although the provider, another site, leads back here. It proves only that this browser has begun. */
const laxCookie = (policy: Policy) => ({ ...cookieOptions(policy), sameSite: 'lax' }) as const;

function keepBegun(reply: FastifyReply, policy: Policy, key: string): void {
  reply.setCookie(cookieName(policy), key, { ...laxCookie(policy), maxAge: LIFE_MS / 1_000 });
}
