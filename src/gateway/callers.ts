import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Person, Policy } from '../domain/authority.ts';
import { leadsHere } from '../domain/loopback.ts';
import { Problem } from '../domain/problem.ts';

/** Who asks. */
export interface Caller {
  /** Of the token; undefined for one without a name, and where none is asked for. */
  name: string | undefined;
  /** Whom the policy says that it is; undefined without a policy. */
  person?: Person;
}

/** A token that is let in, as it is kept. */
export interface KnownToken extends Caller {
  /** Hex. */
  sha256: string;
  /** Epoch ms; absent: never. */
  expiresAt?: number;
}

/** Who is let in. */
export interface Access {
  tokens: readonly KnownToken[];
  /** Nobody is let in without a token, whatever the machine. */
  needsToken: boolean;
}

const SCHEME = /^Bearer +(\S+)$/i;

/**
 * The caller of a request: by its bearer token, or anybody on this machine where no token is set. Throws a `Problem`
 * for a token that is missing or wrong. `origins`: of pages elsewhere that may ask too.
 */
export function callerOf(
  request: FastifyRequest,
  { tokens, needsToken }: Access,
  now: number,
  origins: readonly string[] = [],
): Caller {
  if (tokens.length === 0 && !needsToken) {
    assertOwnMachine(request, origins);
    return { name: undefined };
  }
  const given = digest(bearerOf(request) ?? '');
  // Every token is compared, in constant time: how long it takes says nothing about which one comes close.
  const [found] = tokens.filter(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'hex'), given));
  if (found === undefined || (found.expiresAt ?? Number.POSITIVE_INFINITY) <= now) {
    throw new Problem('unauthenticated', 'token-refused', 'A bearer token is required.', {
      hint: 'Send Authorization: Bearer TOKEN with a valid token from PAYOUTS_GATEWAY_TOKEN or the policy.',
    });
  }
  const { name, person } = found;
  return { name, person };
}

/** The bearer token of a request; undefined without one. */
export function bearerOf({ headers }: FastifyRequest): string | undefined {
  return SCHEME.exec(headers.authorization ?? '')?.[1];
}

/** The maker: the name of the token, which nobody can take on or off. */
export function makerOf({ name }: Caller, by: string | undefined): string | undefined {
  if (name === undefined || by === undefined || by === name) return name ?? by;
  throw new Problem('forbidden', 'maker-not-yours', 'This token may only act under its own name.', {
    hint: 'Omit by.',
  });
}

/**
 * Without a token the machine is the only fence, and a browser on it may be led here by any page: such a request names a
 * host, or comes from an origin, that is not this machine.
 */
function assertOwnMachine({ headers, host }: FastifyRequest, origins: readonly string[]): void {
  const { origin = `http://${host}` } = headers;
  if (leadsHere(`http://${host}`) && [`http://${host}`, ...origins].includes(origin)) return;
  throw new Problem('forbidden', 'host-refused', 'Without a token, only requests from this machine are accepted.', {
    hint: 'Use 127.0.0.1 or localhost, or set PAYOUTS_GATEWAY_TOKEN.',
  });
}

/** Whom a policy lets in. */
export const tokensOf = ({ people }: Policy): KnownToken[] =>
  people.flatMap((person) => person.tokens.map((token) => ({ name: person.name, person, ...token })));

/** A token as it is kept. */
export const tokenSha256 = (token: string): string => digest(token).toString('hex');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
