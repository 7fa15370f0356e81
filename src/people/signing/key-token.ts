import { createPrivateKey, createPublicKey, randomUUID, sign, verify } from 'node:crypto';
import { credentialId, publicKeyOf } from './signing.ts';

/**
 * Bearer tokens that the owner of a key makes: JSON Web Tokens (RFC 7519) signed with Ed25519 (`EdDSA`, RFC 8037). One names the
 * gateway that it is for and is valid for a minute, so that nothing but the key has to be kept. It signs in and decides nothing:
 * a decision has a signature of its own (`statement.ts`), over bytes that no token consists of.
 */

const LIFE_S = 60;
/** How far the clocks of two machines may differ. */
const CLOCK_S = 60;
const HEADER = { alg: 'EdDSA', typ: 'JWT' } as const;

interface Claims {
  /** Origin of the gateway. */
  aud: string;
  /** Seconds since the epoch. */
  iat: number;
  exp: number;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** @param audience origin of the gateway's address */
export function keyToken(privateKey: string, audience: string, now: number): string {
  const iat = Math.floor(now / 1_000);
  const header = { ...HEADER, kid: credentialId(publicKeyOf(privateKey)) };
  const signed = `${encoded(header)}.${encoded({ aud: audience, iat, exp: iat + LIFE_S, jti: randomUUID() })}`;
  return `${signed}.${sign(null, Buffer.from(signed), createPrivateKey(privateKey)).toString('base64url')}`;
}

/** Id of the key that a token says it was made with; undefined if this is no such token. */
export function keyOfToken(token: string): string | undefined {
  const [header, , signature] = token.split('.');
  const { alg, kid } = decoded(header) ?? {};
  return signature !== undefined && alg === HEADER.alg && typeof kid === 'string' ? kid : undefined;
}

/** Whether a token was made with this key, for one of these audiences, and is valid now. */
export function isKeyToken(token: string, publicKey: string, audiences: readonly string[], now: number): boolean {
  const [header = '', claims = '', signature = '', ...more] = token.split('.');
  const { aud, iat, exp } = (decoded(claims) ?? {}) as Partial<Claims>;
  const at = now / 1_000;
  const isNow =
    typeof iat === 'number' &&
    typeof exp === 'number' &&
    iat <= at + CLOCK_S &&
    at <= exp + CLOCK_S &&
    exp - iat <= LIFE_S;
  if (more.length > 0 || !isNow || typeof aud !== 'string' || !audiences.includes(aud)) return false;
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'));
}

function decoded(part = ''): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
