import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Policy, personOf } from '../../domain/authority.ts';
import { leadsHere } from '../../domain/loopback.ts';
import { Problem } from '../../domain/problem.ts';
import type { Caller } from '../http/callers.ts';
import { accessOf, type Gateway } from '../http/gateway-app.ts';
import { Challenges } from './challenges.ts';
import { LONGEST_MS, Sessions } from './sessions.ts';

export interface PagesContext {
  gateway: Gateway;
  /** The policy in force. Undefined: a trial, in which names are believed. */
  readonly policy: Policy | undefined;
  sessions: Sessions;
  challenges: Challenges;
  /** Aborted when the gateway shuts down. */
  closing: AbortSignal;
}

export const pagesContext = (gateway: Gateway, closing: AbortSignal): PagesContext => ({
  gateway,
  get policy() {
    return gateway.settings.policy;
  },
  sessions: new Sessions(),
  challenges: new Challenges(),
  closing,
});

/** For pages that exist only under a policy. */
export function policyIn({ policy }: PagesContext): Policy {
  if (policy === undefined) throw new Error('the policy is no longer set');
  return policy;
}

/** Throws a `Problem` if, by the configuration, the pages could not know who is looking. */
export function assertOpen({ gateway, policy }: PagesContext): void {
  const why =
    policy === undefined && accessOf(gateway.config).tokens.length > 0
      ? 'The gateway is configured for tokens, not for people.'
      : policy !== undefined && policy.origin === undefined
        ? 'The policy names no origin.'
        : undefined;
  if (why === undefined) return;
  throw new Problem('forbidden', 'pages-closed', `There are no pages here. ${why}`, {
    hint: 'Set PAYOUTS_POLICY to a policy that names the origin of the pages and the passkeys of people.',
  });
}

/**
 * Throws a `Problem` for a request under another host name, which a foreign page may have made resolve here, and for a form sent
 * by another page.
 */
export function assertOwnPage({ host, headers, method }: FastifyRequest, { policy }: PagesContext): void {
  const origin = policy?.origin;
  if (origin === undefined ? !leadsHere(`http://${host}`) : host !== new URL(origin).host) {
    throw new Problem('forbidden', 'host-refused', 'The pages are not available under this address.', {
      hint: origin === undefined ? 'Use 127.0.0.1 or localhost.' : `Use ${origin}.`,
    });
  }
  if (method === 'GET' || method === 'HEAD') return;
  const from = headers.origin ?? '';
  if (origin === undefined ? URL.parse(from)?.host === host : from === origin) return;
  throw new Problem('forbidden', 'origin-refused', 'This request did not come from a page of this gateway.', {
    hint: 'Open the page here and send it again.',
  });
}

/** Who is looking; undefined: nobody is signed in. Prolongs the session. */
export function callerIn(request: FastifyRequest, context: PagesContext): Caller | undefined {
  const { gateway, policy, sessions } = context;
  const caller = callerSeen(request, context);
  if (policy !== undefined && caller !== undefined) sessions.prolong(tokenOf(request, policy) ?? '', gateway.now());
  return caller;
}

/**
 * The same for somebody who only watches, without prolonging the session. A person or passkey no longer in the policy is signed
 * out.
 */
export function callerSeen(request: FastifyRequest, { gateway, policy, sessions }: PagesContext): Caller | undefined {
  if (policy === undefined) return { name: undefined };
  const token = tokenOf(request, policy);
  const session = token === undefined ? undefined : sessions.find(token, gateway.now());
  const person = personOf(policy, session?.name ?? null);
  if (token === undefined || session === undefined) return undefined;
  if (person?.credentials.some(({ id }) => id === session.credential)) return { name: person.name, person };
  sessions.close(token);
  return undefined;
}

export const tokenOf = ({ cookies }: FastifyRequest, policy: Policy): string | undefined => cookies[cookieName(policy)];

export function keepToken(reply: FastifyReply, policy: Policy, token: string): void {
  reply.setCookie(cookieName(policy), token, { ...cookieOptions(policy), maxAge: LONGEST_MS / 1_000 });
}

export function dropToken(reply: FastifyReply, policy: Policy): void {
  reply.clearCookie(cookieName(policy), cookieOptions(policy));
}

/** Whether browsers reach the pages over TLS, directly or through a proxy. */
export const isOverTls = (policy: Policy | undefined): boolean => policy?.origin?.startsWith('https:') === true;

export const cookieOptions = (policy: Policy | undefined) =>
  ({ path: '/', httpOnly: true, sameSite: 'strict', secure: isOverTls(policy) }) as const;

/** With the prefix, other hosts and paths cannot set the cookie (RFC 6265bis); browsers accept it only over TLS. */
const cookieName = (policy: Policy): string => `${isOverTls(policy) ? '__Host-' : ''}payouts-session`;
