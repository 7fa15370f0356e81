import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { ed25519Key } from '../../store/audit/log-key.ts';
import { createSecretFile, readSecretFile, replaceSecretFile } from '../secret-file.ts';

/** The private key that signs checkpoints, in a home: PKCS #8 in PEM. */
const fileIn = (home: string): string => join(home, 'audit-key.pem');

/** Undefined if the home has no key. */
export function keyInHome(home: string): KeyObject | undefined {
  const pem = readSecretFile(fileIn(home));
  return pem === undefined ? undefined : ed25519Key(pem);
}

/** If two processes do this at the same time, both get the same key. */
export const createKeyInHome = (home: string): KeyObject =>
  ed25519Key(createSecretFile(fileIn(home), pemOf(generateKeyPairSync('ed25519').privateKey)));

/** Overwrites the previous key, which must not be needed any more. */
export const replaceKeyInHome = (home: string, key: KeyObject): void => replaceSecretFile(fileIn(home), pemOf(key));

const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();
