import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The private key that signs checkpoints, in a home: PKCS #8 in PEM. */
const KEY_FILE = 'audit-key.pem';

/** Undefined if the home has no key. */
export function keyInHome(home: string): KeyObject | undefined {
  try {
    return ed25519Key(readFileSync(join(home, KEY_FILE), 'utf8'));
  } catch (error) {
    // A home that cannot be read is not one without a key: log and signer would part without a word.
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** If two processes do this at the same time, both get the same key. */
export function makeKeyInHome(home: string): KeyObject {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  try {
    writeFileSync(join(home, KEY_FILE), pem, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return keyInHome(home) ?? privateKey;
}

/** As in `domain/error-code.ts`: the audit log imports nothing of the product. */
const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Overwrites the previous key, which must not be needed any more. */
export function replaceKeyInHome(home: string, key: KeyObject): void {
  const begun = join(home, `${KEY_FILE}.${process.pid}`);
  writeFileSync(begun, key.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flush: true });
  renameSync(begun, join(home, KEY_FILE));
}

/** @throws TypeError if it is not a private Ed25519 key; the message repeats none of the input */
export function ed25519Key(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Its message may repeat the input.
  }
  throw new TypeError('is not a private Ed25519 key in PEM (PKCS #8)');
}
