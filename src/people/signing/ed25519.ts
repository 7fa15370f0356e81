import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { SignedDecision, Statement } from '../../domain/authority.ts';
import { statementBytes } from './statement.ts';

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
