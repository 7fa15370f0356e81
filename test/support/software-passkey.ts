import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Credential, SignedDecision, Statement } from '../../src/domain/authority.ts';
import { type Assertion, challengeOf, signatureOf } from '../../src/people/signing/signing.ts';

/** A passkey without a browser (ES256), and what it can be made to do wrong. */
export interface SoftwarePasskey {
  credential: Credential;
  assert(challenge: string, at: AssertedAt): Assertion;
}

export interface AssertedAt {
  origin: string;
  /** Absent: the host of the origin. */
  rpId?: string;
  /** WebAuthn flags: user present 1, user verified 4. */
  flags?: number;
  type?: string;
}

const PRESENT_AND_VERIFIED = 5;

export function softwarePasskey(): SoftwarePasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16).toString('base64url');
  return {
    credential: { id, type: 'passkey', publicKey: coseKey(publicKey).toString('base64url') },
    assert(
      challenge,
      { origin, rpId = new URL(origin).hostname, flags = PRESENT_AND_VERIFIED, type = 'webauthn.get' },
    ) {
      const client = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
      const authenticator = Buffer.concat([sha256(rpId), Buffer.from([flags, 0, 0, 0, 0])]);
      const signature = sign('sha256', Buffer.concat([authenticator, sha256(client)]), privateKey);
      return {
        id,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: authenticator.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      };
    },
  };
}

/** A statement signed by a passkey, as a page hands it over. */
export function signedByPasskey(
  { credential, assert }: SoftwarePasskey,
  statement: Statement,
  at: AssertedAt,
): SignedDecision {
  const signature = signatureOf(assert(challengeOf(statement), at));
  return { ...statement, credential: credential.id, signature };
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** EC2 key of RFC 9053: kty 2, alg -7, crv 1, x, y. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const coordinate = (label: number, value: string): Buffer =>
    Buffer.concat([Buffer.from([label, 0x58, 0x20]), Buffer.from(value, 'base64url')]);
  return Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1]), coordinate(0x21, x), coordinate(0x22, y)]);
}
