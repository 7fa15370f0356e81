import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Person, type Policy, personAt, type Role } from '../../domain/authority.ts';
import { leadsHere } from '../../domain/loopback.ts';
import { Problem } from '../../domain/problem.ts';
import { readerNow } from '../../domain/sign-in.ts';
import { BACK_CHANNEL_PATH, type OpenIdProvider, type Vouched } from '../../platform/openid.ts';
import { type Caller, tokenSha256 } from '../http/callers.ts';
import { type Gateway, tokenAccess } from '../http/gateway-app.ts';

/** The gateway, as its pages take it. Without a policy they are a trial, in which names are believed. */
export interface PagesGateway extends Gateway {
  sessions: Sessions;
  challenges: OneTime<true>;
  /** Undefined: people sign in with a passkey only. */
  provider: OpenIdProvider | undefined;
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
export function assertOwnPage(
  { host, headers, method, routeOptions }: FastifyRequest,
  { settings: { policy } }: PagesGateway,
): void {
  const origin = policy?.origin;
  if (origin === undefined ? !leadsHere(`http://${host}`) : host !== new URL(origin).host) {
    throw new Problem('forbidden', 'host-refused', 'The pages are not available under this address.', {
      hint: origin === undefined ? 'Use 127.0.0.1 or localhost.' : `Use ${origin}.`,
    });
  }
  // The provider proves by its signature what it sends from elsewhere.
  if (method === 'GET' || method === 'HEAD' || routeOptions.url === BACK_CHANNEL_PATH) return;
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
  if (token === undefined || session === undefined) return undefined;
  const person = holderOf(session, policy, now());
  if (person === undefined) sessions.close(token);
  return person !== undefined && !isStale(session, now()) ? { name: person.name, person } : undefined;
}

/** With the roles of the session; undefined if the policy no longer has by what it was opened. */
function holderOf({ name, credential, vouched }: Session, policy: Policy, now: number): Person | undefined {
  if (vouched?.group !== undefined) return readerNow(policy, { group: vouched.group, identity: credential });
  const person = personAt(policy, name, now);
  if (person === undefined) return undefined;
  if (vouched === undefined) return person.credentials.some(({ id }) => id === credential) ? person : undefined;
  if (person.identities?.includes(credential) !== true) return undefined;
  const { roles } = vouched;
  const given = <Their extends Pick<Person, 'roles'>>(their: Their): Their =>
    roles === undefined ? their : { ...their, roles: their.roles.filter((role) => roles.includes(role)) };
  const { substitutesFor } = person;
  return { ...given(person), ...(substitutesFor && { substitutesFor: substitutesFor.map(given) }) };
}

/** Whether the word of the provider is too old to count, until it is asked again. */
const isStale = ({ vouched }: Session, now: number): boolean => vouched !== undefined && now > vouched.until;

export const tokenOf = ({ cookies }: FastifyRequest, policy: Policy): string | undefined => cookies[cookieName(policy)];

export function keepToken(reply: FastifyReply, policy: Policy, { token, longestMs }: OpenedSession): void {
  reply.setCookie(cookieName(policy), token, { ...cookieOptions(policy), maxAge: Math.ceil(longestMs / 1_000) });
}

export function dropToken(reply: FastifyReply, policy: Policy): void {
  reply.clearCookie(cookieName(policy), cookieOptions(policy));
}

/** Whether browsers reach the pages over TLS, directly or through a proxy. */
export const isOverTls = (policy: Policy | undefined): boolean => policy?.origin?.startsWith('https:') === true;

export const cookieOptions = (policy: Policy | undefined) =>
  ({ path: '/', httpOnly: true, sameSite: 'strict', secure: isOverTls(policy) }) as const;

/** With the prefix, other hosts and paths cannot set the cookie (RFC 6265bis); browsers accept it only over TLS. */
const cookieName = (policy: Policy): string => hostOnly(policy, 'payouts-session');

export const hostOnly = (policy: Policy, name: string): string => `${isOverTls(policy) ? '__Host-' : ''}${name}`;

export interface Session {
  /** Of the person. */
  name: string;
  /** What opened it: id of a passkey, or an identity at the sign-in provider. */
  credential: string;
  /** What the provider says; undefined: a passkey opened it. */
  vouched: VouchedSession | undefined;
  openedAt: number;
  seenAt: number;
}

interface VouchedSession {
  by: Vouched;
  /** Undefined: all that the policy gives. */
  roles: readonly Role[] | undefined;
  /** By which somebody reads whom the policy does not name. */
  group: string | undefined;
  /** When the provider is asked again, epoch ms. */
  dueAt: number;
  /** How long its word counts, epoch ms. */
  until: number;
  /** While it is asked. */
  asking?: Promise<void>;
}

interface OpenedSession {
  token: string;
  longestMs: number;
}

const TOKEN_BYTES = 32;

/**
 * Open sessions, in the memory of one gateway, so that a closed one is closed at once. Only hashes of tokens are kept. Times are
 * epoch ms.
 */
export class Sessions {
  readonly #kept = new Map<string, Session>();
  readonly #limits: { idleMs: number; longestMs: number };

  /** It ends after so long without a request, and after so long in any case. */
  constructor(limits: { idleMs: number; longestMs: number }) {
    this.#limits = limits;
  }

  open(of: Pick<Session, 'name' | 'credential' | 'vouched'>, now: number): OpenedSession {
    for (const [key, session] of this.#kept) if (this.#isOver(session, now)) this.#kept.delete(key);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#kept.set(tokenSha256(token), { ...of, openedAt: now, seenAt: now });
    return { token, longestMs: this.#limits.longestMs };
  }

  find(token: string, now: number): Session | undefined {
    const session = this.#kept.get(tokenSha256(token));
    return session === undefined || this.#isOver(session, now) ? undefined : session;
  }

  /** Called for every request in the session. */
  prolong(token: string, now: number): void {
    const session = this.#kept.get(tokenSha256(token));
    if (session !== undefined) session.seenAt = now;
  }

  close(token: string): void {
    this.#kept.delete(tokenSha256(token));
  }

  /** Returns the closed ones that were not over yet. */
  closeThose(mean: (session: Session) => boolean, now: number): Session[] {
    const closed = [...this.#kept].filter(([, session]) => mean(session));
    for (const [key] of closed) this.#kept.delete(key);
    return closed.map(([, session]) => session).filter((session) => !this.#isOver(session, now));
  }

  #isOver({ openedAt, seenAt }: Session, now: number): boolean {
    return now - seenAt > this.#limits.idleMs || now - openedAt > this.#limits.longestMs;
  }
}

const CHALLENGE_BYTES = 32;
/** Anybody can request one: beyond this number the oldest is dropped. */
const KEPT_MAX = 10_000;

/** Values by a random text that can be used once, such as what a sign-in has begun with. */
export class OneTime<T> {
  readonly #kept = new Map<string, { value: T; until: number }>();
  readonly #lifeMs: number;

  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  /** base64url */
  issue(value: T, now: number): string {
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    this.#kept.set(challenge, { value, until: now + this.#lifeMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return challenge;
  }

  /** Undefined if it was not issued, was used before, or is too old. */
  use(challenge: string, now: number): T | undefined {
    const kept = this.#kept.get(challenge);
    this.#kept.delete(challenge);
    return kept !== undefined && kept.until > now ? kept.value : undefined;
  }
}
