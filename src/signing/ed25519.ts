import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { SignedDecision, Statement } from '../domain/authority.ts';
import { statementBytes } from './statement.ts';

/** Ed25519 keys (RFC 8032) of people, in files for the command. */

/** First bytes of the SubjectPublicKeyInfo of an Ed25519 key (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;

export interface NewKey {
  /** PKCS #8, PEM. */
  privateKey: string;
  publicKey: string;
}

export function newKey(): NewKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), publicKey: rawOf(publicKey) };
}

/** Base64 of the raw public key. */
const rawOf = (key: KeyObject): string =>
  key.export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES).toString('base64');

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

/** Whether the owner of the public key has signed the statement. */
export function verifyStatement(statement: Statement, publicKey: string, signature: string): boolean {
  const der = Buffer.concat([SPKI_PREFIX, Buffer.from(publicKey, 'base64')]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, statementBytes(statement), key, Buffer.from(signature, 'base64'));
}
