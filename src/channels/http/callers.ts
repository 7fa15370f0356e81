import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Person, type Policy, personAt } from '../../domain/authority.ts';
import { leadsHere } from '../../domain/loopback.ts';
import { Problem } from '../../domain/problem.ts';
import { isKeyToken, keyOfToken } from '../../people/signing/key-token.ts';

export const TOKEN_HINT = 'Send Authorization: Bearer TOKEN with a token of yours that is valid.';

export interface Caller {
  /** Name of the token; undefined if it has none, and if no token is required. */
  name: string | undefined;
  /** The person in the policy; undefined without a policy. */
  person?: Person;
}

/** A valid token, as stored. */
interface KnownToken extends Caller {
  /** Hex. */
  sha256: string;
  /** Epoch ms; absent: never. */
  expiresAt?: number;
}

export interface Access {
  tokens: readonly KnownToken[];
  /** A token is required even on this machine. */
  needsToken: boolean;
  /** Whose people may also sign in with a token that they make with their key. */
  policy?: Policy;
}

const SCHEME = /^Bearer +(\S+)$/i;

/**
 * The caller of a request: by its bearer token, or anybody on this machine if no tokens are configured. Throws a `Problem` if the
 * token is missing or wrong. `origins`: of pages elsewhere that may call too.
 */
export function callerOf(
  request: FastifyRequest,
  { tokens, needsToken, policy }: Access,
  now: number,
  origins: readonly string[] = [],
): Caller {
  if (tokens.length === 0 && !needsToken) {
    assertOwnMachine(request, origins);
    return { name: undefined };
  }
  const bearer = bearerOf(request) ?? '';
  const keyId = policy && keyOfToken(bearer);
  const holder = keyId === undefined ? undefined : holderOfKey(request, policy, { keyId, token: bearer, now });
  if (policy !== undefined && holder !== undefined)
    return { name: holder.name, person: personAt(policy, holder.name, now) };
  const given = digest(bearer);
  // All tokens are compared, each in constant time: the timing does not reveal which one comes close.
  const [found] = tokens.filter(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'hex'), given));
  if (found === undefined || (found.expiresAt ?? Number.POSITIVE_INFINITY) <= now) {
    throw new Problem('unauthenticated', 'token-refused', 'There is no bearer token, or it is not valid.', {
      hint: TOKEN_HINT,
    });
  }
  const { name = null, person } = found;
  return { name: found.name, person: policy === undefined ? person : personAt(policy, name, now) };
}

/**
 * Whose key made a token. It is for the origin of the policy; without one for this machine alone, whose address a request from
 * elsewhere could only pretend.
 */
function holderOfKey(
  request: FastifyRequest,
  policy: Access['policy'],
  { keyId, token, now }: { keyId: string; token: string; now: number },
): Person | undefined {
  const person = policy?.people.find(({ credentials }) => credentials.some(({ id }) => id === keyId));
  const key = person?.credentials.find(({ id, type }) => id === keyId && type === 'ed25519');
  const isHere = leadsHere(`http://${request.host}`) && leadsHere(`http://${bracketed(request.address)}`);
  const here = isHere ? ['http', 'https'].map((scheme) => `${scheme}://${request.host}`) : [];
  const audiences = policy?.origin === undefined ? here : [policy.origin];
  return key !== undefined && isKeyToken(token, key.publicKey, audiences, now) ? person : undefined;
}

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);

export function bearerOf({ headers }: FastifyRequest): string | undefined {
  return SCHEME.exec(headers.authorization ?? '')?.[1];
}

/** The maker: the token's name, which a request can neither change nor omit. */
export function makerOf({ name }: Caller, by: string | undefined): string | undefined {
  if (name === undefined || by === undefined || by === name) return name ?? by;
  throw new Problem('forbidden', 'maker-not-yours', 'This token may only act under its own name.', {
    hint: 'Omit by.',
  });
}

/**
 * Without tokens, access is limited to this machine, but any web page can direct a browser here: then the request has a Host or
 * an Origin that is not this machine, and is refused.
 */
function assertOwnMachine({ headers, host }: FastifyRequest, origins: readonly string[]): void {
  const { origin = `http://${host}` } = headers;
  if (leadsHere(`http://${host}`) && [`http://${host}`, ...origins].includes(origin)) return;
  throw new Problem('forbidden', 'host-refused', 'Without a token, only requests from this machine are accepted.', {
    hint: 'Use 127.0.0.1 or localhost, or ask who runs the gateway for a token (PAYOUTS_GATEWAY_TOKEN).',
  });
}

export const tokensOf = ({ people }: Policy): KnownToken[] =>
  people.flatMap((person) => person.tokens.map((token) => ({ name: person.name, person, ...token })));

export const tokenSha256 = (token: string): string => hash('sha256', token);

export const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
