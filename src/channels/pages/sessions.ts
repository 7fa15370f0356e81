import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Policy, personOf } from '../../domain/authority.ts';
import { leadsHere } from '../../domain/loopback.ts';
import { Problem } from '../../domain/problem.ts';
import { type Caller, tokenSha256 } from '../http/callers.ts';
import { type Gateway, tokenAccess } from '../http/gateway-app.ts';

/** The gateway, as its pages take it. Without a policy they are a trial, in which names are believed. */
export interface PagesGateway extends Gateway {
  sessions: Sessions;
  challenges: Challenges;
  /** Aborted when the gateway shuts down. */
  closing: AbortSignal;
}

/** For pages that exist only under a policy. */
export function policyIn({ settings: { policy } }: PagesGateway): Policy {
  if (policy === undefined) throw new Error('the policy is no longer set');
  return policy;
}

/** Throws a `Problem` if, by the configuration, the pages could not know the viewer. */
export function assertOpen({ config, settings: { policy } }: PagesGateway): void {
  const why =
    policy === undefined && tokenAccess(config).tokens.length > 0
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
export function assertOwnPage({ host, headers, method }: FastifyRequest, { settings: { policy } }: PagesGateway): void {
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

/** The viewer; undefined: nobody is signed in. Prolongs the session. */
export function callerIn(request: FastifyRequest, gateway: PagesGateway): Caller | undefined {
  const { policy } = gateway.settings;
  const caller = callerSeen(request, gateway);
  if (policy !== undefined && caller !== undefined)
    gateway.sessions.prolong(tokenOf(request, policy) ?? '', gateway.now());
  return caller;
}

/**
 * The same for somebody who only watches, without prolonging the session. A person or passkey no longer in the policy is signed
 * out.
 */
export function callerSeen(request: FastifyRequest, { settings, sessions, now }: PagesGateway): Caller | undefined {
  const { policy } = settings;
  if (policy === undefined) return { name: undefined };
  const token = tokenOf(request, policy);
  const session = token === undefined ? undefined : sessions.find(token, now());
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

interface Session {
  /** Of the person. */
  name: string;
  /** Id of the passkey that opened it. */
  credential: string;
  openedAt: number;
  seenAt: number;
}

/** A session ends after this long without a request. */
const IDLE_MS = 30 * 60_000;
/** A session ends after this long in any case. */
export const LONGEST_MS = 12 * 3_600_000;
const TOKEN_BYTES = 32;

/**
 * Open sessions, in the memory of one gateway, so that a closed one is closed at once. Only hashes of tokens are kept. Times are
 * epoch ms.
 */
export class Sessions {
  readonly #kept = new Map<string, Session>();

  open(of: Pick<Session, 'name' | 'credential'>, now: number): string {
    for (const [key, session] of this.#kept) if (isOver(session, now)) this.#kept.delete(key);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#kept.set(tokenSha256(token), { ...of, openedAt: now, seenAt: now });
    return token;
  }

  find(token: string, now: number): Session | undefined {
    const session = this.#kept.get(tokenSha256(token));
    return session === undefined || isOver(session, now) ? undefined : session;
  }

  /** Called for every request in the session. */
  prolong(token: string, now: number): void {
    const session = this.#kept.get(tokenSha256(token));
    if (session !== undefined) session.seenAt = now;
  }

  close(token: string): void {
    this.#kept.delete(tokenSha256(token));
  }
}

const isOver = ({ openedAt, seenAt }: Session, now: number): boolean =>
  now - seenAt > IDLE_MS || now - openedAt > LONGEST_MS;

const CHALLENGE_BYTES = 32;
const LIFE_MS = 5 * 60_000;
/** Anybody can request a challenge: beyond this number the oldest is dropped. */
const KEPT_MAX = 10_000;

/** Challenges for passkeys; each can be answered once. */
export class Challenges {
  readonly #until = new Map<string, number>();

  /** base64url */
  issue(now: number): string {
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    this.#until.set(challenge, now + LIFE_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > KEPT_MAX && oldest !== undefined) this.#until.delete(oldest);
    return challenge;
  }

  /** False if it was not issued, was used before, or is too old. */
  use(challenge: string, now: number): boolean {
    const until = this.#until.get(challenge);
    this.#until.delete(challenge);
    return until !== undefined && until > now;
  }
}
