import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { Credential, Policy, SignedDecision, Statement } from '../../domain/authority.ts';

/** Ed25519 keys (RFC 8032) of people, in files for the command. */

const KEY_BYTES = 32;

/** The private key is in PEM (PKCS #8). */
export function newKey(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), publicKey: rawOf(publicKey) };
}

/** Base64 of the raw public key. */
const rawOf = (key: KeyObject): string =>
  Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');

/** Throws if the text is not an Ed25519 private key. */
export function publicKeyOf(privateKey: string): string {
  const key = createPrivateKey(privateKey);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key');
  return rawOf(createPublicKey(key));
}

/** Whether the text is a raw public key in base64. */
export const isPublicKey = (text: string): boolean => Buffer.from(text, 'base64').length === KEY_BYTES;

export const credentialId = (publicKey: string): string =>
  hash('sha256', Buffer.from(publicKey, 'base64')).slice(0, 16);

export function signStatement(statement: Statement, privateKey: string): SignedDecision {
  const signature = sign(null, statementBytes(statement), createPrivateKey(privateKey)).toString('base64');
  return { ...statement, credential: credentialId(publicKeyOf(privateKey)), signature };
}

export function verifyStatement(statement: Statement, publicKey: string, signature: string): boolean {
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, statementBytes(statement), key, Buffer.from(signature, 'base64'));
}

/**
 * Passkeys (WebAuthn Level 3) of people, for the gateway's pages. A stored `signature` consists of client data, authenticator
 * data and signature, each in base64url, separated by dots.
 */

/** An authenticator's answer to a challenge; members are base64url. */
export interface Assertion {
  /** Id of the credential. */
  id: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string };
}

/** The challenge for a statement: its SHA-256, base64url. */
export const challengeOf = (statement: Statement): string => hash('sha256', statementBytes(statement), 'base64url');

export const signatureOf = ({ response: { clientDataJSON, authenticatorData, signature } }: Assertion): string =>
  [clientDataJSON, authenticatorData, signature].join('.');

/**
 * Whether a passkey has signed a challenge on the pages of this origin, with user verification (a fingerprint, a PIN). The
 * signature counter is ignored: passkeys synchronized between devices have none.
 */
export async function isSignedByPasskey(
  { id, publicKey }: Credential,
  { origin, challenge, signature: signed }: { origin: string; challenge: string; signature: string },
): Promise<boolean> {
  const [clientDataJSON = '', authenticatorData = '', signature = ''] = signed.split('.');
  // Loaded when needed: it would slow down the start of every other command.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpIdOf(origin),
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
    });
    return verified;
  } catch {
    // The library throws for every broken rule.
    return false;
  }
}

export const rpIdOf = (origin: string): string => new URL(origin).hostname;

/** First line of what is signed, so that the signature has no meaning anywhere else. */
const PREFIX = 'durable-payouts/decision/v1\n';

/**
 * The bytes that a person signs: the prefix, then the members in this order as a JSON array. Verifying derives the same bytes
 * from what is stored, so no member can be changed, added or omitted.
 */
function statementBytes(statement: Statement): Buffer {
  const { id, storeId, question, decision, reference, digest, subject, remark, signedAt, expiresAt } = statement;
  const members = [id, storeId, question, decision, reference, digest, subject, remark, signedAt, expiresAt];
  return Buffer.from(PREFIX + JSON.stringify(members), 'utf8');
}

/** Whether the person named by a decision has signed it, with one of their credentials in the policy. */
export async function isSigned({ people, origin }: Policy, signed: SignedDecision): Promise<boolean> {
  const person = people.find(({ name }) => name === signed.subject);
  const credential = person?.credentials.find(({ id }) => id === signed.credential);
  if (credential === undefined) return false;
  const { signature } = signed;
  if (credential.type === 'ed25519') return verifyStatement(signed, credential.publicKey, signature);
  if (origin === undefined) return false;
  return isSignedByPasskey(credential, { origin, challenge: challengeOf(signed), signature });
}
